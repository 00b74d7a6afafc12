"""Every error of the provider family, as the admin shows it: what happened, what to do, in English and in Chinese."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from agentcore.admin.status import provider_status
from agentcore.advice import ADVICE, advice
from agentcore.errors import BY_CODE, ProviderError
from agentcore.models import Credential, Provider
from agentcore.services.probes import providers_test
from tests.admin.upstream import replied, served
from tests.fake_upstream import DONE, Answer, Received, chunk, said

CODES = sorted(code for code, kind in BY_CODE.items() if issubclass(kind, ProviderError))
MODELS = {"object": "list", "data": [{"id": "fx-1"}]}


def test_the_family_is_that_of_the_contract() -> None:
    assert len(CODES) == 14
    assert sorted(ADVICE) == CODES


@pytest.mark.parametrize("code", CODES)
def test_an_error_says_what_happened_and_what_to_do_in_english_and_in_chinese(code: str) -> None:
    with translation.override("en"):
        english = [str(BY_CODE[code].text), advice(code)]
    with translation.override("zh-hans"):
        chinese = [str(BY_CODE[code].text), advice(code)]

    assert all(english)
    assert [pair for pair in zip(english, chinese, strict=True) if pair[0] == pair[1]] == []


@pytest.mark.parametrize(("tested_in", "seen_in"), [("en", "zh-hans"), ("zh-hans", "en")])
def test_what_was_found_in_one_language_is_read_in_another(tested_in: str, seen_in: str) -> None:
    kind = BY_CODE["PROVIDER_TIMEOUT"]
    with translation.override(tested_in):
        stored = {"ok": False, "code": kind.code, "message": kind().message, "at": "2026-07-01T00:00:00+00:00"}
    with translation.override(seen_in):
        status = provider_status(stored)
        assert status is not None
        assert (status.message, status.advice) == (str(kind.text), advice(kind.code))
    quoted = provider_status({**stored, "message": "The provider said: no."})
    assert quoted is not None
    assert quoted.message == "The provider said: no."


def chat(answer: Answer) -> Callable[[Received], Answer]:
    """An upstream that lists its models, and answers a chat so."""
    return lambda got: replied(MODELS) if got.line.startswith("GET") else answer


def refused(status: int, message: str, code: str = "") -> Callable[[Received], Answer]:
    return chat(replied({"error": {"message": message, "code": code}}, status))


CUT_OFF = [{"index": 0, "id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"left": 1'}}]

UPSTREAMS: dict[str, Callable[[Received], Answer]] = {
    "PROVIDER_CREDENTIAL_MISSING": chat(said("ready")),
    "PROVIDER_AUTH_FAILED": refused(401, "bad key"),
    "PROVIDER_RATE_LIMITED": refused(429, "slow down"),
    "PROVIDER_QUOTA_EXCEEDED": refused(429, "You exceeded your current quota", "insufficient_quota"),
    "PROVIDER_TIMEOUT": chat(Answer(end="hang")),
    "PROVIDER_UNAVAILABLE": refused(503, "overloaded"),
    "PROVIDER_BAD_RESPONSE": chat(replied(b"<html>a web page</html>")),
    "PROVIDER_BAD_REQUEST": refused(400, "max_tokens is not a number"),
    "MODEL_NOT_FOUND": refused(404, "The model `fx-1` does not exist", "model_not_found"),
    "CONTEXT_LENGTH_EXCEEDED": refused(400, "maximum context length is 8", "context_length_exceeded"),
    "CONTENT_FILTERED": refused(400, "The response was filtered", "content_filter"),
    "OUTPUT_TRUNCATED": chat(Answer(writes=[chunk({"tool_calls": CUT_OFF}), chunk(finish="length"), DONE])),
    "CAPABILITY_MISSING": refused(400, "fx-1 does not support thinking"),
    "PROVIDER_URL_FORBIDDEN": chat(Answer(status=302, headers={"location": "https://elsewhere.example/"})),
}


def test_every_code_of_the_family_is_produced() -> None:
    assert sorted(UPSTREAMS) == CODES


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}


@pytest.mark.parametrize("code", CODES)
def test_a_failed_test_is_shown_with_its_code_and_its_advice(
    code: str, boss: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == "PROVIDER_CREDENTIAL_MISSING":
        Credential.objects.update(token=b"")
    if code == "PROVIDER_TIMEOUT":
        monkeypatch.setattr("agentcore.providers.probe.CALL_S", 0.05)
    with served(UPSTREAMS[code]) as upstream:
        Provider.objects.update(base_url=upstream.base_url)
        providers_test(["hosted"])

    status = Provider.objects.get().status
    assert (status["ok"], status["code"]) == (False, code)
    for address in ("/admin/agentcore/provider/", "/admin/agentcore/provider/hosted/change/"):
        page = boss.get(address).content.decode()
        for words in (code, status["message"], advice(code)):
            assert escape(words) in page


def test_a_list_that_could_not_be_read_says_why_and_what_to_do(boss: Client, provider: Provider) -> None:
    failed = {"ok": False, "code": "PROVIDER_TIMEOUT", "message": "", "at": "2026-01-01T00:00:00+00:00", "models": None}
    Provider.objects.filter(pk=provider.pk).update(status={"discovery": failed})
    page = boss.get("/admin/agentcore/provider/hosted/change/").content.decode()

    assert "could not be read" in page
    assert escape(advice("PROVIDER_TIMEOUT")) in page
