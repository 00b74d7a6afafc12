"""The message catalogues: collects every text of the product for its translators, and compiles what they wrote.

``python -m scripts.messages`` needs GNU gettext; the site itself does not, since the compiled files are in the clone.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ("zh_Hans",)
TOOLS = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")
IGNORED = (".*", "bench", "build", "dist", "docs", "node_modules", "scripts", "static", "staticfiles", "tests", "var")
# No places and no wrapping: a text that moves is no change of its translation.
OPTIONS = ("--no-location", "--no-wrap", "--no-obsolete", "--extension", "py", "--extension", "html")
_DATED = re.compile(r'^"(?:POT-Creation-Date|PO-Revision-Date): .*"\n', re.MULTILINE)


def missing() -> str | None:
    """The tool of GNU gettext that this machine lacks."""
    return next((tool for tool in TOOLS if shutil.which(tool) is None), None)


def catalogue(root: Path, locale: str) -> Path:
    return root / "locale" / locale / "LC_MESSAGES" / "django.po"


def collect(root: Path) -> None:
    """Bring the catalogues of ``root`` up to date with its sources; what is new is there without a translation."""
    locales = [option for locale in LOCALES for option in ("--locale", locale)]
    ignored = [option for pattern in IGNORED for option in ("--ignore", pattern)]
    command = [sys.executable, "manage.py", "makemessages", *OPTIONS, *locales, *ignored]
    (root / "locale").mkdir(exist_ok=True)
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"LC_ALL": "C.UTF-8"})
    for locale in LOCALES:
        path = catalogue(root, locale)
        path.write_text(_DATED.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")


def compile_all(root: Path) -> None:
    """Compile the catalogues, placeholders checked.

    Raises:
        subprocess.CalledProcessError: a translation is not well formed; its place is on stderr.
    """
    for locale in LOCALES:
        path = catalogue(root, locale)
        subprocess.run(["msgfmt", "--check-format", "--check-domain", "-o", path.with_suffix(".mo"), path], check=True)


if __name__ == "__main__":
    if tool := missing():
        sys.exit(f"{tool} is not installed: apt install gettext, or brew install gettext.")
    collect(ROOT)
    compile_all(ROOT)
