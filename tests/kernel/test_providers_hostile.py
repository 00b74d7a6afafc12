"""Servers that are not what they claim, or want more than they should get: a typed error, in time and in bounds."""

import gzip
import tracemalloc
import zlib

import pytest

from agentcore.chat import ChatCall, ChatRequest, ChatResponse, ModelEvent, TextDelta
from agentcore.errors import ProviderBadResponse, ProviderError, ProviderUnavailable
from agentcore.messages import Message, Role
from agentcore.providers.answer import AnswerReader
from agentcore.providers.clients import DIALECTS, client_for
from agentcore.providers.exchange import MAX_ERROR_BYTES
from agentcore.providers.spec import ProviderSpec
from tests.fake_upstream import Answer, FakeUpstream, said
from tests.raw_upstream import RawUpstream

REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))
STREAM = b"".join(said("hi").writes)
OK = b"HTTP/1.1 200 OK\r\n"
SIZED = OK + b"content-length: %d\r\n\r\n" % len(STREAM)


async def asked(base_url: str, events: list[ModelEvent] | None = None) -> ChatResponse:
    spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=base_url)
    emit = (events if events is not None else []).append
    return await client_for(spec, allow_private=True).complete(ChatCall(request=REQUEST, emit=emit))


@pytest.mark.parametrize(
    "given",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"\x00" * 4000,
        b"220 mail.example ESMTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
        b"HTTP/1.1 9 OK\r\n\r\n",
        OK + b"".join(b"x-%d: %s\r\n" % (number, b"y" * 200) for number in range(2000)) + b"\r\n",
        b"HTTP/1.1 103 Early Hints\r\nlink: " + b"x" * 200_000,
    ],
    ids=["ssh", "tls", "zeros", "mail", "no header", "no length", "no status", "flood", "hint"],
)
async def test_what_speaks_no_http_is_a_bad_response(given: bytes) -> None:
    async with RawUpstream(given) as upstream:
        with pytest.raises(ProviderBadResponse, match="HTTP"):
            await asked(upstream.base_url)


async def test_a_server_that_hangs_up_is_unavailable() -> None:
    async with RawUpstream() as upstream:
        with pytest.raises(ProviderUnavailable):
            await asked(upstream.base_url)


@pytest.mark.parametrize(
    "given",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + SIZED + STREAM,
        b"HTTP/1.1 206 Partial Content\r\ncontent-length: %d\r\n\r\n" % len(STREAM) + STREAM,
        b"HTTP/1.0 200 OK\r\n\r\n" + STREAM,
        OK + b"content-type: text/html\r\n\r\n" + STREAM,
        OK + b"content-length: 999999\r\n\r\n" + STREAM,
        OK + b"transfer-encoding: chunked\r\n\r\n%x\r\n" % len(STREAM) + STREAM + b"\r\nzz\r\n",
        SIZED + STREAM + b"HTTP/1.1 200 OK\r\nmore: than was asked\r\n\r\n",
        OK + b"\r\n" + STREAM + b"\x00{garbage\n\ndata: {}\n\n" * 100,
    ],
    ids=["100", "206", "1.0", "text/html", "too short", "bad chunk", "two answers", "garbage behind"],
)
async def test_an_answer_that_is_whole_is_taken_however_it_is_wrapped(given: bytes) -> None:
    async with RawUpstream(given) as upstream:
        assert (await asked(upstream.base_url)).text == "hi"


@pytest.mark.parametrize(
    "given",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n" + STREAM,
        b"HTTP/1.1 204 No Content\r\n\r\n",
        OK + b"content-length: 0\r\n\r\n",
        OK + b"content-encoding: br\r\n\r\n" + STREAM,
        OK + b"content-encoding: gzip, gzip\r\n\r\n" + gzip.compress(gzip.compress(STREAM)),
        OK + b"content-encoding: gzip\r\n\r\n" + gzip.compress(STREAM)[:20],
        OK + b"transfer-encoding: chunked\r\n\r\nfffffffffffffffffffff\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n" + STREAM,
    ],
    ids=["101", "204", "empty", "br", "twice", "half", "huge chunk", "bad chunk"],
)
async def test_what_is_no_answer_is_a_bad_response(given: bytes) -> None:
    async with RawUpstream(given) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream.base_url)


