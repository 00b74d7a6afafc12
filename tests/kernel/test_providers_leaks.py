"""No failure tells the key (case A51): not the exception, nothing behind it, no log, and not the report of Django."""

import json
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from django.views.debug import ExceptionReporter

from agentcore.chat import ChatCall, ChatRequest
from agentcore.errors import ProviderError, ProviderTimeout, ProviderUnavailable, ProviderUrlForbidden
from agentcore.messages import Message, Role
from agentcore.providers.clients import DIALECTS, client_for
from agentcore.providers.probe import models_listed
from agentcore.providers.spec import ProviderSpec, Timeouts
from tests.contracts.wires import WIRES
from tests.fake_upstream import Answer, FakeUpstream
from tests.raw_upstream import RawUpstream
from tests.recorded import case

KEY: str = case("A51")["input"]["canary"]
REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))
QUOTING = b'{"error":{"message":"bad key %b at https://x/?key=%b"}}' % (KEY.encode(), KEY.encode())
ECHO = {"x-echo": KEY, "content-type": "application/json"}
FAILING = {
    "404": Answer(status=404, writes=[b"no " + KEY.encode()]),
    "401": Answer(status=401, headers=ECHO, writes=[QUOTING]),
    "500": Answer(status=500, headers=ECHO, writes=[QUOTING]),
    "redirect": Answer(status=307, headers={"location": f"https://elsewhere.example/?key={KEY}"}),
    "whole": Answer(headers=ECHO, writes=[QUOTING]),
    "stream": Answer(writes=[b"event: error\ndata: " + QUOTING + b"\n\n"]),
    "line": Answer(writes=[QUOTING + b"\n"]),
    "closed": Answer(refusal=True),
    "timeout": Answer(headers=ECHO, end="hang"),
}
RAW = {
    "status line": b"HTTP/1.1 %b\r\n\r\n" % KEY.encode(),
    "header": b"HTTP/1.1 200 OK\r\n%b\r\n\r\n" % KEY.encode(),
    "chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%b\r\n" % KEY.encode(),
    # An upstream without TLS, asked with it.
    "tls": b"HTTP/1.1 400 Bad Request\r\n\r\n",
}


# Those that do not quote the key where only the site's own settings of the log keep it out: in a header.
QUIET = ("404", "stream", "line", "closed", "refused", "tls")


async def complete(api: str, base_url: str, key: str = KEY, limits: Timeouts | None = None) -> None:
    """One call. The frame of the caller, which Django would report, knows of neither address nor key."""
    spec = ProviderSpec(provider_id="fx", provider_type=api, base_url=base_url, api_key=key)
    client = client_for(spec, timeouts=limits, allow_private=True)
    del spec, base_url, key
    await client.complete(ChatCall(request=REQUEST, emit=lambda _event: None))


@asynccontextmanager
async def upstream(failing: str) -> AsyncIterator[str]:
    """The base URL of one that fails in that way."""
    if failing in FAILING:
        async with FakeUpstream([FAILING[failing]], strict=False) as fake:
            yield fake.base_url
        return
    async with RawUpstream(RAW.get(failing, b"")) as raw:
        if failing != "refused":
            yield raw.base_url.replace("http:", "https:" if failing == "tls" else "http:")
    if failing == "refused":
        yield raw.base_url


def told_by(error: BaseException, caplog: pytest.LogCaptureFixture) -> str:
    """All that anybody may see of it."""
    behind = [error.__context__, error.__cause__]
    assert behind == [None, None]
    report = ExceptionReporter(None, type(error), error, error.__traceback__)
    return "".join(
        [
            *traceback.format_exception(error),
            repr(vars(error)) + repr(error.args),
            report.get_traceback_html() + report.get_traceback_text(),
            caplog.text,
            *(repr(vars(record)) for record in caplog.records),
        ]
    )


@pytest.mark.parametrize("failing", [*FAILING, *RAW, "refused"])
@pytest.mark.parametrize("api", DIALECTS)
async def test_no_failure_tells_the_key(api: str, failing: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    if failing in QUIET:
        caplog.set_level(logging.DEBUG, logger="httpcore")
        caplog.set_level(logging.DEBUG, logger="httpx")
    limits = Timeouts(first_token_s=0.1 if failing == "timeout" else 20)
    async with upstream(failing) as base_url:
        with pytest.raises(ProviderError) as caught:
            await complete(api, base_url, limits=limits)

    assert isinstance(caught.value, ProviderTimeout) == (failing == "timeout")
    assert isinstance(caught.value, ProviderUnavailable) or failing not in {"tls", "refused", "closed"}
    assert KEY not in told_by(caught.value, caplog)


LISTED = [failing for failing in FAILING if failing not in {"404", "timeout", "line", "stream"}]


@pytest.mark.parametrize("failing", [*LISTED, *RAW, "refused"])
async def test_no_failure_of_a_list_of_models_tells_the_key(failing: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with upstream(failing) as base_url:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=base_url, api_key=KEY)
        with pytest.raises(ProviderError) as caught:
            await models_listed(spec, allow_private=True)

    assert KEY not in told_by(caught.value, caplog)


async def test_no_list_of_models_tells_the_key() -> None:
    listed = {"data": [{"id": name, "name": f"Model {KEY}"} for name in (KEY, f"m-{KEY}", "fx-1")]}
    async with FakeUpstream([Answer(writes=[json.dumps(listed).encode()])], strict=False) as fake:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=fake.base_url, api_key=KEY)
        found = await models_listed(spec, allow_private=True)

    assert found is not None
    assert [model.id for model in found] == ["fx-1"]
    assert KEY not in found[0].name


@pytest.mark.parametrize("api", DIALECTS)
async def test_a_key_that_no_header_can_hold_is_not_told(api: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with FakeUpstream([Answer()]) as fake:
        with pytest.raises(ProviderError) as caught:
            await complete(api, fake.base_url, f"{KEY}\n")

    assert KEY not in told_by(caught.value, caplog)


@pytest.mark.parametrize("part", ["?key=", "#", "?x=1&api_key="])
async def test_a_key_in_the_address_is_refused_before_any_connection(
    part: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with FakeUpstream([Answer()]) as fake:
        with pytest.raises(ProviderUrlForbidden, match="store the key as a credential") as caught:
            await complete("openai_chat", f"{fake.base_url}{part}{KEY}", "")

    assert fake.connections == 0
    assert KEY not in told_by(caught.value, caplog)


@pytest.mark.parametrize("api", DIALECTS)
async def test_the_key_travels_in_a_header_and_nowhere_else(api: str) -> None:
    wire = WIRES[api]
    async with FakeUpstream([Answer(writes=[wire.text("hi"), wire.finish("stop"), wire.end])], strict=False) as fake:
        await complete(api, fake.base_url)

    [request] = fake.requests
    assert [name for name, value in request.headers.items() if KEY in value] == [
        "x-api-key" if api == "anthropic" else "authorization"
    ]
    assert KEY not in request.line + request.body.decode()
