"""Lines and JSON lines, cut from bytes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.errors import ProviderBadResponse
from agentcore.providers.json_lines import JsonLineSplitter
from agentcore.providers.lines import MAX_LINE_BYTES, Lines


def lines_of(*chunks: bytes) -> list[bytes]:
    lines = Lines()
    return [line for chunk in chunks for line in lines.feed(chunk)] + [lines.rest()]


def split(*chunks: bytes) -> list[bytes]:
    splitter = JsonLineSplitter()
    return [event.data for chunk in chunks for event in splitter.feed(chunk)] + [event.data for event in splitter.end()]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", [b""]),
        (b"a", [b"a"]),
        (b"a\nb\rc\r\nd", [b"a", b"b", b"c", b"d"]),
        (b"\n\r\r\n\n", [b"", b"", b"", b"", b""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [b"a", b"\xef\xbb\xbfb"]),
        (b"a\x0b\x0c\x1c\x85\xe2\x80\xa8b\n", [b"a\x0b\x0c\x1c\x85\xe2\x80\xa8b", b""]),
    ],
)
def test_lines_end_where_they_should(body: bytes, lines: list[bytes]) -> None:
    assert lines_of(body) == lines
    assert lines_of(*(body[at : at + 1] for at in range(len(body)))) == lines


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b'{"a":1}\n{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
        (b'\n\r\n \t\r{"a":1}\r\r{"b":2}', [b'{"a":1}', b'{"b":2}']),
        (b'\xef\xbb\xbf{"a":1}', [b'{"a":1}']),
        (b'{\n  "a": [\n    1\n  ]\n}\n', [b'{\n"a": [\n1\n]\n}']),
        (b"[1,\n2]\n", [b"[1,\n2]"]),
        (b'{"a":1}\nplain words\n[DONE]\n', [b'{"a":1}', b"plain words", b"[DONE]"]),
        (b'{"a":1}\n{"b', [b'{"a":1}', b'{"b']),
        (b'{"a":"\xe2\x80\xa8\x85"}\n', [b'{"a":"\xe2\x80\xa8\x85"}']),
    ],
)
def test_values_of_a_body(body: bytes, values: list[bytes]) -> None:
    assert split(body) == values
    assert split(*(body[at : at + 1] for at in range(len(body)))) == values


@given(
    pieces=st.lists(
        st.sampled_from([b'{"a":1}', b"{", b"}", b"\n", b"\r", b"\r\n", b" ", b"\xef\xbb\xbf", b"[1]", b"x"])
    ),
    places=st.lists(st.integers(0, 100)),
)
def test_values_are_the_same_wherever_the_body_is_cut(pieces: list[bytes], places: list[int]) -> None:
    body = b"".join(pieces)
    edges = [0, *sorted(place for place in places if place <= len(body)), len(body)]

    assert split(*(body[start:end] for start, end in pairwise(edges))) == split(body)


def test_what_comes_before_a_line_that_is_too_long_is_not_lost() -> None:
    events = iter(JsonLineSplitter().feed(b'{"a":1}\n' + b"x" * (MAX_LINE_BYTES + 1)))

    assert next(events).data == b'{"a":1}'
    with pytest.raises(ProviderBadResponse):
        next(events)


@pytest.mark.parametrize("line", [b"x" * (MAX_LINE_BYTES + 1) + b"\n", (b"{" + b"x" * 1024 + b"\n") * 9000])
def test_a_value_is_bounded_however_it_is_cut(line: bytes) -> None:
    with pytest.raises(ProviderBadResponse):
        split(line)
    with pytest.raises(ProviderBadResponse):
        split(*(line[at : at + 65536] for at in range(0, len(line), 65536)))
