"""Let a Python that is new enough make ``.venv``: ``bootstrap.py [extra ...]``, see ``environment.py``.

Every Python can read this file, Python 2 too, so that one that is too old is told so and not shown a traceback.
"""

import os
import subprocess
import sys

OLDEST = (3, 11)
NEWEST = (3, 14)
ENVIRONMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "environment.py")


def version_of(numbers):
    return ".".join(str(number) for number in numbers[:3])


def runs(name):
    """Whether an interpreter is there and works: a version manager's shim is found where its version is off, too."""
    with open(os.devnull, "w") as nothing:
        try:
            return subprocess.call([name, "-c", ""], stdout=nothing, stderr=nothing) == 0
        except OSError:
            return False


def newer_python():
    """The newest other interpreter on the PATH, or None."""
    names = ["python" + version_of((OLDEST[0], minor)) for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    return next((name for name in names if runs(name)), None)


def main(arguments):
    python = sys.executable if sys.version_info >= OLDEST else newer_python()
    if python is None:
        needed, found = version_of(OLDEST), version_of(sys.version_info)
        sys.exit(
            "Steward needs Python " + needed + " or newer; this is " + found + " (" + sys.executable + ").\n"
            "Install a newer one, or name it: make run PYTHON=/path/to/python3"
        )
    words = [python, ENVIRONMENT]
    words.extend(arguments)
    os.execvp(python, words)


if __name__ == "__main__":
    main(sys.argv[1:])
