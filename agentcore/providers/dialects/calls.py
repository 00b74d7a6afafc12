"""Tool calls, assembled from fragments that servers cut and label in many ways."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

from agentcore.chat import ModelEvent, ReasoningDelta, ToolCall
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.ids import uuid7
from agentcore.providers.dialects.extent import Extent
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.wire_json import is_deep

MAX_CALLS = 128


def _finite(text: str) -> float:
    """A number of JSON: PostgreSQL holds no infinity and no NaN, which Python reads and writes."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


# Not strict: models put raw line breaks into strings.
_JSON = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)


@dataclass
class OpenCall:
    """A call that is still arriving.

    ``name`` may go on in ``more_names``; ``objects`` are arguments that came as objects, not as text; ``leads`` are the
    provider's tokens for the thinking that led to it.
    """

    call_id: str = ""
    index: int | None = None
    name: str = ""
    more_names: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_length: int = 0
    extent: Extent = field(default_factory=Extent)
    objects: list[dict[str, Any]] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)

    def wire_name(self, names: WireNames) -> str:
        """The name that is a tool's: the first that came, the newest, or all of them joined."""
        joined = "".join([self.name, *self.more_names])
        return next((name for name in [joined, *self.more_names[-1:]] if names.knows(name)), self.name)


class CallAssembler:
    """Feed it fragments in order, then take the calls."""

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, *, call_id: str = "", index: int | None = None, name: str = "", arguments: Any = None) -> None:
        """One fragment. A known id wins over the index; without a new id or name it continues an open call.

        Raises:
            ProviderBadResponse: the arguments are neither text nor an object, or there are too many calls.
        """
        call = self._continued(call_id, index)
        if call is not None and call_id and _repeats(call, call_id, name, arguments):
            return
        if call is None or _begins_another(call, call_id, index, name, arguments):
            call = self._new()
        call.call_id = call.call_id or call_id
        call.index = index if call.index is None else call.index
        # A server may repeat the name with every fragment, or tell it in pieces before any argument.
        if name and call.name and name != call.name and not any(call.text):
            call.more_names.append(name)
        call.name = call.name or name
        if isinstance(arguments, str):
            call.text.append(arguments)
            call.text_length += len(arguments)
            call.extent.add(arguments)
        elif isinstance(arguments, dict):
            call.objects.append(arguments)
        elif arguments is not None:
            raise ProviderBadResponse()

    def _continued(self, call_id: str, index: int | None) -> OpenCall | None:
        """The call that a fragment with that label belongs to, if one does."""
        newest = self._calls[::-1]
        if same_id := [call for call in newest if call_id and call.call_id == call_id]:
            return next((call for call in same_id if call.index == index), same_id[0])
        if index is not None and (same_index := [call for call in newest if call.index == index]):
            # A new id on a used index is a new call; where there was none, the id comes late.
            return None if call_id and same_index[0].call_id else same_index[0]
        if call_id or not newest:
            return newest[0] if newest and not newest[0].call_id and index is None else None
        return newest[0]

    def _new(self) -> OpenCall:
        if len(self._calls) >= MAX_CALLS:
            raise ProviderBadResponse()
        self._calls.append(OpenCall())
        return self._calls[-1]

    def calls(self, names: WireNames) -> list[ToolCall]:
        """The whole calls, with ids that are unique.

        Raises:
            OutputTruncated: the arguments of one of them were cut off.
            ProviderBadResponse: they are no JSON object, a call has no name, or there are too many calls.
        """
        return [call for calls in whole_calls(self._calls, names) for call in calls]


def called(opened: list[OpenCall], names: WireNames) -> list[ModelEvent]:
    """The calls that ``opened`` hold, each with the tokens of its thinking directly before it. Raises as the next."""
    events: list[ModelEvent] = []
    for call, calls in zip(opened, whole_calls(opened, names), strict=True):
        events += [ReasoningDelta("", lead) for lead in call.leads]
        events += calls
    return events


def whole_calls(opened: list[OpenCall], names: WireNames) -> list[list[ToolCall]]:
    """The calls that each of ``opened`` holds, with ids that are unique over all.

    Raises:
        OutputTruncated: the arguments of one of them were cut off.
        ProviderBadResponse: they are no JSON object, a call has no name, or there are too many calls.
    """
    taken: set[str] = set()
    made = [_calls_in(call, names, taken) for call in opened]
    if sum(map(len, made)) > MAX_CALLS:
        raise ProviderBadResponse()
    return made


def _calls_in(call: OpenCall, names: WireNames, taken: set[str]) -> list[ToolCall]:
    if not call.name:
        raise ProviderBadResponse()
    made = []
    for arguments in call.objects or _argument_objects("".join(call.text)):
        _check_storable(arguments)
        call_id = call.call_id
        if not call_id or call_id in taken:
            call_id = f"call_{uuid7().hex}"
        taken.add(call_id)
        made.append(ToolCall(call_id, names.to_ours(call.wire_name(names)), arguments))
    return made


def _repeats(call: OpenCall, call_id: str, name: str, arguments: Any) -> bool:
    """Whether a fragment is all of a whole call once more, as some servers end a stream."""
    if call_id != call.call_id or name != call.name or not arguments:
        return False
    if not isinstance(arguments, str):
        return arguments in call.objects
    return len(arguments) == call.text_length and call.extent.is_whole and arguments == "".join(call.text)


def _begins_another(call: OpenCall, call_id: str, index: int | None, name: str, arguments: Any) -> bool:
    """Whether a fragment with a name, which could continue ``call``, is the start of another call.

    Servers without ids, or with one id for all, tell their calls apart by name and index only.
    """
    if not name or not call.name:
        return False
    whole = bool(call.objects) or call.extent.is_whole
    renamed = name != call.name
    if index is not None and call.index is not None and index != call.index:
        # With an id that is known, it may be a server that counts fragments.
        return not call_id or whole or renamed or not arguments
    if whole:
        return renamed or bool(arguments)
    # Without an index, and with nothing to add to yet, a name is all that tells.
    return renamed and index is None and not any(call.text)


def _check_storable(arguments: dict[str, Any]) -> None:
    """Those that came as an object were read with what surrounds them, those that came as text without its limits.

    Raises:
        ProviderBadResponse: a number in them is none of JSON, or they are too deep.
    """
    try:
        storable = not is_deep(json.dumps(arguments, allow_nan=False))
    except (ValueError, RecursionError):
        storable = False
    if not storable:
        raise ProviderBadResponse()


def _argument_objects(text: str) -> list[dict[str, Any]]:
    """The objects in ``text``: usually one, none written is an empty one, several are several calls."""
    found: list[dict[str, Any]] = []
    at = _skip_blanks(text, 0)
    while at < len(text):
        value, at = _decoded(text, at)
        found += _objects_in(value)
        if len(found) > MAX_CALLS:
            raise ProviderBadResponse()
        at = _skip_blanks(text, at)
    return found or [{}]


def _objects_in(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if isinstance(value, str):
        # Encoded twice.
        return _argument_objects(value) if value.strip()[:1] in {"", "{"} else _refused()
    return [value] if isinstance(value, dict) else _refused()


def _refused() -> list[dict[str, Any]]:
    raise ProviderBadResponse()


def _decoded(text: str, at: int) -> tuple[Any, int]:
    try:
        return _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        cut_off = _is_open(text[at:])
    raise OutputTruncated() if cut_off else ProviderBadResponse()


def _is_open(text: str) -> bool:
    """Whether JSON was cut off, rather than wrong: a string or a bracket in it never closes."""
    extent = Extent()
    extent.add(text)
    return extent.is_open


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
