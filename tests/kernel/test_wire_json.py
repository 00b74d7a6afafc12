"""JSON of upstreams: whatever it is, it is read in time, and no deeper than anybody means."""

import pytest

from agentcore.providers.wire_json import MAX_DEPTH, is_deep, read_json


def test_values_are_read_up_to_the_depth_and_no_deeper() -> None:
    assert read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert read_json(b'{"a": "\xff"}') == {"a": "\N{REPLACEMENT CHARACTER}"}
    with pytest.raises(ValueError, match="deep"):
        read_json(b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1))


def test_brackets_in_strings_and_beside_each_other_are_not_deep() -> None:
    assert not is_deep('{"a": "' + "[{" * 500 + '"}')
    assert not is_deep('{"a": "\\"' + "[{" * 500 + '"}')
    assert not is_deep("[" + "{}," * 500 + "{}]")


@pytest.mark.parametrize("text", ['"', '\\"', '"\\"', "\\", '"\\', "]"])
def test_nothing_is_looked_at_twice(text: str) -> None:
    """A minute or more, if each quote were followed to the end again."""
    assert not is_deep("[]" * (MAX_DEPTH + 1) + text * 200_000)
