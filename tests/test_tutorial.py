"""The tutorial, followed in an empty folder against the built wheel: every command, every block of code."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from tests.requirements import is_ci
from tests.site import ROOT, free_port

PAGE = ROOT / "docs" / "tutorial" / "01-a-governed-agent.md"
BLOCK = re.compile(r"(?:<!-- (?P<order>[^>]+?) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)
SHELL_S = 120
# Of the suite: a newcomer has none of it.
FOREIGN = {"DJANGO_SETTINGS_MODULE", "SECRET_KEY", "DEBUG", "DATABASE_URL", "REDIS_URL", "STEWARD_CREDENTIAL_KEYS"}


@dataclass
class Newcomer:
    """Somebody at a terminal: what a block leaves behind (folder, variables) is there for the next one."""

    home: Path
    wheels: Path
    port: int = field(default_factory=free_port)
    printed: str = ""
    server: "subprocess.Popen[bytes] | None" = None

    def __post_init__(self) -> None:
        self.folder = self.home
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        # The dependencies are those of the suite; the wheel is all that pip has to install.
        packages = {
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
        }
        first = {"PATH": f"{self._interpreter()}:{kept['PATH']}", "PYTHONWARNINGS": "default"}
        self.environment = kept | packages | first | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def _interpreter(self) -> Path:
        """A folder in which ``python3`` is the interpreter of the suite."""
        folder = self.home.parent / "interpreter"
        folder.mkdir(exist_ok=True)
        (folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}")
        return folder

    def follow(self, page: str) -> None:
        """Do what every block of ``page`` says."""
        for block in BLOCK.finditer(page):
            order, language, code = block["order"] or "", block["language"], block["code"]
            if order == "serve":
                self.serve(code)
            elif order:
                self.put(order, code)
            else:
                assert language == "sh", f"Nobody knows what to do with this block:\n{code}"
                self.run(code)

    def put(self, order: str, code: str) -> None:
        """``write: FILE`` or ``append: FILE``."""
        verb, name = order.split(": ")
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = code if verb == "write" else f"{file.read_text('utf-8')}\n{code}"
        file.write_text(text, encoding="utf-8")

    def run(self, code: str) -> str:
        """Run a block to its end; return what it printed."""
        state = self.home.parent / "state"
        script = f"set -ea\n{self._here(code)}\n{{ pwd; env -0; }} > {state}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SHELL_S,
            check=False,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        folder, _newline, variables = state.read_text("utf-8").partition("\n")
        self.folder = Path(folder)
        self.environment = dict(item.split("=", 1) for item in variables.split("\0") if item)
        self.printed += done.stdout
        return done.stdout

    def serve(self, code: str) -> None:
        """Start what serves, and go on once it answers."""
        command = ["bash", "-c", f"exec {self._here(code)}"]
        log = (self.home.parent / "server.log").open("wb")
        self.server = subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True
        )
        deadline = time.monotonic() + SHELL_S
        while time.monotonic() < deadline and self.server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError((self.home.parent / "server.log").read_text("utf-8"))

    def leave(self) -> None:
        if self.server is not None:
            os.killpg(self.server.pid, signal.SIGTERM)
            self.server.wait(timeout=20)

    def _here(self, code: str) -> str:
        return re.sub(r"\b8000\b", str(self.port), code)

    def browser(self) -> httpx.Client:
        """Logged in as the page says."""
        browser = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30, follow_redirects=True)
        page = browser.get("/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token, "The page does not lead to a login."
        form = {"username": "ada", "password": "open-sesame-2026", "csrfmiddlewaretoken": token[1], "next": "/"}
        assert browser.post("/admin/login/", data=form).status_code == 200
        return browser


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel of this clone."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "-w", folder, ROOT], check=True)
    return folder


@pytest.fixture(scope="module")
def newcomer(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    """Who has followed the tutorial to its end; the server still runs."""
    missing = next((tool for tool in ("bash", "curl") if shutil.which(tool) is None), None)
    if missing:
        (pytest.fail if is_ci() else pytest.skip)(f"{missing} is not installed.")
    home = tmp_path_factory.mktemp("tutorial") / "empty"
    home.mkdir()
    person = Newcomer(home, wheels)
    try:
        person.follow(PAGE.read_text("utf-8"))
        yield person
    finally:
        person.leave()


def test_the_wheel_has_what_a_site_needs_and_nothing_of_the_example(wheels: Path) -> None:
    names = ZipFile(next(wheels.glob("*.whl"))).namelist()
    for needed in (
        "agentcore/templates/steward/base.html",
        "agentcore/static/site/tokens.css",
        "agentcore/locale/zh_Hans/LC_MESSAGES/django.mo",
        "agentcore/migrations/0001_ground.py",
        "conversations/templates/conversations/_drawer.html",
        "conversations/static/conversations/drawer.js",
        "conversations/static/vendor/dompurify/purify.es.mjs",
        "governance/templates/governance/turn.html",
        "governance/static/governance/governance.css",
    ):
        assert needed in names
    foreign = re.compile(r"(config|examples|tests|scripts|bench)/|.*(home\.html|hero\.svg|/\.env)")
    assert [name for name in names if foreign.match(name)] == []


def test_every_template_and_static_file_of_the_apps_is_in_the_wheel(wheels: Path) -> None:
    names = ZipFile(next(wheels.glob("*.whl"))).namelist()
    for app in ("conversations", "governance"):
        for kind in ("templates", "static"):
            files = [file for file in (ROOT / kind / app).rglob("*") if file.is_file()]
            missing = [str(file) for file in files if f"{app}/{file.relative_to(ROOT)}" not in names]
            assert missing == []


@pytest.mark.parametrize(
    ("variable", "keys"), [("", []), ("NEW", ["NEW"]), ("NEW,OLD", ["NEW", "OLD"]), (" NEW , OLD,", ["NEW", "OLD"])]
)
def test_the_site_of_the_page_reads_its_keys_as_the_page_on_rotating_them_writes_them(
    monkeypatch: pytest.MonkeyPatch, variable: str, keys: list[str]
) -> None:
    found = re.search(r"^KEYS = .*\nSTEWARD = .*\n", PAGE.read_text("utf-8"), re.MULTILINE)
    assert found
    monkeypatch.setenv("STEWARD_CREDENTIAL_KEYS", variable)
    names: dict[str, Any] = {"os": os}
    exec(found[0], names)
    assert names["STEWARD"]["CREDENTIAL_KEYS"] == keys
    assert "STEWARD_CREDENTIAL_KEYS=NEW,OLD" in (ROOT / "docs" / "howto" / "rotate-keys.md").read_text("utf-8")


def test_the_commands_say_what_the_page_says(newcomer: Newcomer) -> None:
    said = ["All is right.", "You said: hello", 'find_order returned: {"number":"A-17","status":"sent"}']
    assert [line for line in said if line not in newcomer.printed] == []
    page = PAGE.read_text("utf-8")
    assert [line for line in said[1:] if f"`{line}`" not in page] == []


def test_the_drawer_is_served_with_every_file_that_it_needs(newcomer: Newcomer) -> None:
    browser = newcomer.browser()
    page = browser.get("/").text
    assert "<steward-drawer" in page
    files = set(re.findall(r'(?:href|src|data-stylesheet)="(/static/[^"]+)"', page))
    assert any(name.endswith("drawer.js") for name in files)
    while files:
        name = files.pop()
        answer = browser.get(name)
        assert answer.status_code == 200, name
        imports = re.findall(r'from "(\.[^"]+)"', answer.text) if name.endswith("js") else []
        files |= {str(httpx.URL(f"http://site{name}").join(relative).path) for relative in imports}


def test_the_chat_is_a_page_of_its_own_in_the_shipped_frame(newcomer: Newcomer) -> None:
    browser = newcomer.browser()
    page = browser.get("/agent/").text
    assert "<title>Assistant · Steward</title>" in page
    assert "Meridian" not in page
    for name in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        assert browser.get(name).status_code == 200, name


def test_a_run_of_the_api_used_the_tool_and_is_on_record(newcomer: Newcomer) -> None:
    found = re.search(r'"run_id": "([0-9a-f-]{36})"', newcomer.printed)
    assert found, newcomer.printed[-2000:]
    browser = newcomer.browser()
    run = finished(browser, found[1])
    assert run["status"] == "completed"
    assert '{"number":"A-17","status":"sent"}' in run["output"]
    ledger = browser.get("/governance/turns/")
    assert f"/governance/turns/{found[1]}/" in ledger.text
    turn = browser.get(f"/governance/turns/{found[1]}/")
    assert turn.status_code == 200
    assert "find_order" in turn.text


def finished(browser: httpx.Client, run_id: str) -> dict[str, str]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        run: dict[str, str] = browser.get(f"/api/agent/runs/{run_id}").json()
        if run["finished_at"]:
            return run
        time.sleep(0.1)
    raise AssertionError(f"The run did not end: {run}")


@pytest.mark.parametrize("left_out", ["governance", "conversations", "conversations governance toolsapp"])
def test_a_site_may_leave_a_wing_out(newcomer: Newcomer, left_out: str) -> None:
    module = f"without_{left_out.replace(' ', '_')}"
    newcomer.put(
        f"write: mysite/{module}.py",
        "from mysite.settings import *\n"
        f"INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in {left_out.split()!r}]\n"
        + ("INSTALLED_APPS.remove('shop')\nROOT_URLCONF = 'agentcore.urls'\n" if "toolsapp" in left_out else ""),
    )
    # The command runs the system checks before it asks.
    assert "You said: hello" in newcomer.run(f"python manage.py ask --settings=mysite.{module} --user ada hello")
