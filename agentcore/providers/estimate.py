"""Tokens, estimated: for an upstream that reports none, and for an answer that was cut off."""

import json
import re
from collections.abc import Iterable

from agentcore.chat import ChatRequest, Collector, ReasoningDelta, TextDelta
from agentcore.messages import (
    Content,
    FunctionCallContent,
    FunctionResultContent,
    ReasoningContent,
    TextContent,
    Usage,
)

# About 4 ASCII characters or 1 CJK character a token; other scripts lie between.
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
CHARACTERS_A_TOKEN = 4
TOKENS_A_MESSAGE = 4


def estimated_tokens(text: str) -> int:
    """Tokens of ``text``, rounded up."""
    wide = 0 if text.isascii() else len(_CJK.findall(text))
    return wide + -(-(len(text) - wide) // CHARACTERS_A_TOKEN)


def content_text(content: Content) -> str:
    """What of ``content`` a model reads or writes as text."""
    match content:
        case TextContent() | ReasoningContent():
            return content.text
        case FunctionCallContent():
            return f"{content.name} {compact_json(content.arguments)}"
        case FunctionResultContent():
            return compact_json(content.result if content.error is None else content.error)
        case _:
            return ""


def compact_json(value: object) -> str:
    """``value`` as JSON without blanks; what JSON does not know becomes text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def estimated_input(request: ChatRequest) -> int:
    """Tokens of a request, its tool schemas included."""
    tokens = sum(TOKENS_A_MESSAGE + _of_contents(message.contents) for message in request.messages)
    schemas = ((tool.name, tool.description, tool.parameters) for tool in request.tools)
    return tokens + sum(estimated_tokens(compact_json(schema)) for schema in schemas)


def _of_contents(contents: Iterable[Content]) -> int:
    return sum(estimated_tokens(content_text(content)) for content in contents)


def estimated_usage(request: ChatRequest, collected: Collector) -> Usage:
    """The usage of a call that was sent ``request`` and answered what was ``collected``."""
    said = collected.said
    reasoning = estimated_tokens("".join(item.text for item in said if isinstance(item, ReasoningDelta)))
    text = estimated_tokens("".join(item.text for item in said if isinstance(item, TextDelta)))
    called = sum(estimated_tokens(f"{call.name} {compact_json(call.arguments)}") for call in collected.calls)
    return Usage(
        input_tokens=estimated_input(request),
        output_tokens=reasoning + text + called,
        reasoning_tokens=reasoning,
        estimated=True,
    )
