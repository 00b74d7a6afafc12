"""Tool calls, put together from what servers send."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.errors import OutputTruncated, ProviderBadResponse, ProviderError
from agentcore.providers.dialects.calls import CallAssembler
from agentcore.providers.dialects.extent import Extent
from agentcore.providers.dialects.names import WireNames

Fragment = dict[str, Any]


def fragment(call_id: str = "", index: int | None = None, name: str = "", arguments: Any = None) -> Fragment:
    return {"call_id": call_id, "index": index, "name": name, "arguments": arguments}


def assembled(fragments: list[Fragment]) -> list[tuple[str, str, dict[str, Any]]]:
    assembler = CallAssembler()
    for item in fragments:
        assembler.add(**item)
    return [(call.call_id, call.name, call.arguments) for call in assembler.calls(WireNames([]))]


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        ([fragment("a", 0, "f", '{"x":'), fragment("", 0, "", "1}")], [("a", "f", {"x": 1})]),
        ([fragment("a", None, "f", ""), fragment("", None, "", '{"x":1}')], [("a", "f", {"x": 1})]),
        # A known id wins over the index.
        ([fragment("a", 0, "f", '{"x":'), fragment("a", 1, "", "1}")], [("a", "f", {"x": 1})]),
        ([fragment("a", 0, "f", '{"x":'), fragment("a", 1, "f", "1}")], [("a", "f", {"x": 1})]),
        # A new id on a used index is a new call.
        ([fragment("a", 0, "f", "{}"), fragment("b", 0, "g", "{}")], [("a", "f", {}), ("b", "g", {})]),
        # An index that is new and has neither id nor name continues the open call.
        ([fragment("a", None, "f", '{"x":'), fragment("", 0, "", "1}")], [("a", "f", {"x": 1})]),
        # The id comes late.
        ([fragment("", 0, "f", '{"x":'), fragment("a", 0, "", "1}")], [("a", "f", {"x": 1})]),
        ([fragment("", None, "f", '{"x":'), fragment("a", None, "", "1}")], [("a", "f", {"x": 1})]),
        # Id, name and type with every fragment.
        ([fragment("a", 0, "add", '{"x":'), fragment("a", 0, "add", "1}")], [("a", "add", {"x": 1})]),
        # Parallel calls in turns.
        (
            [
                fragment("a", 0, "f", ""),
                fragment("b", 1, "f", ""),
                fragment("", 1, "", '{"y":2}'),
                fragment("", 0, "", '{"x":1}'),
            ],
            [("a", "f", {"x": 1}), ("b", "f", {"y": 2})],
        ),
        # Arguments as an object, as nothing, encoded twice, with raw line breaks.
        ([fragment("a", 0, "f", {"x": 1})], [("a", "f", {"x": 1})]),
        ([fragment("a", 0, "f", None)], [("a", "f", {})]),
        ([fragment("a", 0, "f", " ")], [("a", "f", {})]),
        ([fragment("a", 0, "f", "null")], [("a", "f", {})]),
        ([fragment("a", 0, "f", '"{\\"x\\":1}"')], [("a", "f", {"x": 1})]),
        ([fragment("a", 0, "f", '{"x":"1\n2"}')], [("a", "f", {"x": "1\n2"})]),
    ],
)
def test_fragments_make_calls(fragments: list[Fragment], calls: list[tuple[str, str, dict[str, Any]]]) -> None:
    assert assembled(fragments) == calls


@pytest.mark.parametrize(
    "fragments",
    [
        [fragment("a", 0, "f", '{"i":1}'), fragment("a", 1, "f", '{"i":2}')],
        [fragment("a", 0, "f", '{"i":1}{"i":2}')],
        [fragment("a", 0, "f", '{"i":1}\n{"i":'), fragment("", 0, "", "2}")],
        [fragment("", 0, "f", '{"i":1}'), fragment("", 0, "f", '{"i":2}')],
        [fragment("", None, "f", '{"i":1}'), fragment("", None, "f", '{"i":2}')],
        [fragment("a", None, "f", {"i": 1}), fragment("a", None, "f", {"i": 2})],
        # Parallel ones, told apart by their index alone while both still arrive.
        [
            fragment("", 0, "f", '{"i":'),
            fragment("", 1, "f", '{"i":'),
            fragment("", 0, "", "1}"),
            fragment("", 1, "", "2}"),
        ],
    ],
)
def test_two_calls_stay_two_and_get_ids_of_their_own(fragments: list[Fragment]) -> None:
    calls = assembled(fragments)

    assert [call[2] for call in calls] == [{"i": 1}, {"i": 2}]
    assert calls[0][0] != calls[1][0]
    assert all(call[0] for call in calls)


@pytest.mark.parametrize(
    "fragments",
    [
        [fragment(name="f", arguments="{}"), fragment(name="g", arguments="")],
        [fragment(name="f", arguments=""), fragment(name="g", arguments="{}")],
        [fragment("a", 0, "f", "{}"), fragment("", 0, "g", "")],
    ],
)
def test_another_name_on_a_whole_or_empty_call_begins_a_new_one(fragments: list[Fragment]) -> None:
    assert [call[1:] for call in assembled(fragments)] == [("f", {}), ("g", {})]


@given(cut=st.integers(1, 60))
def test_arguments_that_were_cut_off_anywhere_are_truncation(cut: int) -> None:
    text = '{"city": "Sa\\u00e3o \\"Paulo\\"", "days": [1, 2.5e3, -4], "ok": true}'

    with pytest.raises(OutputTruncated):
        assembled([fragment("a", 0, "f", text[: min(cut, len(text) - 1)])])


@pytest.mark.parametrize(
    "arguments", ['{"x": }', "[1]", "7", "{} x", '{"x": NaN}', '{"x": 1e999}', "{'x': 1}", "[" * 5000 + "]" * 5000]
)
def test_arguments_that_are_wrong_are_a_bad_response(arguments: str) -> None:
    with pytest.raises(ProviderBadResponse):
        assembled([fragment("a", 0, "f", arguments)])


def test_a_call_without_a_name_is_a_bad_response() -> None:
    with pytest.raises(ProviderBadResponse):
        assembled([fragment("a", 0, "", "{}")])


@pytest.mark.parametrize("name", ["system.echo", "a b", "é", "x" * 65, "x" * 64 + ".", "", "plugin.a.b", "名"])
def test_a_name_fits_the_wire_and_comes_back(name: str) -> None:
    names = WireNames([name, "system__echo", "a_b"])
    wire = names.to_wire(name)

    assert wire.replace("-", "").replace("_", "").isalnum() or not wire.strip("_")
    assert 0 < len(wire) <= 64
    assert wire.isascii()
    assert names.to_ours(wire) == name


def test_names_do_not_depend_on_the_order_of_the_tools() -> None:
    names = ["a.b", "a__b", "a/b", "a_b"]

    wires = {tuple(WireNames(order).to_wire(name) for name in names) for order in (names, names[::-1])}

    assert len(wires) == 1
    assert len(set(wires.pop())) == 4
    assert WireNames(names).to_wire("a__b") == "a__b"


def test_a_name_that_the_model_made_up_stays_as_it_is() -> None:
    assert WireNames(["system.echo"]).to_ours("nothing") == "nothing"


HOSTILE = {
    "a name with every piece": [("c", "f", '{"a":['), *[("c", "f", ",{}")] * 20000],
    "no id": [("", "f", '{"a":['), *[("", "f", ",{}")] * 20000],
    "escapes in a string that never ends": [("c", "f", '{"a":"' + '\\"' * 300000)],
    "more objects than calls may be": [("c", "f", "{}" * 300000)],
    "brackets that never close": [("c", "f", '{"a":' * 100000)],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_arguments_cost_no_more_than_their_length(name: str) -> None:
    assembler = CallAssembler()
    for call_id, tool, arguments in HOSTILE[name]:
        assembler.add(call_id=call_id, name=tool, arguments=arguments)

    with pytest.raises(ProviderError):
        assembler.calls(WireNames([]))


@pytest.mark.parametrize(
    ("pieces", "is_whole", "is_open"),
    [
        (["{", "}"], True, False),
        (['{"a":"}"', "}"], True, False),
        (['{"a":"\\', '"}', '"}'], True, False),
        (['{"a":"\\', "\\", '"}'], True, False),
        (['{"a":[{}', "]"], False, True),
        (['{"a":"'], False, True),
        (["", " "], False, False),
        (['"{}"'], False, False),
    ],
)
def test_extent_of_json_is_told_wherever_it_is_cut(pieces: list[str], is_whole: bool, is_open: bool) -> None:
    for cut in (pieces, list("".join(pieces))):
        extent = Extent()
        for piece in cut:
            extent.add(piece)
        assert (extent.is_whole, extent.is_open) == (is_whole, is_open)