@pytest.mark.parametrize("page", [b"<!doctype html><title>Log in</title>", b"\n <html>", b"\xef\xbb\xbf<html>"])
async def test_a_web_page_is_told_apart(page: bytes) -> None:
    async with FakeUpstream([Answer(headers={"content-type": "text/html"}, writes=[page])]) as upstream:
        with pytest.raises(ProviderBadResponse, match="web page"):
            await asked(upstream.base_url)


async def test_text_before_a_broken_chunk_is_kept() -> None:
    text = STREAM.split(b"\n\n")[0] + b"\n\n"
    events: list[ModelEvent] = []
    given = OK + b"transfer-encoding: chunked\r\n\r\n%x\r\n" % len(text) + text + b"\r\nzz\r\n"
    async with RawUpstream(given) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream.base_url, events)

    assert events == [TextDelta("hi")]


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate"])
async def test_each_way_to_compress_is_understood(encoding: str) -> None:
    packed = zlib.compress(STREAM) if encoding == "deflate" else gzip.compress(STREAM)
    async with FakeUpstream([Answer(headers={"content-encoding": encoding}, writes=[packed])]) as upstream:
        assert (await asked(upstream.base_url)).text == "hi"


async def test_a_body_of_several_compressed_members_is_one_body() -> None:
    members = [gzip.compress(STREAM[at : at + 9]) for at in range(0, len(STREAM), 9)]
    answer = Answer(headers={"content-encoding": "gzip"}, writes=[b"".join(members) + b"\x00" * 8])
    async with FakeUpstream([answer]) as upstream:
        assert (await asked(upstream.base_url)).text == "hi"


def test_a_body_that_is_one_value_is_bounded_before_it_is_whole() -> None:
    reader = AnswerReader(DIALECTS["openai_chat"].decoder(REQUEST), lambda _event: None)
    megabyte = b" " * 1024 * 1024
    assert all(reader.feed(piece) for piece in (b"{", *[megabyte] * 7))

    with pytest.raises(ProviderBadResponse):
        reader.feed(megabyte)


def test_a_body_without_end_is_bounded_as_a_whole() -> None:
    reader = AnswerReader(DIALECTS["openai_chat"].decoder(REQUEST), lambda _event: None)
    megabyte = b":" + b" " * (1024 * 1024 - 2) + b"\n"
    assert all(reader.feed(megabyte) for _ in range(32))

    with pytest.raises(ProviderBadResponse):
        reader.feed(megabyte)


async def test_of_a_refusal_only_the_beginning_is_read() -> None:
    refusal = Answer(status=500, writes=[b'{"error": "no"}', b" " * MAX_ERROR_BYTES], end="hang")
    async with FakeUpstream([refusal]) as upstream:
        with pytest.raises(ProviderUnavailable, match="no"):
            await asked(upstream.base_url)


BEGINNINGS = [b'{"choices":"', b"data: ", b": ", b" ", b'data: {"choices":[{"delta":{"content":"']


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("beginning", BEGINNINGS)
async def test_a_bomb_goes_off_in_a_bounded_space(beginning: bytes, status: int) -> None:
    packed = gzip.compress(beginning + b" " * 60_000_000, compresslevel=1)
    async with FakeUpstream([Answer(status=status, headers={"content-encoding": "gzip"}, writes=[packed])]) as upstream:
        tracemalloc.start()
        try:
            with pytest.raises(ProviderError):
                await asked(upstream.base_url)
            _now, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert peak < 48 * 1024 * 1024
