"""Providers for programs: the life cycle, with keys that stay with their host, and lists that are stored."""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import Thread
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.utils import timezone

from agentcore.clock import CLOCK
from agentcore.models import AgentProfile, AgentRoute, Credential, ModelPrice, Provider
from agentcore.services.credentials import credential_declare, credential_store
from agentcore.services.providers import provider_save
from tests.admin.upstream import replied, served
from tests.fake_upstream import Answer, Received, said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

CANARY = "sk-CANARY-77-abcdef0123456789"
LIST, ONE, TEST = "/api/providers", "/api/providers/hosted", "/api/providers/test"
MODELS = {"object": "list", "data": [{"id": "fx-2"}, {"id": "fx-1", "context_window": 8192}, {"id": "fx-1"}]}
FIELDS = {
    *("provider_id", "provider_type", "name", "base_url", "default_model", "credential_id", "enabled", "timeout"),
    *("options", "profile", "capabilities", "status"),
}


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}


@pytest.fixture
def people(transactional_db: None) -> Callable[..., Client]:
    """The browser of somebody with these permissions of the ground; without any, of a superuser."""

    def logged_in(*codenames: str) -> Client:
        user = get_user_model().objects.create_user("somebody", is_superuser=not codenames)
        user.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
        client = Client()
        client.force_login(user)
        return client

    return logged_in


@pytest.fixture
def boss(people: Callable[..., Client]) -> Client:
    return people()


@pytest.fixture
def credential(transactional_db: None) -> Credential:
    return credential_store("hosted", CANARY)


@pytest.fixture
def provider(credential: Credential) -> Provider:
    return Provider.objects.create(
        slug="hosted",
        provider_type="openai_chat",
        name="Hosted",
        base_url="https://example.com/v1",
        default_model="fx-1",
        credential=credential,
    )


def send(client: Client, method: str, path: str, **body: Any) -> Any:
    return client.generic(method, path, json.dumps(body), "application/json")


def refused(answer: Any) -> tuple[int, str, Any]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["details"]


def wrong(answer: Any) -> set[str]:
    """The fields that a refusal names."""
    status, code, details = refused(answer)
    assert (status, code) == (400, "VALIDATION_ERROR")
    assert all(isinstance(text, str) and text for texts in details.values() for text in texts)
    return set(details)


def at(provider: Provider, base_url: str) -> None:
    Provider.objects.filter(pk=provider.pk).update(base_url=base_url)


def test_provider_is_added_and_read_with_every_field(boss: Client, credential: Credential) -> None:
    body = {
        "provider_id": "hosted",
        "provider_type": "openai_compatible",
        "name": "Hosted",
        "base_url": "https://example.com/v1",
        "default_model": "fx-1",
        "credential_id": "hosted",
        "enabled": False,
        "timeout": 9.5,
        "options": {"body": {"temperature": 0}},
        "profile": {"vision": True, "context_window": 1000},
    }
    answer = send(boss, "POST", LIST, **body)

    assert answer.status_code == 201
    assert answer.json().keys() == FIELDS
    assert {name: answer.json()[name] for name in body} == body | {"provider_type": "openai_chat"}
    assert "vision" in answer.json()["capabilities"]
    assert answer.json()["status"]["ok"] is None
    assert boss.get(ONE).json() == answer.json() == boss.get(LIST).json()["results"][0]


