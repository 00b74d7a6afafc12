"""The HTTP chat client: one call to a provider, from request to answer. What is said is a dialect's business."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx

from agentcore.chat import ChatCall, ChatRequest, ChatResponse, Collector, Finish, FinishReason, Route, UsageUpdate
from agentcore.clock import CLOCK, Clock
from agentcore.errors import ProviderError
from agentcore.messages import Usage
from agentcore.providers.answer import AnswerReader
from agentcore.providers.compression import body_chunks
from agentcore.providers.dialects import Dialect
from agentcore.providers.estimate import estimated_usage
from agentcore.providers.exchange import (
    CONNECTION_ERRORS,
    WireRequest,
    body_of,
    exchanged,
    provider_failure,
    without_secrets,
)
from agentcore.providers.failures import failure_of
from agentcore.providers.fitting import fitted, restored
from agentcore.providers.patience import Patience
from agentcore.providers.profile import Target
from agentcore.providers.spec import ProviderSpec, Timeouts
from agentcore.redaction import Redactor

# After the answer said that it is over: how long to wait for the end of its body, so that the connection is kept.
DRAIN_S = 0.25


class HttpChatClient:
    """Speaks one dialect to one provider. Cancelling the task closes the connection, which stops the upstream."""

    def __init__(
        self,
        spec: ProviderSpec,
        dialect: Dialect,
        *,
        timeouts: Timeouts | None = None,
        allow_private: bool = False,
        clock: Clock = CLOCK,
    ) -> None:
        self._spec, self._dialect, self._clock = spec, dialect, clock
        self._timeouts, self._allow_private = timeouts or Timeouts(), allow_private
        self._redactor = Redactor([spec.api_key] if spec.api_key else [])

    async def complete(self, call: ChatCall) -> ChatResponse:
        """
        Raises:
            ProviderError: no whole answer came. It quotes the upstream at most in its own words, without our key.
        """
        collected = Collector(call.emit)
        try:
            await self._exchange(call.request, collected)
        except (ProviderError, *CONNECTION_ERRORS) as error:
            failure = provider_failure(error)
        else:
            return self._response(call.request, collected)
        # Raised out here, so that no foreign exception, which may hold the URL or a header, is its context.
        raise without_secrets(failure, self._redactor)

    def _response(self, request: ChatRequest, collected: Collector) -> ChatResponse:
        route = Route(self._spec.provider_id, request.model)
        return ChatResponse(
            contents=collected.contents(route),
            finish_reason=collected.finish or FinishReason.STOP,
            usage=collected.usage or Usage(estimated=True),
            provider_id=route.provider_id,
            model=route.model,
        )

    async def _exchange(self, request: ChatRequest, collected: Collector) -> None:
        patience = Patience(self._timeouts, self._spec.timeout_s)
        sent = fitted(request, self._spec.profile_of(request.model))
        async with patience, self._answer_to(sent) as response:
            if not response.is_success:
                raise await self._refusal(response)
            reader = AnswerReader(self._dialect.decoder(sent), collected, self._dialect.splitter())
            try:
                await self._read(response, reader, patience)
                last = reader.end()
            except BaseException:
                # What was used is told also when the answer is cut off: it is billed all the same.
                if (used := reader.usage()) is not None:
                    collected(UsageUpdate(used))
                raise
            for event in last:
                if isinstance(event, Finish):
                    collected(UsageUpdate(reader.usage() or estimated_usage(sent, collected)))
                collected(restored(event, request))

    async def _read(self, response: httpx.Response, reader: AnswerReader, patience: Patience) -> None:
        """Read the body up to its end, or to where the answer says it ends.

        A connection that breaks is like a body that ends: only the evidence in it tells whether it was whole.
        """
        with suppress(httpx.ReadError, httpx.RemoteProtocolError):
            chunks = body_chunks(response)
            async for chunk in chunks:
                goes_on = reader.feed(chunk)
                if reader.began:
                    patience.progressed()
                if not goes_on:
                    break
            await _drained(chunks)

    @asynccontextmanager
    async def _answer_to(self, request: ChatRequest) -> AsyncIterator[httpx.Response]:
        body = self._dialect.encode(request, self._target(request.model))
        wanted = WireRequest(
            method="POST",
            base_url=self._dialect.base_url(self._spec.base_url),
            path=self._dialect.path,
            headers={
                "Content-Type": "application/json",
                "Accept": "text/event-stream, application/json",
                **self._dialect.headers(self._spec.api_key),
            },
            # A lone surrogate cannot be encoded; it is not worth failing for.
            content=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"),
        )
        connect_s = self._timeouts.connect_s
        async with exchanged(wanted, allow_private=self._allow_private, connect_s=connect_s) as response:
            yield response

    def _target(self, model: str) -> Target:
        return Target(profile=self._spec.profile_of(model), options=self._spec.options)

    async def _refusal(self, response: httpx.Response) -> ProviderError:
        body = await body_of(response)
        return failure_of(response.status_code, body, response.headers, now=self._clock.now())


async def _drained(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_S):
            async for _chunk in chunks:
                pass
