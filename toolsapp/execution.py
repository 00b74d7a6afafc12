"""Execution: one call of one tool, sync or async, from the model's arguments to a JSON result."""

import asyncio
import contextvars
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.db import connections
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from agentcore.conf import steward
from agentcore.errors import NotFound, PermissionDenied, ToolFailed
from agentcore.pool import Pool
from agentcore.tools import CancelToken, ToolContext, ToolResult
from toolsapp.arguments import validated
from toolsapp.bridge import amay_call_now
from toolsapp.definition import ToolDefinition
from toolsapp.errors import ToolEscaped
from toolsapp.permissions import is_denied
from toolsapp.results import as_result

# Threads for the site's own synchronous code: a slow tool must not hold up the runs' own reads and writes.
THREADS = 16
# How long a stopped tool that runs in a thread may take to notice its cancel token.
GRACE_S = 1.0

_pool = Pool(THREADS, "steward-tool")

_PLAIN = (str, int, float, bool, type(None))


class _CallToken(CancelToken):
    """The token of one call: set with the run's, but a call that timed out does not stop the run."""

    def __init__(self, run: CancelToken) -> None:
        super().__init__()
        self._run = run

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled or self._run.is_cancelled


async def invoke(definition: ToolDefinition, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    """Check, validate, call, and make JSON of what comes back.

    Raises:
        ToolArgumentsInvalid: the function was not called.
        PermissionDenied: the caller may not, or no longer.
        ToolFailed: what was asked for is missing or not theirs; both read the same.
        Exception: whatever else the function raises.
    """
    context = replace(context, cancel=_CallToken(context.cancel))
    with translation.override(context.locale), _named_failures():
        if is_denied(definition) or (definition.permissions and not await amay_call_now(definition, context.user)):
            raise PermissionDenied
        values = validated(definition.signature, arguments)
        values |= dict.fromkeys(definition.signature.contexts, context)
        if _is_async(definition.function):
            return await _awaited(definition, values, context)
        return await _in_thread(partial(_called, definition, values, context), context)


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _called(definition: ToolDefinition, values: dict[str, Any], context: ToolContext) -> ToolResult:
    # The result is made here, in the thread: a queryset or a generator does its work only when it is read.
    return as_result(definition.target(context)(**values))


async def _awaited(definition: ToolDefinition, values: dict[str, Any], context: ToolContext) -> ToolResult:
    with _nothing_escapes():
        target = definition.target(context)(**values)
        value = await (_listed(target) if inspect.isasyncgenfunction(definition.function) else target)
    if isinstance(value, _PLAIN):
        return as_result(value)
    return await _in_thread(partial(as_result, value), context)


async def _listed(items: AsyncIterator[Any]) -> list[Any]:
    """Everything that a tool yields; more than a result may hold is not read."""
    most = steward().MAX_TOOL_RESULT_CHARS
    listed: list[Any] = []
    async for item in items:
        listed.append(item)
        if len(listed) > most:
            break
    return listed


async def _in_thread(work: Callable[[], ToolResult], context: ToolContext) -> ToolResult:
    """Run ``work`` in the tools' own pool. When stopped, ask it to stop, wait a moment, and leave it behind."""
    future = _pool.submit(partial(contextvars.copy_context().run, _threaded, work, context.locale))
    result = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(result)
    except asyncio.CancelledError:
        context.cancel.cancel()
        if not future.cancel():
            await asyncio.wait({result}, timeout=GRACE_S)
        raise


def _threaded(work: Callable[[], ToolResult], locale: str) -> ToolResult:
    try:
        # Django's active language does not follow a copied context into a thread.
        with translation.override(locale), _nothing_escapes():
            return work()
    finally:
        # Tools come rarely and in bursts: sixteen idle connections a process would cost more than new ones.
        connections.close_all()


@contextmanager
def _nothing_escapes() -> Iterator[None]:
    """Only an ``Exception`` comes out, or the stop of the call itself.

    ``SystemExit`` would go through the task and end the process, ``StopIteration`` cannot leave a thread.

    Raises:
        ToolEscaped: in place of what else the tool raised.
    """
    try:
        yield
    except asyncio.CancelledError:
        raise
    except StopIteration as error:
        raise ToolEscaped("StopIteration") from error
    except Exception:
        raise
    except BaseException as error:
        raise ToolEscaped(type(error).__name__) from error


@contextmanager
def _named_failures() -> Iterator[None]:
    """Django's own refusals as the tree's; the original stays the cause, for the audit."""
    try:
        yield
    except DjangoPermissionDenied as error:
        raise PermissionDenied from error
    except (ObjectDoesNotExist, Http404, NotFound) as error:
        raise ToolFailed(_("There is no such thing, or it is not yours.")) from error