def test_type_and_id_are_enough(boss: Client) -> None:
    answer = send(boss, "POST", LIST, provider_id="m", provider_type="mock").json()

    assert (answer["name"], answer["base_url"], answer["default_model"]) == ("m", None, None)
    assert (answer["credential_id"], answer["enabled"], answer["timeout"], answer["options"]) == (None, True, None, {})
    assert answer["capabilities"] == ["chat", "streaming", "tool_calling"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("provider_id", "a b"),
        ("provider_id", "é"),
        ("provider_id", "x" * 65),
        ("provider_id", "test"),
        ("provider_id", "presets"),
        ("provider_id", None),
        ("provider_type", "telepathy"),
        ("provider_type", None),
        ("name", ""),
        ("name", None),
        ("name", "x" * 101),
        ("name", "a\0b"),
        ("name", "a\ud800b"),
        ("base_url", "x" * 501),
        ("base_url", 5.5),
        ("base_url", {}),
        ("default_model", "x" * 201),
        ("credential_id", "a b"),
        ("enabled", "perhaps"),
        ("enabled", None),
        ("timeout", 0),
        ("timeout", -1),
        ("timeout", 99999),
        ("timeout", "nan"),
        ("timeout", 10**400),
        ("options", [1]),
        ("options", {"body": 1}),
        ("options", None),
        ("profile", {"telepathy": True}),
        ("profile", {"tool_mode": "mind"}),
        ("profile", {"context_window": -1}),
        ("api_key", CANARY),
        ("status", {}),
    ],
)
def test_a_field_that_makes_no_sense_is_refused_by_its_name(field: str, value: Any, boss: Client) -> None:
    usual = {"provider_id": "hosted", "provider_type": "openai_chat", "base_url": "https://example.com"}
    answer = send(boss, "POST", LIST, **usual | {field: value})

    assert wrong(answer) == {field}
    assert CANARY not in answer.content.decode()
    assert not Provider.objects.exists()


@pytest.mark.parametrize("levels", [32, 400, 900])
def test_options_that_are_too_deep_are_refused(levels: int, boss: Client) -> None:
    deep: Any = {}
    for _level in range(levels):
        deep = {"a": deep}
    answer = send(boss, "POST", LIST, provider_id="m", provider_type="mock", options=deep)
    # Far down it is no JSON that could be read.
    assert wrong(answer) <= {"options", "non_field_errors"}


def test_what_no_database_holds_is_replaced_in_options(boss: Client) -> None:
    answer = send(boss, "POST", LIST, provider_id="m", provider_type="mock", options={"body": {"a": "x\0y"}})
    assert answer.json()["options"] == {"body": {"a": "x�y"}}


def test_address_of_its_own_is_needed_where_the_type_has_none(boss: Client) -> None:
    assert wrong(send(boss, "POST", LIST, provider_id="o", provider_type="ollama")) == {"base_url"}


def test_an_id_that_is_taken_is_a_conflict(boss: Client, provider: Provider) -> None:
    answer = send(boss, "POST", LIST, provider_id="hosted", provider_type="mock")
    assert refused(answer)[:2] == (409, "CONFLICT")
    assert Provider.objects.get().provider_type == "openai_chat"


def test_null_clears_and_what_is_left_out_stays(boss: Client, provider: Provider) -> None:
    Provider.objects.update(timeout_s=9, options={"body": {"a": 1}})
    answer = send(boss, "PATCH", ONE, base_url=None, default_model=None, credential_id=None, timeout=None)

    assert answer.status_code == 200
    cleared = ("base_url", "default_model", "credential_id", "timeout")
    assert [answer.json()[name] for name in cleared] == [None] * 4
    row = Provider.objects.get()
    assert (row.base_url, row.default_model, row.credential_id, row.timeout_s) == ("", "", None, None)
    assert (row.name, row.provider_type, row.options) == ("Hosted", "openai_chat", {"body": {"a": 1}})


def test_each_field_is_changed_alone(boss: Client, provider: Provider) -> None:
    changes = {"name": "Other", "enabled": False, "default_model": "fx-2", "timeout": 5.0, "options": {"body": {}}}
    before = boss.get(ONE).json()
    for name, value in changes.items():
        assert send(boss, "PATCH", ONE, **{name: value}).json()[name] == value
    assert boss.get(ONE).json() == before | changes


def test_the_id_stays(boss: Client, provider: Provider) -> None:
    assert wrong(send(boss, "PATCH", ONE, provider_id="renamed")) == {"provider_id"}
    assert send(boss, "PATCH", ONE, provider_id="hosted", name="N").json()["name"] == "N"


def test_nothing_sent_changes_nothing(boss: Client, provider: Provider) -> None:
    before = boss.get(ONE).json()
    assert send(boss, "PATCH", ONE).json() == before


def test_what_was_found_out_is_not_undone_by_a_change(boss: Client, provider: Provider) -> None:
    Provider.objects.update(models_found=[{"id": "fx-1"}], status={"ok": True})
    send(boss, "PATCH", ONE, name="Other")
    row = Provider.objects.get()
    assert (row.models_found, row.status) == ([{"id": "fx-1"}], {"ok": True})


