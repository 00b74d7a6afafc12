"""Rotation: every credential gets the newest key, also when the command is killed half-way."""

from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from agentcore.credentials import CredentialUnreadable, unseal
from agentcore.models import Credential
from agentcore.services import rotation
from agentcore.services.credentials import (
    Readability,
    credential_declare,
    credential_state,
    credential_store,
    credential_value,
)
from agentcore.services.rotation import Rotation, credential_rotate

K1, K2, K3 = (Fernet.generate_key().decode() for _ in range(3))
COUNT = 100

pytestmark = pytest.mark.django_db


def keys(settings: Any, *found: str) -> None:
    settings.STEWARD = {"CREDENTIAL_KEYS": list(found)}


@pytest.fixture
def stored(settings: Any) -> list[str]:
    """Credentials under the first key."""
    keys(settings, K1)
    slugs = [f"c{number:03}" for number in range(COUNT)]
    for slug in slugs:
        credential_store(slug, f"sk-value-of-{slug}")
    return slugs


def rotate() -> str:
    out = StringIO()
    call_command("rotate_credentials", stdout=out)
    return out.getvalue().strip()


def test_a_killed_rotation_is_finished_by_the_next(
    stored: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys(settings, K2, K1)
    seal, sealed = rotation.seal, []

    def killed_half_way(*args: Any) -> bytes:
        if len(sealed) == COUNT // 2:
            raise KeyboardInterrupt
        sealed.append(args[0])
        return seal(*args)

    monkeypatch.setattr(rotation, "seal", killed_half_way)
    with pytest.raises(KeyboardInterrupt):
        rotate()
    assert [credential_value(slug) for slug in stored] == [f"sk-value-of-{slug}" for slug in stored]
    monkeypatch.undo()

    assert rotate() == "re-encrypted: 50, already with the newest key: 50, cannot be decrypted: 0"

    keys(settings, K2)
    assert [credential_value(slug) for slug in stored] == [f"sk-value-of-{slug}" for slug in stored]
    assert rotate() == "re-encrypted: 0, already with the newest key: 100, cannot be decrypted: 0"


def test_what_no_key_opens_is_named_and_left_alone(settings: Any) -> None:
    keys(settings, K1)
    credential_store("lost", "sk-value-of-lost")
    before = bytes(Credential.objects.get().token)
    keys(settings, K3)
    credential_store("fine", "sk-value-of-fine")

    with pytest.raises(CommandError, match="lost") as caught:
        rotate()

    assert "fine" not in str(caught.value)
    assert bytes(Credential.objects.get(slug="lost").token) == before
    assert credential_state(Credential.objects.get(slug="lost")).readability is Readability.UNREADABLE


def test_the_date_and_the_fingerprint_stay(settings: Any) -> None:
    keys(settings, K1)
    before = credential_store("a", "sk-value-of-a")
    keys(settings, K2, K1)
    rotate()
    after = Credential.objects.get()
    assert (after.updated_at, after.fingerprint) == (before.updated_at, before.fingerprint)
    assert unseal("a", after.token, [K2]) == "sk-value-of-a"
    with pytest.raises(CredentialUnreadable):
        unseal("a", after.token, [K1])


def test_a_value_that_was_replaced_meanwhile_wins(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    keys(settings, K1)
    credential_store("a", "sk-old-value-of-a")
    keys(settings, K2, K1)
    seal = rotation.seal

    def overtaken(*args: Any) -> bytes:
        monkeypatch.undo()
        settings.STEWARD = {"CREDENTIAL_KEYS": [K2, K1]}
        credential_store("a", "sk-new-value-of-a")
        return seal(*args)

    monkeypatch.setattr(rotation, "seal", overtaken)
    credential_rotate("a")

    assert credential_value("a") == "sk-new-value-of-a"


def test_a_row_for_the_environment_has_nothing_to_rotate(settings: Any) -> None:
    keys(settings, K1)
    credential_declare("outside")
    assert credential_rotate("outside") is Rotation.EMPTY
    assert credential_rotate("deleted") is Rotation.EMPTY


def test_without_a_key_the_command_refuses(settings: Any) -> None:
    keys(settings)
    with pytest.raises(CommandError, match="CREDENTIAL_KEYS"):
        rotate()
