"""Credentials: sealed, bound to their id, readable after a change of keys, and never in the way of anything else."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.test import RequestFactory
from django.views.debug import ExceptionReporter

from agentcore.credentials import CredentialUnreadable, seal, unseal
from agentcore.errors import ProviderCredentialMissing, ValidationFailed
from agentcore.models import Credential, Provider
from agentcore.services.credentials import credential_store, credential_value, credential_values
from agentcore.services.upstreams import provider_spec

VALUE = "sk-CANARY-52-abcdef0123456789"
K1, K2, K3 = (Fernet.generate_key().decode() for _ in range(3))

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _keys(settings: Any) -> None:
    settings.STEWARD = {"CREDENTIAL_KEYS": [K1]}


def test_a_stored_value_comes_back_and_is_not_in_the_row() -> None:
    row = credential_store("openai", f"  {VALUE}\n")

    assert credential_value("openai") == VALUE
    assert VALUE.encode() not in bytes(row.token)
    assert row.last_four == "6789"
    assert len(row.fingerprint) == 16
    assert VALUE not in repr(vars(row))


def test_storing_again_replaces_the_value_and_changes_the_fingerprint() -> None:
    first = credential_store("openai", VALUE).fingerprint
    second = credential_store("openai", f"{VALUE}x").fingerprint

    assert first != second
    assert credential_value("openai") == f"{VALUE}x"
    assert credential_store("other", VALUE).fingerprint == first


def test_a_short_value_shows_nothing_of_itself() -> None:
    assert credential_store("local", "secret").last_four == ""


@pytest.mark.parametrize(
    "value",
    [
        "",
        "  ",
        "********",
        "sk-...6789",
        "sk-…6789",
        "••••6789",
        "xxxx6789",
        "[redacted]",
        "a\nb",
        "a\x00b",
        "k" * 8193,
    ],
)
def test_what_cannot_be_a_key_is_refused(value: str) -> None:
    with pytest.raises(ValidationFailed):
        credential_store("openai", value)

    assert not Credential.objects.exists()


def test_without_a_usable_key_nothing_is_stored(settings: Any) -> None:
    for keys in ([], ["not a fernet key"]):
        settings.STEWARD = {"CREDENTIAL_KEYS": keys}
        with pytest.raises(ValidationFailed):
            credential_store("openai", VALUE)


def test_a_token_cannot_be_swapped_to_another_row() -> None:
    token = credential_store("openai", VALUE).token
    Credential.objects.create(slug="other", token=token)

    with pytest.raises(ProviderCredentialMissing):
        credential_value("other")


def test_old_keys_still_open_and_new_ones_seal(settings: Any) -> None:
    credential_store("old", VALUE)
    settings.STEWARD = {"CREDENTIAL_KEYS": [K2, K1]}
    new = credential_store("new", VALUE)

    assert credential_value("old") == credential_value("new") == VALUE
    assert unseal("new", new.token, [K2]) == VALUE


def test_an_unreadable_credential_breaks_nothing_else(settings: Any) -> None:
    credential_store("lost", VALUE)
    settings.STEWARD = {"CREDENTIAL_KEYS": [K3]}
    credential_store("fine", f"{VALUE}-fine")

    with pytest.raises(ProviderCredentialMissing, match="decrypted"):
        credential_value("lost")
    assert credential_values() == [f"{VALUE}-fine"]


def test_the_environment_is_the_fallback_and_a_stored_value_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEWARD_CREDENTIAL_MY_KEY", "from-the-environment")

    assert credential_value("my-key") == "from-the-environment"
    Credential.objects.create(slug="my-key", token=b"")
    assert credential_value("my-key") == "from-the-environment"
    credential_store("my-key", VALUE)
    assert credential_value("my-key") == VALUE
    assert credential_values() == sorted(["from-the-environment", VALUE])


def test_the_list_of_keys_is_no_credential() -> None:
    with pytest.raises(ProviderCredentialMissing):
        credential_value("keys")


def test_a_credential_that_nobody_stored_is_missing() -> None:
    with pytest.raises(ProviderCredentialMissing):
        credential_value("nobody")


def test_a_fault_while_it_is_stored_reports_no_value(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEBUG = False
    monkeypatch.setattr("agentcore.services.credentials.last_four", None)
    with pytest.raises(TypeError) as caught:
        credential_store("openai", VALUE)

    report = ExceptionReporter(RequestFactory().get("/"), caught.type, caught.value, caught.tb)
    # The test itself names it.
    frames = [frame for frame in report.get_traceback_frames() if "credential_store" in frame["function"]]
    assert frames
    assert VALUE not in str([frame["vars"] for frame in frames])


@pytest.mark.parametrize("token", [b"garbage", b"gAAAAA", b"\xff" * 40])
def test_a_damaged_token_is_unreadable(token: bytes) -> None:
    with pytest.raises(CredentialUnreadable):
        unseal("x", token, [K1])


def test_a_malformed_key_is_not_quoted() -> None:
    with pytest.raises(CredentialUnreadable) as caught:
        seal("x", VALUE, ["half-a-secret-key"])

    assert caught.value.__context__ is None
    assert "half" not in str(caught.value)


def provider(**fields: object) -> Provider:
    return Provider.objects.create(
        slug="p", provider_type="openai_chat", name="P", base_url="https://example.com/v1", **fields
    )


def test_a_spec_has_the_key_of_its_credential(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    provider(credential=credential_store("openai", VALUE), timeout_s=9, options={"body": {}}, default_model="m")
    row = Provider.objects.select_related("credential").get(slug="p")

    with django_assert_num_queries(0):
        spec = provider_spec(row)

    assert (spec.provider_id, spec.api_key, spec.needs_credential) == ("p", VALUE, True)
    assert (spec.timeout_s, spec.options, spec.default_model) == (9, {"body": {}}, "m")
    assert VALUE not in repr(spec)


def test_a_provider_without_a_credential_needs_none() -> None:
    spec = provider_spec(provider())

    assert (spec.api_key, spec.needs_credential) == ("", False)


def test_a_spec_whose_key_is_unreadable_says_that_it_needs_one(settings: Any) -> None:
    row = provider(credential=credential_store("openai", VALUE))
    settings.STEWARD = {"CREDENTIAL_KEYS": [K3]}

    spec = provider_spec(row)

    assert (spec.api_key, spec.needs_credential) == ("", True)