@pytest.mark.parametrize(
    "base_url", ["https://evil.example/v1", "https://example.com:8443/v1", "http://example.com/v1", None]
)
def test_another_host_takes_the_key_off(base_url: str | None, boss: Client, provider: Provider) -> None:
    Provider.objects.update(status={"ok": True}, models_found=[{"id": "fx-1"}])
    answer = send(boss, "PATCH", ONE, base_url=base_url, credential_id="hosted").json()

    assert (answer["base_url"], answer["credential_id"], answer["status"]["ok"]) == (base_url, None, None)
    assert Provider.objects.get().models_found == []


def test_another_type_without_an_address_is_another_host(boss: Client, provider: Provider) -> None:
    Provider.objects.update(base_url="")
    assert send(boss, "PATCH", ONE, provider_type="anthropic").json()["credential_id"] is None


def test_another_host_with_another_key_has_that_one(boss: Client, provider: Provider) -> None:
    credential_store("second", f"{CANARY}-2")
    answer = send(boss, "PATCH", ONE, base_url="https://other.example/v1", credential_id="second")
    assert answer.json()["credential_id"] == "second"


def test_only_who_may_replace_keys_chooses_one(people: Callable[..., Client], provider: Provider) -> None:
    """Else a key could be sent to any host: by a new provider, by a change, or by a test."""
    credential_store("second", f"{CANARY}-2")
    client = people("add_provider", "change_provider", "view_provider", "view_credential")
    evil = {"provider_type": "openai_chat", "base_url": "https://evil.example/v1"}
    answers = [
        send(client, "POST", LIST, provider_id="evil", credential_id="hosted", **evil),
        send(client, "PATCH", ONE, credential_id="second"),
        send(client, "PATCH", ONE, base_url="https://evil.example/v1", credential_id="second"),
        send(client, "POST", TEST, credential_id="hosted", **evil),
        send(client, "POST", TEST, provider_id="hosted", credential_id="hosted", **evil),
    ]
    assert {refused(answer)[:2] for answer in answers} == {(403, "FORBIDDEN")}
    assert Provider.objects.get().base_url == "https://example.com/v1"


def test_others_leave_a_key_where_it_is_or_take_it_off(people: Callable[..., Client], provider: Provider) -> None:
    client = people("change_provider")
    kept = send(client, "PATCH", ONE, name="Other", credential_id="hosted").json()
    assert (kept["name"], kept["credential_id"]) == ("Other", "hosted")
    assert send(client, "PATCH", ONE, credential_id=None).json()["credential_id"] is None
    assert refused(send(client, "PATCH", ONE, credential_id="hosted"))[:2] == (403, "FORBIDDEN")


def test_a_key_that_was_taken_off_does_not_come_back_with_what_was_read_before(
    provider: Provider, boss: Client
) -> None:
    """Two changes at once: the second was read while the provider still had its key."""
    read = Provider.objects.get()
    send(boss, "PATCH", ONE, base_url="https://evil.example/v1")
    read.base_url = "https://evil.example/v1"

    with pytest.raises(Exception, match="meantime"):
        provider_save(read)

    assert Provider.objects.get().credential_id is None


def test_a_key_may_come_after_its_provider(boss: Client) -> None:
    body = {
        "provider_id": "o",
        "provider_type": "openai_chat",
        "base_url": "https://o.example",
        "credential_id": "later",
    }
    assert send(boss, "POST", LIST, **body).json()["credential_id"] == "later"
    assert send(boss, "POST", TEST, provider_id="o").json()["code"] == "PROVIDER_CREDENTIAL_MISSING"


