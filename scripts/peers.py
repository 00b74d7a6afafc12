"""What ``make peers`` installs: other libraries, to measure beside us and to test against. No part of the product.

Python packages go to ``.venv-peers``, those of Node.js to ``var/peers``; both are made once for each list of versions.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV, NODE = ROOT / ".venv-peers", ROOT / "var" / "peers"
PYTHON, LITELLM = VENV / "bin" / "python", VENV / "bin" / "litellm"
AIMOCK = NODE / "node_modules" / "@copilotkit" / "aimock"
STAMP = VENV / "steward-installed"
LOCK = ROOT / "constraints-peers.txt"
PACKAGES = (
    *("openai", "anthropic", "litellm[proxy]", "pydantic-ai-slim[openai,anthropic]"),
    *("agent-framework-core", "agent-framework-openai"),
)
NODE_PACKAGES = ("@copilotkit/aimock@1.43.0",)


class PeersFailed(Exception):
    """They could not be installed."""


def missing() -> str | None:
    """Why the Python packages cannot be used."""
    return None if PYTHON.exists() and _is_current() else "they are not installed; 'make peers' does it."


def aimock_missing() -> str | None:
    """Why the mock server of Node.js cannot be used."""
    if shutil.which("node") is None:
        return "Node.js is not installed."
    return None if AIMOCK.exists() else "aimock is not installed; 'make peers' does it."


def _wanted() -> str:
    return hashlib.sha256(f"{PACKAGES}{LOCK.read_text('utf-8')}".encode()).hexdigest()


def _is_current() -> bool:
    return STAMP.exists() and STAMP.read_text("utf-8") == _wanted()


def _run(*words: str | Path) -> None:
    if subprocess.run([str(word) for word in words], cwd=ROOT, check=False).returncode:
        raise PeersFailed("The installation failed; the lines above say why.")


def install_packages() -> None:
    print(f"Making {VENV.name}. This takes a minute or two ...", file=sys.stderr, flush=True)
    _run(sys.executable, "-m", "venv", "--clear", VENV)
    _run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", LOCK, *PACKAGES)
    STAMP.write_text(_wanted(), encoding="utf-8")


def install_node_packages() -> None:
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not installed: the tests against aimock are skipped.", file=sys.stderr)
        return
    NODE.mkdir(parents=True, exist_ok=True)
    _run(npm, "install", "--prefix", NODE, "--no-audit", "--no-fund", "--loglevel=error", *NODE_PACKAGES)


def main() -> None:
    if missing():
        install_packages()
    if not AIMOCK.exists():
        install_node_packages()


if __name__ == "__main__":
    try:
        main()
    except PeersFailed as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
