"""Which tools a caller gets, and the built-in ones."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Permission
from django.utils import timezone

from agentcore.agents.calls import FunctionCall
from agentcore.errors import PermissionDenied, ToolArgumentsInvalid
from agentcore.messages import FunctionCallContent
from agentcore.tools import Caller, Effect, ToolContext, ToolResult
from toolsapp.decorator import agent_tool, define
from toolsapp.middleware import refuse_unapproved_effects
from toolsapp.registry import Registry
from toolsapp.toolset import RegisteredTools, tool_of


@pytest.fixture
def toolset() -> RegisteredTools:
    registry = Registry()
    registry._found = True
    for name, options in {
        "free": {},
        "hidden": {"hidden": True},
        "groups": {"permission": "auth.view_group"},
        "both": {"permission": ["auth.view_group", "auth.view_user"]},
        "unknown": {"permission": "auth.no_such_permission"},
        "malformed": {"permission": "whatever"},
    }.items():

        @agent_tool(name=name, registry=registry, **options)
        def tool() -> str:
            """A tool."""
            return "ran"

    return RegisteredTools(registry)


def names(toolset: RegisteredTools, user: Any) -> list[str]:
    return [tool.name for tool in toolset.tools_for(Caller(user=user))]


@pytest.mark.django_db
def test_caller_gets_what_their_permissions_allow(toolset):
    users = get_user_model().objects
    ann, root = users.create_user("ann"), users.create_superuser("root")
    assert names(toolset, None) == names(toolset, AnonymousUser()) == names(toolset, ann) == ["free"]
    ann.user_permissions.add(Permission.objects.get(codename="view_group"))
    assert names(toolset, users.get(pk=ann.pk)) == ["free", "groups"]
    assert names(toolset, root) == ["both", "free", "groups"]
    root.is_active = False
    assert names(toolset, root) == ["free"]


@pytest.mark.django_db
def test_tools_without_permissions_cost_no_query(django_assert_num_queries):
    ann = get_user_model().objects.create_user("ann")
    with django_assert_num_queries(0):
        assert RegisteredTools().tools_for(Caller(user=ann))


def test_tool_carries_what_was_declared():
    def find(place: str) -> None:
        """Find it."""

    definition = define(find, name="x.find", category="c", timeout_s=2, idempotent=True, summary="Find {place}")
    tool = tool_of(definition)
    assert (tool.name, tool.description, tool.category, tool.source) == ("x.find", "Find it.", "c", "app")
    assert (tool.effect, tool.timeout_s, tool.idempotent) == (Effect.READ, 2, True)
    assert tool.summary({"place": "here"}) == "Find here"
    assert tool.definition_hash == definition.definition_hash
    assert tool_of(definition) is tool


@pytest.mark.parametrize("effect", list(Effect))
async def test_only_reading_passes_without_an_approval(effect):
    ran = []

    def act() -> str:
        ran.append(1)
        return "ran"

    async def run(call: FunctionCall) -> ToolResult:
        return await call.tool.invoke(call.arguments, call.context)

    tool = tool_of(define(act, effect=effect))
    call = FunctionCall(call=FunctionCallContent("c", "act"), tool=tool, arguments={}, context=ToolContext())
    if effect is Effect.READ:
        assert (await refuse_unapproved_effects(call, run)).for_model == "ran"
        return
    with pytest.raises(PermissionDenied):
        await refuse_unapproved_effects(call, run)
    assert not ran


async def builtin(name: str, **arguments: Any) -> Any:
    (tool,) = [tool for tool in RegisteredTools().tools_for(Caller()) if tool.name == name]
    return (await tool.invoke(arguments, ToolContext())).for_model


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [(2, 3, 5), ("2", 3, 5), (2.5, 1, 3.5), (0.1, 0.2, 0.3), (10**30, 1, 10**30 + 1), (1e308, 1e308, "inf")],
)
async def test_math_add_adds_exactly(left, right, total):
    got = await builtin("math.add", left=left, right=right)
    assert (got, type(got)) == (total, type(total))


async def test_system_echo_gives_the_text_back():
    assert await builtin("system.echo", text="你好") == "你好"


async def test_time_now_is_now_where_asked():
    said = await builtin("time.now", timezone="Asia/Shanghai")
    moment = datetime.fromisoformat(said["now"])
    assert moment.utcoffset() == timedelta(hours=8)
    assert abs(timezone.now() - moment) < timedelta(seconds=30)
    assert said["date"] == moment.date().isoformat()
    assert (await builtin("time.now"))["timezone"] == "UTC"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "/etc/passwd", "a\x00b", "Europe", "x" * 10_000])
async def test_time_now_says_what_to_pass_for_an_unknown_zone(zone):
    with pytest.raises(ToolArgumentsInvalid, match="IANA") as caught:
        await builtin("time.now", timezone=zone)
    assert caught.value.details[0]["path"] == "timezone"
