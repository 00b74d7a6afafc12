"""The pictures of the README: ``make screenshots`` takes them in Chromium, from a site with a database of its own."""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

from scripts.ports import LOOPBACK, free_port

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1200, "height": 780}
START_S = 60
# The offline model repeats the first line and follows the second.
QUESTIONS = {
    "en": 'How is the weather in Berlin?\n/tool get_weather {"city": "Berlin"}',
    "zh-CN": '柏林天气怎么样？\n/tool get_weather {"city": "柏林"}',
}
FLIGHTS = '/tool search_flights {"origin": "Shanghai", "destination": "Tokyo", "date": "tomorrow"}'
ASKED = (FLIGHTS, "/fail PROVIDER_TIMEOUT 3", QUESTIONS["en"])


@dataclass(frozen=True)
class Picture:
    """One page: who looks, where, and what they do before the picture is taken."""

    name: str
    user: str
    path: str
    prepare: Callable[[Page, "Picture"], None] | None = None
    locale: str = "en"
    theme: Literal["light", "dark"] = "light"


def ask_in_drawer(page: Page, picture: Picture) -> None:
    page.locator("steward-drawer .launcher").click()
    box = page.get_by_role("dialog").get_by_role("textbox")
    box.fill(QUESTIONS[picture.locale])
    box.press("Enter")
    page.get_by_text("get_weather returned").first.wait_for()
    page.locator("details.card summary").last.click()


PICTURES_TAKEN = (
    Picture("drawer", "demo", "/", ask_in_drawer),
    Picture("drawer-zh-dark", "demo", "/", ask_in_drawer, "zh-CN", "dark"),
    Picture("ledger", "operator", "/governance/turns/"),
    Picture("ledger-zh-dark", "operator", "/governance/turns/", None, "zh-CN", "dark"),
    Picture("replay", "operator", "/governance/audit/"),
    Picture("cost", "operator", "/governance/cost/"),
    Picture("admin", "admin", "/admin/"),
)


@contextmanager
def site(folder: Path, password: str) -> Iterator[str]:
    """The address of a site with the demo and some turns; it ends with the block."""
    own = {"DATABASE_URL": f"sqlite:///{folder / 'site.sqlite3'}", "STEWARD_DEMO_PASSWORD": password, "DEBUG": "1"}
    environment = os.environ | own
    # First the invented turns: they are refused where there are real ones.
    commands = [["migrate", "-v", "0"], ["seed_ledger", "--turns", "400"], ["demo", "-v", "0"]]
    for command in [*commands, *(["ask", text] for text in ASKED)]:
        done = subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=False)
        if done.returncode and command[0] != "ask":
            sys.exit(f"manage.py {command[0]} failed.")
    port = free_port()
    daphne = [sys.executable, "-m", "daphne", "-v", "0", "-b", LOOPBACK, "-p", str(port), "config.asgi:application"]
    process = subprocess.Popen(daphne, cwd=ROOT, env=environment)
    try:
        wait_for(f"http://{LOOPBACK}:{port}/accounts/login/")
        yield f"http://{LOOPBACK}:{port}"
    finally:
        process.terminate()
        process.wait()


def wait_for(address: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            urlopen(address).close()
            return
        except URLError:
            time.sleep(0.1)
    sys.exit("The site did not start.")


def log_in(page: Page, address: str, picture: Picture, password: str) -> None:
    page.goto(f"{address}/accounts/login/?next={picture.path}")
    page.fill("#id_username", picture.user)
    page.fill("#id_password", password)
    page.click(".login-button")
    page.wait_for_load_state("networkidle")


def main() -> None:
    chromium = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if chromium is None:
        sys.exit("Chromium is not installed.")
    PICTURES.mkdir(parents=True, exist_ok=True)
    password = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory() as folder, site(Path(folder), password) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in PICTURES_TAKEN:
            look = {"locale": picture.locale, "color_scheme": picture.theme}
            page = browser.new_context(viewport=SIZE, **look).new_page()  # type: ignore[arg-type]
            log_in(page, address, picture, password)
            if picture.prepare:
                picture.prepare(page, picture)
            page.screenshot(path=PICTURES / f"{picture.name}.png", animations="disabled")
            print(PICTURES / f"{picture.name}.png")
        browser.close()


if __name__ == "__main__":
    main()
