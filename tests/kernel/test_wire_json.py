"""JSON of upstreams: whatever it is, it is read in time, and no deeper than anybody means."""

import pytest

from agentcore.providers.wire_json import MAX_DEPTH, is_deep, read_json


def test_values_are_read_up_to_the_depth_and_no_deeper() -> None:
    assert read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert read_json(b'{"a": "\xff"}') == {"a": "\N{REPLACEMENT CHARACTER}"}
    with pytest.raises(ValueError, match="deep"):
        read_json(b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1))


@pytest.mark.parametrize("data", [b"", b" ", b"{} {}", b"{}x", b"x", b'{"a":}', b"{", b"\xef\xbb\xbf{}", b"9" * 5000])
def test_what_is_not_one_value_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(data)


@pytest.mark.parametrize("data", [b"{}", b" {} ", b"\r\n\t{}\n"])
def test_blanks_around_a_value_mean_nothing(data: bytes) -> None:
    assert read_json(data) == {}


def test_brackets_in_strings_and_beside_each_other_are_not_deep() -> None:
    assert not is_deep('{"a": "' + "[{" * 500 + '"}')
    assert not is_deep('{"a": "\\"' + "[{" * 500 + '"}')
    assert not is_deep("[" + "{}," * 500 + "{}]")


@pytest.mark.parametrize("text", ['"', '\\"', '"\\"', "\\", '"\\', "]"])
def test_nothing_is_looked_at_twice(text: str) -> None:
    """A minute or more, if each quote were followed to the end again."""
    assert not is_deep("[]" * (MAX_DEPTH + 1) + text * 200_000)
