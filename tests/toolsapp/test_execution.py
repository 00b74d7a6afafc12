"""Calls of tools, sync and async."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404
from django.utils import translation

from agentcore.agents.context import RunContext, current_run, enter_run
from agentcore.errors import NotFound, PermissionDenied, ToolArgumentsInvalid, ToolFailed, ToolTimeout
from agentcore.pool import in_pool
from agentcore.tools import Caller, CancelToken, ToolContext, ToolResult
from toolsapp import execution
from toolsapp.decorator import define
from toolsapp.errors import ToolEscaped
from toolsapp.execution import invoke


async def call(function: Any, arguments: dict[str, Any] | None = None, **context: Any) -> Any:
    return (await invoke(define(function), arguments or {}, ToolContext(**context))).for_model


async def test_sync_tool_runs_in_the_tools_own_threads():
    def where() -> str:
        return threading.current_thread().name

    assert (await call(where)).startswith("steward-tool")


async def test_async_tool_runs_on_the_loop():
    async def where() -> bool:
        return asyncio.get_running_loop() is not None and threading.current_thread() is threading.main_thread()

    assert await call(where) is True


async def test_generators_of_both_kinds_are_read_to_the_end():
    def days() -> Iterator[date]:
        yield date(2026, 1, 2)

    async def words() -> AsyncIterator[str]:
        yield "a"
        yield "b"

    assert await call(days) == ["2026-01-02"]
    assert await call(words) == ["a", "b"]


@pytest.mark.django_db(transaction=True)
async def test_queryset_of_an_async_tool_is_read_off_the_loop():
    async def groups() -> Any:
        return Group.objects.filter(name="none")

    assert await call(groups) == []


@pytest.mark.parametrize("name", ["ctx", "whoever"])
async def test_context_is_filled_in_under_any_name(name):
    source = f"def whose({name}: ToolContext) -> str:\n    return {name}.caller.username\n"
    names: dict[str, Any] = {"ToolContext": ToolContext}
    exec(source, names)
    assert await call(names["whose"], caller=Caller(username="ann")) == "ann"
    with pytest.raises(ToolArgumentsInvalid):
        await call(names["whose"], {name: {"caller": {"username": "eve"}}}, caller=Caller(username="ann"))


async def test_function_is_not_called_with_arguments_that_do_not_fit():
    called = []

    def note(x: int) -> None:
        called.append(x)

    with pytest.raises(ToolArgumentsInvalid):
        await call(note, {"x": "no"})
    assert not called


async def test_tool_speaks_the_language_of_its_caller():
    def sync_language() -> str | None:
        return translation.get_language()

    async def async_language() -> str | None:
        return translation.get_language()

    caller = Caller(locale="zh-hans")
    assert await call(sync_language, caller=caller) == "zh-hans"
    assert await call(async_language, caller=caller) == "zh-hans"


async def test_sync_tool_sees_the_run_it_works_for():
    run = RunContext()
    enter_run(run)

    def mine() -> bool:
        return current_run() is run

    assert await call(mine) is True


class Missing(Group.DoesNotExist):
    pass


@pytest.mark.parametrize("raised", [Group.DoesNotExist("secret"), Http404("secret"), NotFound("secret")])
@pytest.mark.parametrize("is_async", [True, False])
async def test_missing_and_not_yours_read_the_same(raised, is_async):
    def sync_tool() -> None:
        raise raised

    async def async_tool() -> None:
        raise raised

    with pytest.raises(ToolFailed) as caught:
        await call(async_tool if is_async else sync_tool)
    assert caught.value.message == "There is no such thing, or it is not yours."
    assert caught.value.__cause__ is raised


async def test_named_errors_pass_and_the_rest_is_left_to_the_loop():
    def refuse() -> None:
        raise DjangoPermissionDenied

    def late() -> None:
        raise ToolTimeout("late")

    def broken() -> None:
        raise ZeroDivisionError("secret")

    with pytest.raises(PermissionDenied):
        await call(refuse)
    with pytest.raises(ToolTimeout, match="late"):
        await call(late)
    with pytest.raises(ZeroDivisionError):
        await call(broken)


async def test_stopped_sync_tool_is_told_and_may_end_itself():
    running, ended = threading.Event(), threading.Event()

    def slow(ctx: ToolContext) -> None:
        running.set()
        for _ in range(400):
            if ctx.cancel.is_cancelled:
                return ended.set()
            threading.Event().wait(0.005)
        return None

    token = CancelToken()
    task = asyncio.create_task(call(slow, cancel=token))
    await asyncio.to_thread(running.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    # A call that ends early, by its time limit for one, leaves the run's own token alone.
    assert not token.is_cancelled


async def test_run_that_is_stopped_is_seen_by_the_tool():
    token = CancelToken()
    token.cancel()

    def look(ctx: ToolContext) -> bool:
        return ctx.cancel.is_cancelled

    assert await call(look, cancel=token) is True


async def test_deaf_sync_tool_is_left_behind_after_the_grace(monkeypatch):
    monkeypatch.setattr(execution, "GRACE_S", 0.02)
    running, release = threading.Event(), threading.Event()

    def deaf() -> None:
        running.set()
        release.wait(10)

    task = asyncio.create_task(call(deaf))
    await asyncio.to_thread(running.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not release.is_set()
    release.set()


class Greeter:
    greeting = "Hello"

    def greet(self, name: str) -> str:
        """Greet."""
        return f"{self.greeting} {name}"

    async def agreet(self, name: str) -> str:
        return f"{self.greeting} {name}"


class Personal:
    def __init__(self, ctx: ToolContext) -> None:
        self.ctx = ctx

    def whoami(self) -> str:
        return self.ctx.caller.username


async def test_method_gets_an_object_built_for_the_call():
    assert await call(Greeter.greet, {"name": "Ann"}) == "Hello Ann"
    assert await call(Greeter.agreet, {"name": "Ann"}) == "Hello Ann"
    assert await call(Personal.whoami, caller=Caller(username="ann")) == "ann"


def viewer_of_groups() -> Any:
    user = get_user_model().objects.create_user("ann")
    user.user_permissions.add(Permission.objects.get(codename="view_group"))
    return user


@pytest.mark.django_db(transaction=True)
async def test_permission_is_checked_again_when_called():
    user = await in_pool(viewer_of_groups)()
    ran = []

    def groups() -> None:
        ran.append(1)

    definition = define(groups, permission="auth.view_group")
    context = ToolContext(caller=Caller(user=user))
    assert await invoke(definition, {}, context) == ToolResult()
    await in_pool(user.user_permissions.clear)()
    with pytest.raises(PermissionDenied):
        await invoke(definition, {}, context)
    assert ran == [1]


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration(5)])
async def test_what_would_end_the_process_stays_inside_a_sync_tool(raised):
    def leave() -> None:
        raise raised

    with pytest.raises(ToolEscaped, match=type(raised).__name__):
        await call(leave)


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
async def test_what_would_end_the_process_stays_inside_an_async_tool(raised):
    async def leave() -> None:
        raise raised

    with pytest.raises(ToolEscaped, match=type(raised).__name__):
        await call(leave)


def endless() -> Iterator[int]:
    yield from itertools.count()


async def endless_async() -> AsyncIterator[int]:
    for number in itertools.count():
        yield number


@pytest.mark.parametrize(
    "returned", ["x" * 1001, ["x" * 10] * 101, {"a": {"b": "x" * 1001}}], ids=["text", "list", "nested"]
)
async def test_result_that_is_too_long_fails_and_says_so(returned, settings):
    settings.STEWARD = {"MAX_TOOL_RESULT_CHARS": 1000}

    def long() -> Any:
        return returned

    with pytest.raises(ToolFailed, match="longer than 1000 characters"):
        await call(long)


@pytest.mark.parametrize("tool", [endless, endless_async])
async def test_result_without_an_end_is_read_no_further_than_it_may_be_long(tool, settings):
    settings.STEWARD = {"MAX_TOOL_RESULT_CHARS": 1000}

    with pytest.raises(ToolFailed, match="longer than 1000 characters"):
        await call(tool)


async def test_result_of_the_largest_size_passes(settings):
    settings.STEWARD = {"MAX_TOOL_RESULT_CHARS": 1000}

    def fits() -> str:
        return "x" * 999

    assert await call(fits) == "x" * 999
