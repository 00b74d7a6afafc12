"""The site's environment: keys of its own for a fresh clone, and variables for a deployment."""

from pathlib import Path

import pytest

from config import env
from config.env import Environment, ensure_env_file, trusted_origins


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the private file of a fresh clone will be; an empty variable is as good as none."""
    monkeypatch.setattr(env, "ENV_FILE", tmp_path / ".env")
    monkeypatch.setenv("SECRET_KEY", "")
    for name in ("DEBUG", "STEWARD_CREDENTIAL_KEYS"):
        monkeypatch.delenv(name)
    return tmp_path / ".env"


def test_a_first_start_writes_keys_that_only_its_owner_reads(file: Path) -> None:
    ensure_env_file()
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]
    assert len(Environment().text("SECRET_KEY")) > 50
    assert Environment().words("STEWARD_CREDENTIAL_KEYS")
    assert Environment().flag("DEBUG")


def test_the_next_start_keeps_them(file: Path) -> None:
    ensure_env_file()
    written = file.read_text()
    ensure_env_file()
    assert file.read_text() == written


def test_who_configures_the_site_from_outside_gets_no_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "given")
    ensure_env_file()
    assert not file.exists()


def test_a_stray_file_does_not_turn_debug_on(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_env_file()
    monkeypatch.setenv("SECRET_KEY", "given")
    assert not Environment().flag("DEBUG")


def test_a_variable_wins_over_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_env_file()
    monkeypatch.setenv("DEBUG", "0")
    assert not Environment().flag("DEBUG")


@pytest.mark.parametrize(
    ("hosts", "origins"),
    [
        (["*"], []),
        (["localhost", "127.0.0.1", "[::1]"], []),
        (["www.example.com"], ["https://www.example.com"]),
        ([".example.com"], ["https://example.com", "https://*.example.com"]),
    ],
)
def test_the_hosts_of_a_site_are_the_origins_that_it_trusts(hosts: list[str], origins: list[str]) -> None:
    assert trusted_origins(hosts) == origins
