"""Providers in the admin: presets, addresses, keys that stay with their host, tests that really ask, deleting."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from agentcore.errors import Conflict
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
from agentcore.providers.presets import PRESETS
from agentcore.services.credentials import credential_store
from agentcore.services.providers import providers_delete
from tests.admin.conftest import CANARY
from tests.admin.upstream import replied, served
from tests.fake_upstream import Answer, Received, said

ADD = "/admin/agentcore/provider/add/"
CHANGE = "/admin/agentcore/provider/hosted/change/"
LIST = "/admin/agentcore/provider/"
MODELS = {"object": "list", "data": [{"id": "fx-2"}, {"id": "fx-1", "context_window": 8192}, {"id": "fx-1"}, {"x": 1}]}


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}


def form(**fields: str) -> dict[str, str]:
    usual = {
        "name": "Hosted",
        "slug": "hosted",
        "provider_type": "openai_chat",
        "base_url": "https://example.com/v1",
        "credential": "hosted",
        "default_model": "fx-1",
        "enabled": "on",
        "timeout_s": "",
        "options": "{}",
    }
    return {**usual, **fields}


def errors(answer: Any) -> dict[str, list[str]]:
    assert answer.status_code == 200, "it was accepted"
    found: dict[str, list[str]] = answer.context["adminform"].form.errors
    return found


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_a_preset_fills_the_form_and_saves_as_it_stands(preset: Any, boss: Client) -> None:
    page = boss.get(f"{ADD}?preset={preset.slug}")
    filled = page.context["adminform"].form.initial
    assert (filled["slug"], filled["base_url"]) == (preset.slug, preset.base_url)
    assert preset.base_url in page.content.decode()

    sent = form(credential="", **{name: str(value) for name, value in preset.initial().items()})
    assert boss.post(f"{ADD}?preset={preset.slug}", sent).status_code == 302
    assert Provider.objects.get(slug=preset.slug).provider_type == preset.provider_type


@pytest.mark.parametrize(
    "base_url",
    [
        "ftp://example.com",
        "example.com/v1",
        "https://user:secret@example.com/v1",
        "https://example.com/v1?key=1",
        "http://169.254.169.254/v1",
        "http://metadata.google.internal/",
        "http://[fe80::1]/v1",
        "http://0.0.0.0/v1",
        "http://2852039166/v1",
    ],
)
def test_an_address_that_no_site_allows_is_refused(base_url: str, boss: Client, credential: Credential) -> None:
    assert "base_url" in errors(boss.post(ADD, form(base_url=base_url)))
    assert not Provider.objects.exists()


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1/v1", "http://localhost:1234", "http://0x7f.1/", "http://10.0.0.1"]
)
def test_a_private_address_is_a_setting(base_url: str, boss: Client, credential: Credential, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": False}
    assert "base_url" in errors(boss.post(ADD, form(base_url=base_url)))
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}
    assert boss.post(ADD, form(base_url=base_url)).status_code == 302


def test_a_host_without_a_dot_is_one(boss: Client, credential: Credential) -> None:
    assert boss.post(ADD, form(base_url="http://ollama:11434/v1")).status_code == 302


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("options", "[1]"),
        ("options", '{"body": 1}'),
        ("options", "{"),
        ("timeout_s", "0"),
        ("timeout_s", "-1"),
        ("timeout_s", "99999"),
        ("timeout_s", "nan"),
        ("slug", "a b"),
        ("base_url", ""),
    ],
)
def test_what_makes_no_sense_is_refused(field: str, value: str, boss: Client, credential: Credential) -> None:
    sent = form(**{"provider_type": "ollama" if field == "base_url" else "openai_chat", field: value})
    assert field in errors(boss.post(ADD, sent))


@pytest.mark.parametrize(
    "base_url", ["https://evil.example/v1", "https://example.com:8443/v1", "http://example.com/v1", ""]
)
def test_another_host_takes_the_key_off(base_url: str, boss: Client, provider: Provider) -> None:
    Provider.objects.update(status={"ok": True}, models_found=[{"id": "fx-1"}])
    answer = boss.post(CHANGE, form(base_url=base_url), follow=True)

    row = Provider.objects.get(slug="hosted")
    assert (row.base_url, row.credential_id, row.status, row.models_found) == (base_url, None, {}, [])
    assert "taken off" in answer.content.decode()
    assert Credential.objects.filter(slug="hosted").exists()


def test_another_path_of_the_same_host_keeps_the_key(boss: Client, provider: Provider) -> None:
    answer = boss.post(CHANGE, form(base_url="https://EXAMPLE.com:443/v2"), follow=True)

    assert Provider.objects.get(slug="hosted").credential_id == "hosted"
    assert "taken off" not in answer.content.decode()


def test_another_host_with_another_key_has_that_one(boss: Client, provider: Provider) -> None:
    credential_store("second", f"{CANARY}-2")
    boss.post(CHANGE, form(base_url="https://other.example/v1", credential="second"))
    assert Provider.objects.get(slug="hosted").credential_id == "second"


def test_only_who_may_replace_keys_sends_one_to_a_host(staff: Callable[..., Client], provider: Provider) -> None:
    browser = staff("add_provider", "change_provider", "view_credential")
    sent = form(slug="evil", base_url="https://evil.example/v1")
    assert browser.post(ADD, sent).status_code == 302
    assert Provider.objects.get(slug="evil").credential_id is None
    assert b'name="credential"' not in browser.get(ADD).content


def test_the_id_stays(boss: Client, provider: Provider) -> None:
    boss.post(CHANGE, form(slug="renamed"))
    assert list(Provider.objects.values_list("slug", flat=True)) == ["hosted"]


def ask(boss: Client, action: str = "test") -> str:
    answer = boss.post(LIST, {"action": action, "_selected_action": ["hosted"]}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def at(provider: Provider, base_url: str) -> Provider:
    Provider.objects.filter(pk=provider.pk).update(base_url=base_url)
    return provider


def test_the_test_asks_with_the_key_and_keeps_the_outcome(boss: Client, provider: Provider) -> None:
    with served(lambda got: replied(MODELS) if got.line.startswith("GET") else said("ready")) as upstream:
        at(provider, upstream.base_url)
        page = ask(boss)

    assert [got.line.split()[:2] for got in upstream.requests] == [
        ["GET", "/v1/models"],
        ["POST", "/v1/chat/completions"],
    ]
    assert {got.headers["authorization"] for got in upstream.requests} == {f"Bearer {CANARY}"}
    status = Provider.objects.get().status
    assert (status["ok"], status["code"], status["models"]) == (True, "", 2)
    assert "The provider Hosted answers" in page
    assert "answered" in page
    assert CANARY not in page


def test_the_button_on_the_page_tests_too(boss: Client, provider: Provider) -> None:
    with served(lambda got: replied(MODELS) if got.line.startswith("GET") else said("ready")) as upstream:
        at(provider, upstream.base_url)
        answer = boss.post("/admin/agentcore/provider/hosted/ask/", {"test": "1"}, follow=True)
        assert "Hosted answers" in answer.content.decode()
        answer = boss.post("/admin/agentcore/provider/hosted/ask/", {"refresh": "1"}, follow=True)
    assert "Hosted has 2 models" in answer.content.decode()
    assert boss.get("/admin/agentcore/provider/hosted/ask/").status_code == 405


def failing(status: int, payload: Any) -> Callable[[Received], Answer]:
    return lambda got: replied(payload, status)


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        (failing(401, {"error": {"message": f"bad key {CANARY}"}}), "PROVIDER_AUTH_FAILED"),
        (failing(429, {"error": {"message": "slow down"}}), "PROVIDER_RATE_LIMITED"),
        (failing(429, {"error": {"code": "insufficient_quota"}}), "PROVIDER_QUOTA_EXCEEDED"),
        (failing(503, b"down"), "PROVIDER_UNAVAILABLE"),
        (failing(302, b""), "PROVIDER_URL_FORBIDDEN"),
        (failing(404, b"nothing here"), "PROVIDER_BAD_RESPONSE"),
        (failing(200, b"<html>a web page</html>"), "PROVIDER_BAD_RESPONSE"),
        (failing(200, {"hello": "world"}), "PROVIDER_BAD_RESPONSE"),
        (lambda got: Answer(refusal=True), "PROVIDER_UNAVAILABLE"),
    ],
    ids=["auth", "rate", "quota", "down", "redirect", "path", "web-page", "other-json", "refused"],
)
def test_a_failed_test_says_what_to_do(
    answers: Callable[[Received], Answer], code: str, boss: Client, provider: Provider
) -> None:
    with served(answers) as upstream:
        at(provider, upstream.base_url)
        page = ask(boss)

    status = Provider.objects.get().status
    assert (status["ok"], status["code"]) == (False, code)
    assert code in page
    assert status["message"]
    assert CANARY not in page + json.dumps(status)


def test_a_list_without_a_key_proves_no_key(boss: Client, provider: Provider) -> None:
    """Some providers list their models to everybody: so the test also asks a model."""
    with served(lambda got: replied(MODELS) if got.line.startswith("GET") else replied({}, 401)) as upstream:
        at(provider, upstream.base_url)
        ask(boss)
    assert Provider.objects.get().status["code"] == "PROVIDER_AUTH_FAILED"


def test_nobody_answers(boss: Client, provider: Provider) -> None:
    with served(lambda got: replied({})) as upstream:
        port = upstream.port
    at(provider, f"http://127.0.0.1:{port}/v1")
    assert "PROVIDER_UNAVAILABLE" in ask(boss)


def test_a_forbidden_address_is_not_asked(boss: Client, provider: Provider, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": False}
    with served(lambda got: replied(MODELS)) as upstream:
        at(provider, upstream.base_url)
        page = ask(boss)
    assert upstream.requests == []
    assert "PROVIDER_URL_FORBIDDEN" in page


def test_too_slow_is_said(boss: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcore.providers.probe.LIST_S", 0.05)
    with served(lambda got: Answer(end="hang")) as upstream:
        at(provider, upstream.base_url)
        page = ask(boss)
    assert "PROVIDER_TIMEOUT" in page


def test_a_missing_key_is_said_before_anything_is_asked(boss: Client, provider: Provider) -> None:
    Credential.objects.update(token=b"")
    assert "PROVIDER_CREDENTIAL_MISSING" in ask(boss)


def test_the_mock_answers(boss: Client) -> None:
    Provider.objects.create(slug="hosted", provider_type="mock", name="mock.py", default_model="mock-1")
    assert "The provider mock.py answers" in ask(boss)
    assert "The provider mock.py has 1 model." in ask(boss, "refresh")


def test_models_are_listed_once_and_sorted(boss: Client, provider: Provider) -> None:
    with served(lambda got: replied(MODELS)) as upstream:
        at(provider, upstream.base_url)
        page = ask(boss, "refresh")

    row = Provider.objects.get()
    assert "Hosted has 2 models." in page
    assert [entry["id"] for entry in row.models_found] == ["fx-1", "fx-2"]
    assert row.models_found_at is not None
    assert "fx-2" in boss.get(CHANGE).content.decode()


def test_a_failed_refresh_keeps_the_list_there_was(boss: Client, provider: Provider) -> None:
    Provider.objects.update(models_found=[{"id": "old"}])
    with served(failing(500, b"")) as upstream:
        at(provider, upstream.base_url)
        assert "PROVIDER_UNAVAILABLE" in ask(boss, "refresh")
    assert Provider.objects.get().models_found == [{"id": "old"}]


def test_the_only_route_of_an_agent_protects_its_provider(boss: Client, agent: AgentProfile) -> None:
    address = reverse("admin:agentcore_provider_delete", args=["hosted"])
    assert "Assistant has no other route" in boss.get(address).content.decode()
    boss.post(address, {"post": "yes"})
    boss.post(LIST, {"action": "delete_selected", "_selected_action": ["hosted"], "post": "yes"})
    assert Provider.objects.filter(slug="hosted").exists()


def test_a_provider_goes_with_its_routes_where_others_are_left(boss: Client, agent: AgentProfile) -> None:
    other = Provider.objects.create(slug="other", provider_type="mock", name="Other", default_model="mock-1")
    AgentRoute.objects.create(agent=agent, provider=other, position=1)

    answer = boss.post(reverse("admin:agentcore_provider_delete", args=["hosted"]), {"post": "yes"})

    assert answer.status_code == 302
    assert not Provider.objects.filter(slug="hosted").exists()
    assert [route.provider_id for route in agent.routes.all()] == ["other"]


def test_two_providers_of_one_agent_cannot_go_together(boss: Client, agent: AgentProfile) -> None:
    other = Provider.objects.create(slug="other", provider_type="mock", name="Other", default_model="mock-1")
    AgentRoute.objects.create(agent=agent, provider=other, position=1)
    both = {"action": "delete_selected", "_selected_action": ["hosted", "other"], "post": "yes"}

    boss.post(LIST, both)

    assert Provider.objects.count() == 2


def test_the_service_deletes_nothing_where_an_agent_would_be_stranded(agent: AgentProfile) -> None:
    """Also when the agent lost its other route after the admin had asked."""
    Provider.objects.create(slug="idle", provider_type="mock", name="Idle")
    with pytest.raises(Conflict, match="Assistant"):
        providers_delete(["hosted", "idle"])
    assert Provider.objects.count() == 2
    assert agent.routes.count() == 1


def test_log_entries_name_fields_and_no_value(boss: Client, provider: Provider) -> None:
    boss.post(CHANGE, form(default_model="fx-2"))
    said = " ".join(entry.change_message for entry in LogEntry.objects.all())
    assert "efault model" in said
    assert CANARY not in said


def test_the_default_model_is_picked_from_what_the_provider_listed(boss: Client, provider: Provider) -> None:
    Provider.objects.update(models_found=[{"id": "fx-1"}, {"id": 'odd"><b'}, {"x": 1}])
    page = boss.get(CHANGE).content.decode()

    assert 'list="id_default_model-picks"' in page
    assert '<datalist id="id_default_model-picks"><option value="fx-1"></option>' in page
    assert '"><b' not in page
    assert 'maxlength="200"' in page
    assert boss.post(CHANGE, form(default_model="one-that-is-not-listed")).status_code == 302
