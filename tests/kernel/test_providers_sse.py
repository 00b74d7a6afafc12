"""The splitter of server-sent events."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.errors import ProviderBadResponse
from agentcore.providers.lines import MAX_LINE_BYTES
from agentcore.providers.sse import SseEvent, SseSplitter


def split(*chunks: bytes) -> list[SseEvent]:
    splitter = SseSplitter()
    return [event for chunk in chunks for event in splitter.feed(chunk)] + list(splitter.end())


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [("", b"a"), ("", b"b")]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\r", [("", b"a"), ("", b"b"), ("", b"c")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", b"a")]),
        (b"data:a\n\ndata:  b\n\n", [("", b"a"), ("", b" b")]),
        (b"data: a\ndata: b\ndata\n\n", [("", b"a\nb\n")]),
        (b"event: error\ndata: a\n\ndata: b\n\n", [("error", b"a"), ("", b"b")]),
        (b": comment\n\n:\n\nid: 7\n: x\n\ndata:\n\nretry: 5\n\n", []),
        (b"event: ping\n\ndata: a\n\n", [("", b"a")]),
        (
            b"data: a\x0b\x0c\x1c\x1d\x1e\xc2\x85\xe2\x80\xa8\xe2\x80\xa9b\n\n",
            [("", b"a\x0b\x0c\x1c\x1d\x1e\xc2\x85\xe2\x80\xa8\xe2\x80\xa9b")],
        ),
        (b"data: a", [("", b"a")]),
        (b"datax: a\nno colon\n\n", []),
    ],
)
def test_events_of_a_body(body: bytes, events: list[tuple[str, bytes]]) -> None:
    assert [(event.name, event.data) for event in split(body)] == events


@given(
    lines=st.lists(
        st.sampled_from(
            [b"data: a", b"data: b\xe2\x80\xa8c", b"", b": x", b"event: e", b"id: 1", b"\xef\xbb\xbf", b"data"]
        )
    ),
    ends=st.lists(st.sampled_from([b"\n", b"\r", b"\r\n"]), min_size=30, max_size=30),
    cuts=st.lists(st.integers(0, 200)),
)
def test_events_are_the_same_wherever_the_body_is_cut(lines: list[bytes], ends: list[bytes], cuts: list[int]) -> None:
    body = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    edges = [0, *sorted(cut for cut in cuts if cut <= len(body)), len(body)]

    pieces = [body[start:end] for start, end in pairwise(edges)]

    assert split(*pieces) == split(body)


def test_a_line_is_bounded_before_it_is_put_together() -> None:
    splitter = SseSplitter()
    megabyte = b"x" * 1024 * 1024
    assert [event for piece in (b"data: ", *[megabyte] * 7) for event in splitter.feed(piece)] == []

    with pytest.raises(ProviderBadResponse):
        list(splitter.feed(megabyte))


def test_an_event_of_many_lines_is_bounded_too() -> None:
    line = b"data: " + b"x" * (MAX_LINE_BYTES // 2) + b"\n"

    with pytest.raises(ProviderBadResponse):
        split(line, line, line)