def test_a_key_of_the_environment_can_be_chosen(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEWARD_CREDENTIAL_OUTSIDE", CANARY)
    body = {"provider_id": "o", "provider_type": "openai_chat", "credential_id": "outside"}
    assert send(boss, "POST", LIST, **body).json()["credential_id"] == "outside"
    assert Credential.objects.filter(slug="outside", token=b"").exists()


PERMISSIONS = [
    ("GET", LIST, "view_provider"),
    ("POST", LIST, "add_provider"),
    ("GET", "/api/providers/presets", "view_provider"),
    ("POST", TEST, "change_provider"),
    ("GET", ONE, "view_provider"),
    ("PATCH", ONE, "change_provider"),
    ("DELETE", ONE, "delete_provider"),
    ("GET", f"{ONE}/models", "view_provider"),
]


@pytest.mark.parametrize(("method", "path", "permission"), PERMISSIONS)
def test_each_method_has_its_permission(
    method: str, path: str, permission: str, people: Callable[..., Client], provider: Provider
) -> None:
    others = [name for _method, _path, name in PERMISSIONS if name != permission]
    client = people(*others, "change_credential")
    assert refused(send(client, method, path))[:2] == (403, "FORBIDDEN")

    user = get_user_model().objects.get()
    user.user_permissions.set(Permission.objects.filter(codename=permission))
    assert send(client, method, path).status_code in {200, 204, 400}


def test_unknown_providers_are_404(boss: Client) -> None:
    asked = [("GET", ONE), ("PATCH", ONE), ("DELETE", ONE), ("GET", f"{ONE}/models")]
    answers = [send(boss, *item) for item in asked] + [send(boss, "POST", TEST, provider_id="hosted")]
    assert {refused(answer)[:2] for answer in answers} == {(404, "NOT_FOUND")}


def test_the_only_route_of_an_agent_protects_its_provider(boss: Client, provider: Provider) -> None:
    agent = AgentProfile.objects.create(slug="assistant", name="Assistant")
    AgentRoute.objects.create(agent=agent, provider=provider)
    assert refused(send(boss, "DELETE", ONE)) == (409, "CONFLICT", [{"agent": "assistant"}])

    other = Provider.objects.create(slug="other", provider_type="mock", name="Other", default_model="mock-1")
    AgentRoute.objects.create(agent=agent, provider=other, position=1)

    assert send(boss, "DELETE", ONE).status_code == 204
    assert [route.provider_id for route in agent.routes.all()] == ["other"]
    assert Credential.objects.filter(slug="hosted").exists()


def test_presets_are_bodies_of_new_providers(boss: Client) -> None:
    presets = boss.get("/api/providers/presets").json()["results"]
    assert {"openai", "anthropic", "deepseek", "qwen", "ollama", "vllm"} <= {item["provider_id"] for item in presets}
    body = ("provider_id", "provider_type", "name", "base_url", "default_model")
    statuses = [send(boss, "POST", LIST, **{name: preset[name] for name in body}).status_code for preset in presets]
    assert set(statuses) == {201}


def listing(payload: Any = MODELS, status: int = 200) -> Callable[[Received], Answer]:
    """An upstream that lists models, and answers every chat with a word."""
    return lambda got: replied(payload, status) if got.line.startswith("GET") else said("ready")


def test_a_test_keeps_its_outcome_and_shows_no_key(boss: Client, provider: Provider) -> None:
    with served(listing()) as upstream:
        at(provider, upstream.base_url)
        answer = send(boss, "POST", TEST, provider_id="hosted")

    assert {got.headers["authorization"] for got in upstream.requests} == {f"Bearer {CANARY}"}
    outcome = answer.json()
    assert (answer.status_code, outcome["ok"], outcome["code"], outcome["models"]) == (200, True, "", ["fx-1", "fx-2"])
    status = boss.get(ONE).json()["status"]
    assert (status["ok"], status["model_count"], status["duration_ms"]) == (True, 2, outcome["duration_ms"])
    assert status["age_s"] < 60
    assert CANARY not in answer.content.decode() + boss.get(ONE).content.decode()


def test_a_definition_is_tested_without_being_stored(boss: Client, credential: Credential) -> None:
    with served(listing()) as upstream:
        body = {"provider_type": "openai_compatible", "base_url": upstream.base_url, "credential_id": "hosted"}
        answer = send(boss, "POST", TEST, **body)

    assert (answer.json()["ok"], answer.json()["models"]) == (True, ["fx-1", "fx-2"])
    assert upstream.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    assert not Provider.objects.exists()


@pytest.mark.parametrize("body", [{}, {"base_url": "https://example.com"}, {"provider_id": "hosted", "name": "x"}])
def test_a_test_of_neither_kind_is_refused(body: dict[str, Any], boss: Client, provider: Provider) -> None:
    assert wrong(send(boss, "POST", TEST, **body)) == {"provider_type"}


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        (listing({"error": {"message": f"bad key {CANARY}"}}, 401), "PROVIDER_AUTH_FAILED"),
        (listing({"error": {"message": "slow down"}}, 429), "PROVIDER_RATE_LIMITED"),
        (listing({"error": {"code": "insufficient_quota"}}, 429), "PROVIDER_QUOTA_EXCEEDED"),
        (listing(b"down", 503), "PROVIDER_UNAVAILABLE"),
        (listing(b"", 302), "PROVIDER_URL_FORBIDDEN"),
        (lambda got: replied(b"nothing here", 404), "PROVIDER_BAD_RESPONSE"),
        (listing(b"<html>a web page</html>"), "PROVIDER_BAD_RESPONSE"),
        (listing({"hello": "world"}), "PROVIDER_BAD_RESPONSE"),
        (lambda got: Answer(refusal=True), "PROVIDER_UNAVAILABLE"),
    ],
    ids=["auth", "rate", "quota", "down", "redirect", "path", "web-page", "other-json", "refused"],
)
def test_a_failed_test_is_an_answer_with_its_code(
    answers: Callable[[Received], Answer], code: str, boss: Client, provider: Provider
) -> None:
    with served(answers) as upstream:
        at(provider, upstream.base_url)
        stored = send(boss, "POST", TEST, provider_id="hosted")
        body = {"provider_type": "openai_chat", "default_model": "fx-1", "credential_id": "hosted"}
        unsaved = send(boss, "POST", TEST, base_url=upstream.base_url, **body)

    for answer in (stored, unsaved):
        outcome = answer.json()
        assert (answer.status_code, outcome["ok"], outcome["code"]) == (200, False, code)
        assert outcome["message"]
        assert outcome["advice"]
        assert CANARY not in answer.content.decode()
    assert boss.get(ONE).json()["status"]["code"] == code


