"""Ollama's own chat: JSON lines, arguments as objects, options in a place of their own.

Source: https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
"""

from typing import Any

from agentcore.chat import ChatRequest
from agentcore.providers.dialects import Dialect, ModelListed
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.ollama_decoder import OllamaDecoder
from agentcore.providers.dialects.ollama_messages import encoded_messages, takes_picture
from agentcore.providers.dialects.openai_models import models as models_in
from agentcore.providers.dialects.openai_stream import bearer
from agentcore.providers.json_lines import JsonLineSplitter
from agentcore.providers.profile import Target


def encode(request: ChatRequest, target: Target) -> dict[str, Any]:
    """The request body. The option ``body`` is laid over it, its ``options`` over those: ``num_ctx`` is set there.

    There is no choice of tools on this wire. When none may be called the definitions stay all the same: the history
    may hold calls of them, without definitions the server would show a call as text, and a call is not carried out.
    """
    names = WireNames.of(request)
    laid_over = dict(target.options.get("body", {}))
    options = _options(request) | (laid_over.pop("options", None) or {})
    body: dict[str, Any] = {
        "model": request.model,
        "messages": encoded_messages(request.messages, names, target.profile.replay_reasoning),
        "tools": _tools(request, names) or None,
        "stream": True,
        # A model that does not think refuses to be told to.
        "think": True if target.profile.reasoning else None,
        "format": request.options.response_schema,
        "options": {key: value for key, value in options.items() if value is not None} or None,
    }
    return {key: value for key, value in (body | laid_over).items() if value is not None}


def _options(request: ChatRequest) -> dict[str, Any]:
    return {"num_predict": request.options.max_output_tokens, "temperature": request.options.temperature}


def _tools(request: ChatRequest, names: WireNames) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": names.to_wire(tool.name),
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in sorted(request.tools, key=lambda tool: tool.name)
    ]


def models(payload: Any) -> list[ModelListed]:
    """The models that were pulled.

    Raises:
        ProviderBadResponse: it is no list of models.
    """
    if not isinstance(payload, dict) or "models" not in payload:
        return models_in(None)
    entries = payload["models"] or []
    return models_in([_named(entry) for entry in entries] if isinstance(entries, list) else None)


def _named(entry: Any) -> dict[str, Any]:
    return {"id": entry.get("model") or entry.get("name")} if isinstance(entry, dict) else {}


OLLAMA = Dialect(
    path="/api/chat",
    models_path="/api/tags",
    default_base_url="http://127.0.0.1:11434",
    # The server itself knows no key; what stands before it may.
    headers=bearer,
    encode=encode,
    decoder=OllamaDecoder,
    models=models,
    splitter=JsonLineSplitter,
    takes_picture=takes_picture,
    base_endings=("/api", "/v1"),
)
