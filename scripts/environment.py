"""Make ``.venv`` what it should be: ``environment.py [extra ...]``. Run by ``bootstrap.py``, standard library only.

``STEWARD_VENV`` names another environment, ``STEWARD_VERSIONS`` a file of versions that it has in place of the locked.

Safe to repeat and to interrupt: a stamp inside ``.venv`` says what is installed and is written last, and a marker
outside of it says that an installation began, so that a half-made one is made anew.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / os.environ.get("STEWARD_VENV", ".venv")
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "steward-installed.json"
MARKER = ROOT / "var" / f"installing{VENV.name.removeprefix('.venv')}"
VERSIONS = os.environ.get("STEWARD_VERSIONS")
LOCK = ROOT / "var" / "bootstrap.lock"


def say(text):
    print(text, file=sys.stderr, flush=True)


def leave_venv():
    """Go on outside of ``.venv``, which cannot be made anew from inside."""
    if sys.prefix != sys.base_prefix and Path(sys.prefix).resolve() == VENV.resolve():
        outside = sys._base_executable  # type: ignore[attr-defined]
        os.execv(outside, [outside, *sys.argv])


def requirements(extras):
    """What the project needs, with ``extras``.

    The project itself runs from its folder: an editable install would copy its templates, and age.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(name for extra in extras for name in optional[extra])]


def constraints():
    """The locked versions, with those of ``VERSIONS`` in their place."""
    locked = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if VERSIONS is None:
        return locked
    own = (ROOT / VERSIONS).read_text(encoding="utf-8").splitlines()
    names = {name_of(line) for line in own}
    return [*(line for line in locked if name_of(line) not in names), *own]


def name_of(line):
    return line.partition("==")[0].strip().lower()


def lock_hash(extras):
    """What an installation with ``extras`` depends on."""
    parts = [*map(str, sys.version_info[:2]), *requirements(extras), *constraints()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp():
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"lock": "", "extras": []}


def is_current(extras, stamp):
    return stamp["lock"] == lock_hash(extras) and VENV_PYTHON.exists() and not MARKER.exists()


def is_usable():
    """Whether ``.venv`` has the running version of Python and a pip that works."""
    check = "import sys, pip; print(sys.version_info[0], sys.version_info[1])"
    try:
        done = subprocess.run([VENV_PYTHON, "-c", check], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.split() == [str(part) for part in sys.version_info[:2]]


def make_venv():
    say(f"Making {VENV.name} ...")
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    if subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=False).returncode:
        sys.exit(
            "Python could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv.\n"
            "Or name another interpreter: make run PYTHON=/path/to/python3"
        )


def pip_install(extras):
    say("Installing the locked dependencies, once. This takes a minute ...")
    file = MARKER.with_name(f"{MARKER.name}.constraints.txt")
    file.write_text("\n".join(constraints()) + "\n", encoding="utf-8")
    command = [
        str(VENV_PYTHON),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-c",
        str(file),
    ]
    if subprocess.run([*command, *requirements(extras)], cwd=ROOT, check=False).returncode:
        sys.exit("The installation failed; the lines above say why. Run the same command again to go on.")


def install(extras):
    interrupted = MARKER.exists()
    MARKER.touch()
    if interrupted or not is_usable():
        make_venv()
    pip_install(extras)
    STAMP.write_text(json.dumps({"lock": lock_hash(extras), "extras": extras}), encoding="utf-8")
    MARKER.unlink()


def main(wanted):
    leave_venv()
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        stamp = read_stamp()
        extras = sorted({*wanted, *stamp["extras"]})
        if not is_current(extras, stamp):
            install(extras)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
