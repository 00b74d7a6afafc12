"""``STEWARD["PERMISSIONS"]``: what a site allows, asks about and denies, for everybody."""

from typing import Any

import pytest

from agentcore.agents.calls import FunctionCall, invoke
from agentcore.errors import PermissionDenied
from agentcore.events import EventType
from agentcore.messages import FunctionCallContent
from agentcore.policy import policy_of
from agentcore.runs.requests import RunRequest
from agentcore.runs.service import follow, start_run
from agentcore.tools import Caller, Effect, ToolContext
from toolsapp.checks import policy_messages
from toolsapp.decorator import define
from toolsapp.middleware import refuse_unapproved_effects
from toolsapp.registry import Registry
from toolsapp.toolset import RegisteredTools, tool_of

VIEW, CHANGE = "auth.view_group", "auth.change_group"


def act() -> str:
    """Act."""
    return "ran"


def registry_of(**options: Any) -> Registry:
    registry = Registry()
    registry._found = True
    registry.register(define(act, **options))
    return registry


async def called(**options: Any) -> Any:
    """What a call of a tool gives, through the layer and the tool itself."""
    tool = tool_of(define(act, **options))
    call = FunctionCall(call=FunctionCallContent("c", "act"), tool=tool, arguments={}, context=ToolContext())
    return (await refuse_unapproved_effects(call, invoke)).for_model


@pytest.mark.parametrize(
    ("listed", "permissions", "effect", "policy"),
    [
        ({}, [], Effect.READ, "allow"),
        ({}, [], Effect.WRITE, "confirm"),
        ({"act": "deny"}, [], Effect.READ, "deny"),
        ({"act": "confirm"}, [], Effect.READ, "confirm"),
        ({"act": "allow"}, [], Effect.DESTRUCTIVE, "allow"),
        ({CHANGE: "allow"}, [CHANGE], Effect.WRITE, "allow"),
        ({CHANGE: "confirm"}, [CHANGE], Effect.READ, "confirm"),
        ({CHANGE: "allow", VIEW: "deny"}, [CHANGE, VIEW], Effect.WRITE, "deny"),
        # The other one is not listed, and a change still asks for it.
        ({CHANGE: "allow"}, [CHANGE, VIEW], Effect.WRITE, "confirm"),
        ({"act": "allow", CHANGE: "deny"}, [CHANGE], Effect.WRITE, "allow"),
        ({"other": "deny"}, [], Effect.READ, "allow"),
    ],
)
def test_the_name_decides_and_else_the_strictest_permission(settings, listed, permissions, effect, policy):
    settings.STEWARD = {"PERMISSIONS": listed}
    assert policy_of("act", permissions, effect) == policy


@pytest.mark.django_db
def test_a_denied_tool_is_shown_to_nobody(settings, admin_user):
    toolset = RegisteredTools(registry_of())
    assert toolset.tools_for(Caller(user=admin_user))
    settings.STEWARD = {"PERMISSIONS": {"act": "deny"}}
    assert toolset.tools_for(Caller(user=admin_user)) == []


async def test_a_denied_tool_cannot_be_called_by_who_was_shown_it(settings):
    tool = tool_of(define(act))
    settings.STEWARD = {"PERMISSIONS": {"act": "deny"}}
    with pytest.raises(PermissionDenied):
        await tool.invoke({}, ToolContext())
    with pytest.raises(PermissionDenied, match="not allowed"):
        await called()


async def test_an_allowed_effect_runs_without_asking(settings):
    settings.STEWARD = {"PERMISSIONS": {"act": "allow"}}
    assert await called(effect="write") == "ran"


@pytest.mark.parametrize(("listed", "effect"), [({"act": "confirm"}, "read"), ({}, "write")])
async def test_what_wants_an_approval_is_refused_and_says_so(settings, listed, effect):
    settings.STEWARD = {"PERMISSIONS": listed}
    with pytest.raises(PermissionDenied, match="needs a person's approval"):
        await called(effect=effect)


@pytest.mark.parametrize(("name", "is_known"), [("act", True), (CHANGE, True), ("atc", False)])
def test_a_name_that_no_tool_has_is_a_warning(settings, name, is_known):
    settings.STEWARD = {"PERMISSIONS": {name: "deny"}}
    messages = policy_messages(registry_of(permission=CHANGE))
    assert [message.id for message in messages] == ([] if is_known else ["steward.W105"])
    assert all(f"the names are: act, {CHANGE}." in str(message.hint) for message in messages)
    assert all(name in message.msg for message in messages)


def test_names_are_not_looked_at_in_settings_that_cannot_be_read(settings):
    settings.STEWARD = {"PERMISSIONS": "all"}
    assert policy_messages(registry_of()) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("process")
@pytest.mark.parametrize(
    ("listed", "outcome"),
    [
        ({}, ("done", None)),
        ({"system.echo": "confirm"}, ("denied", "PERMISSION_DENIED")),
        # As every tool that was not offered.
        ({"system.echo": "deny"}, ("failed", "TOOL_NOT_FOUND")),
    ],
)
async def test_a_run_does_what_the_site_wants(settings, admin_user, listed, outcome):
    settings.STEWARD = {"PERMISSIONS": listed}
    request = RunRequest.parse({"input": '/tool system.echo {"text": "hi"}'})
    started = await start_run(request, user=admin_user)
    events = [event async for batch in follow(started.run_id) for event in batch]
    (done,) = [event.data for event in events if event.type is EventType.TOOL_CALL_COMPLETED]
    assert (done["status"], done["error"] and done["error"]["code"]) == outcome
