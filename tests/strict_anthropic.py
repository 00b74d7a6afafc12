"""Anthropic's Messages API as strict as it is: it answers 400 to what the real one refuses.

async with FakeUpstream(strictly(Answer(writes=[…]))) as upstream: ...
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tests.fake_upstream import Answer, Received

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PICTURES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
# What each kind of block must hold, and more than blanks of it.
_FIELDS = {
    "text": ("text",),
    "thinking": ("signature",),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name"),
    "tool_result": ("tool_use_id",),
    "image": ("source",),
}


def strictly(answer: Answer) -> Callable[[Received], Answer]:
    """``answer`` to a request that may be sent, else a refusal."""

    def judge(received: Received) -> Answer:
        faults = [*_head_faults(received), *faults_of(received.json)]
        return answer if not faults else _refusal("; ".join(faults))

    return judge


def _refusal(message: str) -> Answer:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return Answer(status=400, headers={"content-type": "application/json"}, writes=[json.dumps(error).encode()])


def _head_faults(received: Received) -> Iterator[str]:
    if not received.line.startswith("POST /v1/messages HTTP"):
        yield f"{received.line} is no address"
    for name in ("x-api-key", "anthropic-version"):
        if not received.headers.get(name):
            yield f"{name}: header is required"


def faults_of(body: dict[str, Any]) -> list[str]:
    """Why the request would be refused, a sentence each."""
    turns = body.get("messages") or []
    blocks = [block for turn in turns for block in turn["content"]]
    marks = [*(body.get("system") or []), *(body.get("tools") or []), *blocks]
    return [
        *([] if body.get("max_tokens", 0) > 0 else ["max_tokens: must be greater than or equal to 1"]),
        *_turn_faults(turns),
        *_pairing_faults(turns),
        *(fault for block in [*(body.get("system") or []), *blocks] for fault in _block_faults(block)),
        *_tool_faults(body, blocks),
        *(["a maximum of 4 blocks with cache_control"] if sum("cache_control" in mark for mark in marks) > 4 else []),
    ]


def _turn_faults(turns: list[dict[str, Any]]) -> Iterator[str]:
    roles = [turn["role"] for turn in turns]
    if not roles or roles[0] != "user":
        yield 'first message must use the "user" role'
    if roles and roles[-1] != "user":
        yield "this model does not support assistant message prefill"
    if any(one == other for one, other in pairwise(roles)):
        yield "roles must alternate"
    if not set(roles) <= {"user", "assistant"}:
        yield "there are only users and assistants"
    if not all(turn["content"] for turn in turns):
        yield "all messages must have non-empty content"


def _pairing_faults(turns: list[dict[str, Any]]) -> Iterator[str]:
    owed: list[str] = []
    seen: set[str] = set()
    for turn in turns:
        kinds = [block["type"] for block in turn["content"]]
        answered = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        if sorted(answered) != sorted(owed) or kinds[: len(answered)] != ["tool_result"] * len(answered):
            yield f"tool_use ids were found without tool_result blocks immediately after: {owed}, but {answered}"
        owed = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        if len({*owed}) < len(owed) or seen & {*owed}:
            yield "tool_use ids must be unique"
        seen |= {*owed}


def _block_faults(block: dict[str, Any]) -> Iterator[str]:
    kind = block["type"]
    if kind not in _FIELDS:
        yield f"{kind} is no kind of block"
    for field in _FIELDS.get(kind, ()):
        if not block.get(field) or not str(block[field]).strip():
            yield f"{kind}.{field}: must not be empty"
    if kind == "thinking" and "thinking" not in block:
        yield "each thinking block must contain thinking"
    if "thinking" in kind and "cache_control" in block:
        yield "thinking.cache_control: extra inputs are not permitted"
    if kind == "tool_use" and not (_ID.fullmatch(block["id"]) and isinstance(block.get("input"), dict)):
        yield "tool_use.id: string should match pattern"
    if kind == "image" and block["source"]["type"] == "base64" and block["source"]["media_type"] not in _PICTURES:
        yield "image.source.media_type: input should be a picture"


def _tool_faults(body: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[str]:
    tools = body.get("tools") or []
    if any(block["type"] == "tool_use" for block in blocks) and not tools:
        yield "requests which include tool_use blocks must define tools"
    if "tool_choice" in body and not tools:
        yield "tool_choice may only be specified while providing tools"
    for tool in tools:
        schema = tool["input_schema"]
        if not _NAME.fullmatch(tool["name"]):
            yield "tools.name: string should match pattern"
        if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf"} & schema.keys():
            yield "tools.input_schema: must be an object without unions at its top"
