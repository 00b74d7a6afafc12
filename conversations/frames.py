"""Frames: what a client may say over the socket, checked, and what it is told."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from agentcore.conf import steward
from agentcore.errors import AgentError, PayloadTooLarge, ValidationFailed
from agentcore.text import clean_text

# A character is at most 12 when a client escapes all of them; the rest is for the other fields.
CHARACTERS_A_CHARACTER = 12
OTHER_FIELDS = 64 * 1024
LARGEST_SEQUENCE = 2**63 - 1
DECISIONS = ("allow_once", "allow_session", "deny")
ECHOED = ("send_id", "run_id")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """``about`` is what an answer repeats, so that the client knows what it is an answer to."""

    about: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Send(Frame):
    """``fields`` are those of a run's request."""

    send_id: str
    fields: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Stop(Frame):
    run_id: UUID


@dataclass(frozen=True, kw_only=True)
class Permission(Frame):
    run_id: UUID
    request_id: UUID
    decision: str
    arguments: dict[str, Any] | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Subscribe(Frame):
    run_id: UUID
    after_sequence: int


@dataclass(frozen=True, kw_only=True)
class Unsubscribe(Frame):
    run_id: UUID


@dataclass(frozen=True, kw_only=True)
class Ping(Frame):
    pass


@dataclass(frozen=True, kw_only=True)
class Refused(Frame):
    """A frame that could not be understood, and why."""

    error: AgentError


@dataclass(frozen=True, kw_only=True)
class Notice(Frame):
    """Not a client's: what another part of the site tells this socket, to be passed on in its turn."""

    frame: dict[str, Any]


def parse(text: str | None) -> Frame:
    """The frame in ``text``; None stands for a binary one. Whatever is wrong with it becomes a ``Refused``."""
    about: dict[str, str] = {}
    try:
        data = _object(text)
        about = _about(data)
        return _frame(data, about)
    except AgentError as error:
        return Refused(error=error, about=about)


def error_frame(error: AgentError, about: dict[str, str]) -> dict[str, Any]:
    return {"type": "error", **error.as_json(), **about}


def largest_frame() -> int:
    """In characters."""
    return CHARACTERS_A_CHARACTER * steward().MAX_INPUT_CHARS + OTHER_FIELDS


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        raise ValidationFailed(_("Send text frames; this one was binary."))
    if len(text) > largest_frame():
        raise PayloadTooLarge()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValidationFailed(_("The frame is not JSON.")) from None
    if not isinstance(data, dict):
        raise ValidationFailed(_("The frame is not a JSON object."))
    return data


def _about(data: dict[str, Any]) -> dict[str, str]:
    given = {name: data.get(name) for name in ECHOED}
    return {name: clean_text(value) for name, value in given.items() if isinstance(value, str) and len(value) <= 64}


def _frame(data: dict[str, Any], about: dict[str, str]) -> Frame:
    match data.get("type"):
        case "send":
            return _send(data, about)
        case "stop":
            return Stop(run_id=_uuid(data, "run_id"), about=about)
        case "permission":
            return _permission(data, about)
        case "subscribe":
            return Subscribe(run_id=_uuid(data, "run_id"), after_sequence=_after_sequence(data), about=about)
        case "unsubscribe":
            return Unsubscribe(run_id=_uuid(data, "run_id"), about=about)
        case "ping":
            return Ping(about=about)
        case _:
            raise ValidationFailed(_("There is no frame of this type."))


def _send(data: dict[str, Any], about: dict[str, str]) -> Send:
    send_id = _string(data, "send_id")
    if not 1 <= len(send_id) <= 64:
        raise _wrong("send_id")
    fields = {name: value for name, value in data.items() if name not in {"type", "text"}}
    return Send(send_id=send_id, fields=fields | {"input": _string(data, "text")}, about=about)


def _permission(data: dict[str, Any], about: dict[str, str]) -> Permission:
    decision, arguments, reason = data.get("decision"), data.get("arguments"), data.get("reason", "")
    if decision not in DECISIONS:
        raise _wrong("decision")
    if arguments is not None and not isinstance(arguments, dict):
        raise _wrong("arguments")
    if not isinstance(reason, str):
        raise _wrong("reason")
    return Permission(
        run_id=_uuid(data, "run_id"),
        request_id=_uuid(data, "request_id"),
        decision=str(decision),
        arguments=arguments,
        reason=clean_text(reason),
        about=about,
    )


def _after_sequence(data: dict[str, Any]) -> int:
    after = data.get("after_sequence")
    if after is None:
        return -1
    if type(after) is not int or not -1 <= after <= LARGEST_SEQUENCE:
        raise _wrong("after_sequence")
    return after


def _string(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise _wrong(name)
    return value


def _uuid(data: dict[str, Any], name: str) -> UUID:
    try:
        return UUID(_string(data, name))
    except ValueError:
        raise _wrong(name) from None


def _wrong(name: str) -> ValidationFailed:
    message = _("The field “%(name)s” is missing or wrong.") % {"name": name}
    return ValidationFailed(message, details={name: [message]})