def test_an_empty_list_is_told_from_none(boss: Client, provider: Provider) -> None:
    Provider.objects.update(default_model="")
    with served(listing({"data": []})) as upstream:
        at(provider, upstream.base_url)
        empty = send(boss, "POST", TEST, provider_id="hosted").json()
    with served(listing(b"", 404)) as upstream:
        at(provider, upstream.base_url)
        none = send(boss, "POST", TEST, provider_id="hosted").json()
    assert (empty["code"], empty["models"]) == ("MODEL_NOT_FOUND", [])
    assert (none["code"], none["models"]) == ("PROVIDER_BAD_REQUEST", None)


def test_too_slow_is_said(boss: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcore.providers.probe.LIST_S", 0.05)
    with served(lambda got: Answer(end="hang")) as upstream:
        at(provider, upstream.base_url)
        assert send(boss, "POST", TEST, provider_id="hosted").json()["code"] == "PROVIDER_TIMEOUT"


def test_a_missing_key_is_told_from_one_that_cannot_be_read(boss: Client, provider: Provider, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "CREDENTIAL_KEYS": [Fernet.generate_key().decode()]}
    lost = send(boss, "POST", TEST, provider_id="hosted").json()
    Credential.objects.update(token=b"")
    missing = send(boss, "POST", TEST, provider_id="hosted").json()

    assert lost["code"] == missing["code"] == "PROVIDER_CREDENTIAL_MISSING"
    assert "decrypted" in lost["message"]
    assert "decrypted" not in missing["message"]


def test_an_outcome_of_another_host_is_not_kept(boss: Client, provider: Provider) -> None:
    """Somebody changes the provider while it is being tested."""

    def move() -> None:
        row = Provider.objects.get()
        row.base_url = "https://other.example/v1"
        provider_save(row)
        connection.close()

    def moved(got: Received) -> Answer:
        if got.line.startswith("GET"):
            somebody = Thread(target=move)
            somebody.start()
            somebody.join()
        return replied(MODELS)

    with served(moved) as upstream:
        at(provider, upstream.base_url)
        send(boss, "POST", TEST, provider_id="hosted")

    row = Provider.objects.get()
    assert (row.status, row.credential_id) == ({}, None)


def test_models_are_read_from_the_store(boss: Client, provider: Provider) -> None:
    found = [{"id": "b", "name": "B", "context_window": 8192}, {"id": "a"}, {"id": "a"}, {"x": 1}]
    Provider.objects.update(models_found=found, models_found_at=CLOCK.now() - timedelta(hours=1))
    prices = {"input_per_mtok": Decimal(1), "output_per_mtok": Decimal(2)}
    ModelPrice.objects.create(provider=provider, model="b", valid_from=CLOCK.now(), **prices)
    ModelPrice.objects.create(provider=provider, model="a", valid_from=CLOCK.now() + timedelta(days=1), **prices)

    answer = boss.get(f"{ONE}/models").json()

    assert [(item["id"], item["name"], item["priced"]) for item in answer["results"]] == [
        ("a", "a", False),
        ("b", "B", True),
    ]
    assert answer["results"][1]["context_window"] == 8192
    assert "chat" in answer["results"][0]["capabilities"]
    assert 3500 < answer["age_s"] < 3700


def test_the_mock_need_not_be_asked(boss: Client) -> None:
    Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    assert [model["id"] for model in boss.get("/api/providers/mock/models").json()["results"]] == ["mock-1"]


def test_shipped_prices_are_known(boss: Client, provider: Provider) -> None:
    Provider.objects.update(base_url="", models_found=[{"id": "gpt-4o"}, {"id": "nobodys-model"}])
    models = boss.get(f"{ONE}/models").json()["results"]
    assert [item["priced"] for item in models] == [True, False]


def test_a_list_that_was_never_read_has_no_age(people: Callable[..., Client], provider: Provider) -> None:
    answer = people("view_provider").get(f"{ONE}/models").json()
    assert answer == {"results": [], "next": None, "previous": None, "at": None, "age_s": None, "discovery": None}


def test_a_refresh_asks_the_provider(people: Callable[..., Client], provider: Provider) -> None:
    client = people("view_provider", "change_provider")
    with served(listing()) as upstream:
        at(provider, upstream.base_url)
        first = client.get(f"{ONE}/models").json()
        assert client.get(f"{ONE}/models").json()["results"] == first["results"]
        assert len(upstream.requests) == 1, "a provider that was never asked is asked once"
        answer = client.get(f"{ONE}/models?refresh=true").json()
        assert len(upstream.requests) == 2
        assert client.get(f"{ONE}/models?refresh=false").json()["results"] == answer["results"]
    assert [item["id"] for item in answer["results"]] == ["fx-1", "fx-2"]
    assert (answer["discovery"]["ok"], answer["discovery"]["model_count"]) == (True, 2)


def test_a_failed_refresh_keeps_the_list_and_says_why(boss: Client, provider: Provider) -> None:
    Provider.objects.update(models_found=[{"id": "old"}], status={"ok": True})
    with served(listing(b"", 500)) as upstream:
        at(provider, upstream.base_url)
        answer = boss.get(f"{ONE}/models?refresh=1").json()
    assert [item["id"] for item in answer["results"]] == ["old"]
    assert (answer["discovery"]["ok"], answer["discovery"]["code"]) == (False, "PROVIDER_UNAVAILABLE")
    assert boss.get(ONE).json()["status"]["ok"] is True


def test_a_refresh_needs_the_permission_to_change(people: Callable[..., Client], provider: Provider) -> None:
    client = people("view_provider")
    assert refused(client.get(f"{ONE}/models?refresh=true"))[:2] == (403, "FORBIDDEN")
    assert wrong(client.get(f"{ONE}/models?refresh=maybe")) == {"refresh"}


def test_two_thousand_models_cost_few_queries(
    boss: Client, provider: Provider, django_assert_max_num_queries: Any
) -> None:
    found = [{"id": f"m-{number:04}"} for number in range(2000)]
    Provider.objects.update(models_found=found, models_found_at=timezone.now())
    with django_assert_max_num_queries(6):
        answer = boss.get(f"{ONE}/models").json()
    assert len(answer["results"]) == 2000


def test_an_unreadable_key_breaks_no_endpoint(boss: Client, provider: Provider, settings: Any) -> None:
    credential_declare("nowhere")
    settings.STEWARD = {**settings.STEWARD, "CREDENTIAL_KEYS": [Fernet.generate_key().decode()]}
    paths = [LIST, ONE, f"{ONE}/models", f"{ONE}/models?refresh=1", "/api/models", "/api/credentials/hosted"]
    assert {path: boss.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)
    assert boss.get("/api/models").json()["results"][0]["available"] is False
