"""The HTTP chat client: the one place that opens a socket to a provider. What is said on it is a dialect's business."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx

from agentcore.chat import ChatCall, ChatRequest, ChatResponse, Collector, Finish, FinishReason, Route, UsageUpdate
from agentcore.clock import CLOCK, Clock
from agentcore.errors import ProviderBadResponse, ProviderError, ProviderTimeout, ProviderUnavailable
from agentcore.messages import Usage
from agentcore.providers.answer import AnswerReader
from agentcore.providers.connections import client_of
from agentcore.providers.dialects import Dialect
from agentcore.providers.estimate import estimated_usage
from agentcore.providers.failures import failure_of
from agentcore.providers.patience import Patience
from agentcore.providers.spec import ProviderSpec, Timeouts
from agentcore.providers.urls import CheckedUrl, checked_addresses, checked_url
from agentcore.redaction import Redactor

MAX_ERROR_BYTES = 64 * 1024
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
        failure: ProviderError
        try:
            await self._exchange(call.request, collected)
        except ProviderError as error:
            failure = error
        except httpx.TimeoutException:
            failure = ProviderTimeout()
        except httpx.DecodingError:
            failure = ProviderBadResponse()
        except (httpx.HTTPError, httpx.InvalidURL):
            failure = ProviderUnavailable()
        else:
            return self._response(call.request, collected)
        # Raised out here, so that no foreign exception, which may hold the URL or a header, is its context.
        raise self._without_secrets(failure)

    def _response(self, request: ChatRequest, collected: Collector) -> ChatResponse:
        route = Route(self._spec.provider_id, request.model)
        return ChatResponse(
            contents=collected.contents(route),
            finish_reason=collected.finish or FinishReason.STOP,
            usage=collected.usage or Usage(estimated=True),
            provider_id=route.provider_id,
            model=route.model,
        )

    def _without_secrets(self, failure: ProviderError) -> ProviderError:
        failure.message = self._redactor.redact_text(failure.message)
        failure.args = (failure.message,)
        failure.__context__ = failure.__cause__ = None
        return failure

    async def _exchange(self, request: ChatRequest, collected: Collector) -> None:
        patience = Patience(self._timeouts, self._spec.timeout_s)
        async with patience, self._answer_to(request) as response:
            if not response.is_success:
                raise await self._refusal(response)
            reader = AnswerReader(self._dialect.decoder(request), collected)
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
                    collected(UsageUpdate(reader.usage() or estimated_usage(request, collected)))
                collected(event)

    async def _read(self, response: httpx.Response, reader: AnswerReader, patience: Patience) -> None:
        """Read the body up to its end, or to where the answer says it ends.

        A connection that breaks is like a body that ends: only the evidence in it tells whether it was whole.
        """
        with suppress(httpx.ReadError, httpx.RemoteProtocolError):
            chunks = response.aiter_bytes()
            async for chunk in chunks:
                goes_on = reader.feed(chunk)
                if reader.began:
                    patience.progressed()
                if not goes_on:
                    break
            await _drained(chunks)

    @asynccontextmanager
    async def _answer_to(self, request: ChatRequest) -> AsyncIterator[httpx.Response]:
        """The response, its body not read yet, from the first address of the host that can be connected to."""
        url = checked_url(self._spec.base_url or self._dialect.default_base_url)
        body = self._dialect.encode(request, self._spec.options)
        # A lone surrogate cannot be encoded; it is not worth failing for.
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        addresses = await checked_addresses(url, allow_private=self._allow_private)
        response = await self._sent(url, addresses, content)
        try:
            yield response
        finally:
            await response.aclose()

    async def _sent(self, url: CheckedUrl, addresses: list[str], content: bytes) -> httpx.Response:
        client = client_of(url.origin)
        for number, address in enumerate(addresses, 1):
            # Connect to the address that was checked, not to the name, which may answer otherwise a second time.
            request = client.build_request(
                "POST",
                httpx.URL(scheme=url.scheme, host=address, port=url.port, path=url.path + self._dialect.path),
                headers=self._headers(url),
                content=content,
                timeout=httpx.Timeout(None, connect=self._timeouts.connect_s),
                extensions={"sni_hostname": url.host},
            )
            try:
                return await client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise ProviderUnavailable()

    def _headers(self, url: CheckedUrl) -> list[tuple[bytes, bytes]]:
        """Bytes, since the error of a header that is not ASCII would quote it."""
        headers = {
            "Host": url.authority,
            "User-Agent": "django-steward",
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            # A compressed stream is understood, but not asked for: proxies hold it back to compress it.
            "Accept-Encoding": "identity",
            **self._dialect.headers(self._spec.api_key),
        }
        return [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers.items()]

    async def _refusal(self, response: httpx.Response) -> ProviderError:
        body = bytearray()
        with suppress(httpx.HTTPError):
            async for chunk in response.aiter_bytes():
                body += chunk[: MAX_ERROR_BYTES - len(body)]
                if len(body) >= MAX_ERROR_BYTES:
                    break
        return failure_of(response.status_code, bytes(body), response.headers, now=self._clock.now())


async def _drained(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_S):
            async for _chunk in chunks:
                pass
