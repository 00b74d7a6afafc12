"""Which chat client speaks to which provider."""

from typing import Any

from django.utils.translation import gettext as _

from agentcore.chat import ChatCall, ChatClient, ChatResponse
from agentcore.clock import CLOCK, Clock
from agentcore.errors import ProviderBadRequest, ProviderCredentialMissing, ProviderError
from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.anthropic import ANTHROPIC
from agentcore.providers.dialects.ollama import OLLAMA
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.dialects.openai_responses import OPENAI_RESPONSES
from agentcore.providers.http import HttpChatClient
from agentcore.providers.mock.client import MockChatClient
from agentcore.providers.spec import PROVIDER_TYPES, ProviderSpec, Timeouts

DIALECTS: dict[str, Dialect] = {
    "openai_chat": OPENAI_CHAT,
    "openai_responses": OPENAI_RESPONSES,
    "anthropic": ANTHROPIC,
    "ollama": OLLAMA,
}


def client_for(
    spec: ProviderSpec, *, timeouts: Timeouts | None = None, allow_private: bool = False, clock: Clock = CLOCK
) -> ChatClient:
    """The client of a provider. It connects only when it is called.

    Raises:
        ProviderCredentialMissing: a key is set up for the provider and cannot be had.
        ProviderBadRequest: the type is unknown.
    """
    kind = spec.canonical_type
    if kind not in PROVIDER_TYPES:
        raise ProviderBadRequest(_("There is no provider type %(type)s.") % {"type": spec.provider_type})
    if spec.lacks_key:
        raise ProviderCredentialMissing()
    if kind == "mock":
        return MockChatClient(spec.provider_id, clock=clock)
    return HttpChatClient(spec, DIALECTS[kind], timeouts=timeouts, allow_private=allow_private, clock=clock)


def client_or_refusal(spec: ProviderSpec, **fields: Any) -> ChatClient:
    """The same; one that is set up wrong fails as a call does, and is on record as one."""
    try:
        return client_for(spec, **fields)
    except ProviderError as reason:
        return RefusedClient(reason)


class RefusedClient:
    """Stands in for a client that cannot be made: asking it fails with the reason, and hurts no other route."""

    def __init__(self, reason: ProviderError) -> None:
        self._reason = reason

    async def complete(self, call: ChatCall) -> ChatResponse:
        raise self._reason
