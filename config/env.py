"""The site's environment: variables, else a private file that the first command in a clone writes."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from cryptography.fernet import Fernet

BASE_DIR = Path(__file__).resolve().parent.parent
ENV_FILE = Path(os.environ.get("STEWARD_ENV_FILE", BASE_DIR / ".env"))


def is_configured_outside() -> bool:
    """Whether the process has its environment from elsewhere: a stray file must not turn DEBUG on then."""
    return bool(os.environ.get("SECRET_KEY"))


def ensure_env_file() -> None:
    """Write fresh secret keys once, for a clone that has no environment of its own.

    A deployment sets ``SECRET_KEY`` and gets no file. The file is complete or absent: it is written beside its
    place and linked there, so that of two first starts one wins and both use the same keys.
    """
    if is_configured_outside() or ENV_FILE.exists():
        return
    lines = [
        "# Made by the first start of this clone. Private: never commit it. Environment variables win.",
        "DEBUG=1",
        f"SECRET_KEY={secrets.token_urlsafe(50)}",
        f"STEWARD_CREDENTIAL_KEYS={Fernet.generate_key().decode()}",
    ]
    draft = ENV_FILE.with_name(f"{ENV_FILE.name}.{os.getpid()}.tmp")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
    try:
        os.link(draft, ENV_FILE)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {key.strip(): value.strip() for key, value in pairs}


class Environment:
    """Variables of the process, over those of the private file."""

    def __init__(self) -> None:
        self._file = {} if is_configured_outside() else _read(ENV_FILE)

    def text(self, name: str, default: str = "") -> str:
        return os.environ.get(name) or self._file.get(name) or default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.text(name)
        return value.lower() in {"1", "true", "yes", "on"} if value else default

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """A list separated by commas."""
        return [word.strip() for word in self.text(name).split(",") if word.strip()] or list(default)


def trusted_origins(hosts: Iterable[str]) -> list[str]:
    """The origins of ``ALLOWED_HOSTS`` that browsers may post from over HTTPS; of ``.example.com`` all below it."""
    named = [host for host in hosts if host not in {"*", "localhost", "127.0.0.1", "[::1]"}]
    below = [f"https://*{host}" for host in named if host.startswith(".")]
    return [f"https://{host.removeprefix('.')}" for host in named] + below
