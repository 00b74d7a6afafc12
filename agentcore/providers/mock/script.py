"""The mock provider's script: what a user's message makes it do, a directive a line.

    /tool NAME {json}        calls the tool; several lines are parallel calls of one step; no JSON means no arguments
    /then                    what follows belongs to the next step
    /think TEXT              a reasoning delta for each word
    /stream N [MS]           N text deltas, MS milliseconds apart
    /fail CODE [N]           fails with that code once the step made N deltas, 0: before the first, wherever it stands
    /fail-once CODE [N]      the same, on the first attempt only
    /usage IN OUT [CACHED]   the usage that every call reports; ``/usage none`` reports none
    anything else            is said back, a run of such lines as one text

A line that looks like a directive and is not one (bad JSON, an unknown code, a number that is none) is anything else.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentcore.errors import BY_CODE
from agentcore.messages import Usage


@dataclass(frozen=True, slots=True)
class CallTool:
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Stream:
    """``pause_s`` is the time between two deltas, in seconds."""

    count: int
    pause_s: float


@dataclass(frozen=True, slots=True)
class Fail:
    """``after`` counts the deltas of the step, those of thinking too."""

    code: str
    after: int
    once: bool


@dataclass(frozen=True, slots=True)
class Say:
    text: str


Directive: TypeAlias = CallTool | Think | Stream | Fail | Say


@dataclass
class Script:
    """A parsed message. ``usage`` is None for the default count, and empty for none at all."""

    steps: list[list[Directive]] = field(default_factory=lambda: [[]])
    usage: Usage | None = None
    reports_usage: bool = True

    def step(self, number: int) -> list[Directive]:
        """The directives of the step with that number, from 0; empty when the script says nothing of it."""
        return self.steps[number] if number < len(self.steps) else []


_NUMBER = r"(\d{1,9})"
_TOOL = re.compile(r"/tool\s+(\S+)(?:\s+(\{.*\}))?")
_THINK = re.compile(r"/think\s+(.*\S)")
_STREAM = re.compile(rf"/stream\s+{_NUMBER}(?:\s+{_NUMBER})?", re.ASCII)
_FAIL = re.compile(rf"/fail(-once)?\s+([A-Z_]+)(?:\s+{_NUMBER})?", re.ASCII)
_USAGE = re.compile(rf"/usage\s+(?:none|{_NUMBER}\s+{_NUMBER}(?:\s+{_NUMBER})?)", re.ASCII)


def parse(text: str) -> Script:
    """The script of a message. Any text is one."""
    script = Script()
    for line in text.replace("\r\n", "\n").split("\n"):
        stripped = line.strip()
        if stripped == "/then":
            script.steps.append([])
        elif (usage := _USAGE.fullmatch(stripped)) is not None:
            _set_usage(script, usage)
        else:
            _add(script.steps[-1], _directive(stripped), line)
    script.steps = [_without_blank_edges(step) for step in script.steps]
    return script


def _add(step: list[Directive], directive: Directive | None, line: str) -> None:
    if directive is not None:
        step.append(directive)
    elif step and isinstance(step[-1], Say):
        step[-1] = Say(f"{step[-1].text}\n{line}")
    else:
        step.append(Say(line))


def _without_blank_edges(step: list[Directive]) -> list[Directive]:
    says = [Say(item.text.strip()) if isinstance(item, Say) else item for item in step]
    return [item for item in says if item != Say("")]


def _set_usage(script: Script, match: re.Match[str]) -> None:
    input_tokens, output_tokens, cached = match.groups()
    script.reports_usage = input_tokens is not None
    script.usage = Usage(
        input_tokens=int(input_tokens or 0), output_tokens=int(output_tokens or 0), cached_input_tokens=int(cached or 0)
    )


def _directive(line: str) -> Directive | None:
    for pattern, build in _FORMS:
        if (match := pattern.fullmatch(line)) is not None:
            return build(match)
    return None


def _refused(constant: str) -> None:
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(constant)


def _tool(match: re.Match[str]) -> Directive | None:
    try:
        arguments = json.loads(match[2] or "{}", parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return CallTool(match[1], arguments)


def _think(match: re.Match[str]) -> Directive:
    return Think(match[1])


def _stream(match: re.Match[str]) -> Directive:
    return Stream(int(match[1]), int(match[2] or 0) / 1000)


def _fail(match: re.Match[str]) -> Directive | None:
    return Fail(match[2], int(match[3] or 0), match[1] is not None) if match[2] in BY_CODE else None


_FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Directive | None]]] = [
    (_TOOL, _tool),
    (_THINK, _think),
    (_STREAM, _stream),
    (_FAIL, _fail),
]
