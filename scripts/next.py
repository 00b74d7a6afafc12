"""What ``make test-next`` runs: the suite on the newest Python and Django that are supported, in ``.venv-next``.

Everything but the parts that other processes play (browser, live sites, real models): those are the same on both pairs.
With ``CI=true`` a missing interpreter is a failure.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.test import ROOT, Outcome, missing

PYTHON = "python3.13"
ENVIRONMENT = {"STEWARD_VENV": ".venv-next", "STEWARD_VERSIONS": "constraints-django6.txt"}
MARKS = "not browser and not node and not gettext and not postgres and not redis and not local_llm and not peer"
LEFT_OUT = ("tests/browser", "tests/live", "tests/local_llm", "tests/test_make.py")


def interpreter() -> str | None:
    """The newest supported Python: on the ``PATH``, else one that pyenv has. It must run, which a shim may not."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(PYTHON), *sorted(pyenv.glob(f"{PYTHON.removeprefix('python')}.*/bin/{PYTHON}"))]
    return next((str(place) for place in places if place and _runs(str(place))), None)


def _runs(path: str) -> bool:
    return subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    python = interpreter()
    if python is None:
        outcome = missing("newest Python and Django", f"{PYTHON} is not installed")
        print(outcome)
        return int(outcome.is_failure)
    subprocess.run([python, "scripts/bootstrap.py", "test"], cwd=ROOT, env=os.environ | ENVIRONMENT, check=True)
    return int(suite(arguments).is_failure)


def suite(arguments: list[str]) -> Outcome:
    """Run pytest in ``.venv-next``, on SQLite."""
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    ignored = [f"--ignore={path}" for path in LEFT_OUT]
    python = str(ROOT / ENVIRONMENT["STEWARD_VENV"] / "bin" / "python")
    command = [python, "-m", "pytest", "-n", "2", "--dist", "loadfile"]
    # A database of its own: the other pair may be at work in the same clone.
    own = {"TEST_DB_NAME": "next"}
    done = subprocess.run([*command, "-m", MARKS, *ignored, *arguments], cwd=ROOT, env=kept | own, check=False)
    return Outcome("newest Python and Django", done.returncode != 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
