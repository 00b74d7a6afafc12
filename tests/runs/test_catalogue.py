"""What a logged-in user may choose from."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Effect, Tool

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(user: Any, agent: AgentProfile) -> Client:
    logged_in = Client()
    logged_in.force_login(user)
    return logged_in


def test_agents_leave_disabled_ones_out(client: Client, agent: AgentProfile) -> None:
    AgentProfile.objects.create(slug="off", name="Off", enabled=False)

    results = client.get("/api/agents").json()["results"]

    first = {"provider_id": "mock", "model": "mock-1"}
    assert results == [
        {"agent": "assistant", "name": "Assistant", "description": "", "suggestions": [], "default": first}
    ]


def test_agents_name_the_model_that_is_asked_first(client: Client, agent: AgentProfile) -> None:
    fields = {"provider_type": "mock", "name": "X"}
    AgentProfile.objects.create(slug="bare", name="Bare")
    other = AgentProfile.objects.create(slug="other", name="Other")
    for slug, model, more in [("off", "x", {"enabled": False}), ("empty", "", {}), ("near", "big", {})]:
        provider = Provider.objects.create(slug=slug, default_model=model, **fields, **more)
        AgentRoute.objects.create(agent=other, provider=provider)

    found = {item["agent"]: item["default"] for item in client.get("/api/agents").json()["results"]}

    assert found["bare"] is None
    assert found["other"] == {"provider_id": "near", "model": "big"}


def test_models_say_why_one_is_not_available(client: Client) -> None:
    key = Credential.objects.create(slug="no-such-key", token=b"")
    Provider.objects.create(
        slug="far",
        provider_type="openai_chat",
        name="Far",
        default_model="far-1",
        credential=key,
        base_url="https://far",
    )
    Provider.objects.create(slug="off", provider_type="mock", name="Off", default_model="x", enabled=False)

    results = client.get("/api/models").json()["results"]

    assert [(item["provider_id"], item["model"], item["available"]) for item in results] == [
        ("far", "far-1", False),
        ("mock", "mock-1", True),
    ]
    assert "key" in results[0]["reason"]


def test_models_are_what_the_list_the_profile_and_the_corrections_say(client: Client) -> None:
    """A correction wins over the provider's word, and that over what is known of the family."""
    listed = [
        {"id": "gpt-4o", "name": "GPT-4o"},
        {"id": "own", "context_window": 5000},
        {"id": "text-embedding-3-small"},
    ]
    Provider.objects.create(slug="far", provider_type="openai_chat", name="Far", models_found=listed)
    Provider.objects.filter(pk="far").update(base_url="https://api.openai.com/v1")

    def told() -> dict[str, Any]:
        return {item["model"]: item for item in client.get("/api/models").json()["results"]}

    assert told()["gpt-4o"]["name"] == "GPT-4o"
    assert {"chat", "tool_calling", "vision"} <= set(told()["gpt-4o"]["capabilities"])
    assert told()["gpt-4o"]["context_window"] == 128000
    assert told()["own"]["context_window"] == 5000
    assert told()["text-embedding-3-small"]["capabilities"] == ["embeddings"]

    Provider.objects.filter(pk="far").update(profile={"context_window": 7000, "vision": False})
    assert {told()[name]["context_window"] for name in ("gpt-4o", "own")} == {7000}
    assert "vision" not in told()["gpt-4o"]["capabilities"]


def test_a_model_that_does_not_chat_is_not_available(client: Client) -> None:
    Provider.objects.create(
        slug="local",
        provider_type="openai_chat",
        name="Local",
        base_url="http://127.0.0.1:1/v1",
        models_found=[{"id": "chats"}, {"id": "text-embedding-3-small"}],
    )
    found = {item["model"]: item for item in client.get("/api/models").json()["results"]}
    assert found["chats"]["available"] is True
    assert found["chats"]["reason"] is None
    assert found["text-embedding-3-small"]["available"] is False
    assert found["text-embedding-3-small"]["reason"]
    assert found["mock-1"]["capabilities"] == ["chat", "streaming", "tool_calling"]


def test_tools_have_their_schema_and_effect(client: Client) -> None:
    tools = {tool["name"]: tool for tool in client.get("/api/tools").json()["results"]}

    assert tools["math.add"]["effect"] == "read"
    assert set(tools["math.add"]["parameters"]["properties"]) == {"left", "right"}


@pytest.mark.parametrize("path", ["/api/agents", "/api/models", "/api/tools"])
def test_catalogue_needs_a_login_and_takes_a_slash(client: Client, path: str) -> None:
    assert client.get(path + "/").status_code == 200
    assert Client().get(path).status_code == 401


class Unregistered:
    """A toolset of somebody else's, with a tool that reads and one that changes things."""

    def tools_for(self, caller: Caller) -> list[Tool]:
        effects = {"look": Effect.READ, "change": Effect.WRITE}
        return [replace(RecordingTool(name).tool(), effect=effect) for name, effect in effects.items()]


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        ({}, {"look": "allow", "change": "confirm"}),
        ({"look": "confirm"}, {"look": "confirm", "change": "confirm"}),
        ({"change": "allow"}, {"look": "allow", "change": "allow"}),
        ({"look": "deny"}, {"change": "confirm"}),
    ],
)
def test_the_permission_of_a_tool_is_what_the_site_says_of_it(
    settings: Any, client: Client, listed: dict[str, str], shown: dict[str, str]
) -> None:
    settings.STEWARD = {"PERMISSIONS": listed, "TOOLSETS": [f"{__name__}.Unregistered"]}

    tools = client.get("/api/tools").json()["results"]

    assert {tool["name"]: tool["permission"] for tool in tools} == dict(sorted(shown.items()))


@pytest.mark.parametrize("permission", ["allow", "confirm"])
def test_the_permission_of_a_registered_tool_is_what_the_site_says_of_it(
    settings: Any, client: Client, permission: str
) -> None:
    settings.STEWARD = {"PERMISSIONS": {"math.add": permission}}

    tools = {tool["name"]: tool for tool in client.get("/api/tools").json()["results"]}

    assert tools["math.add"]["permission"] == permission
