"""The given cases of areas schema and args, one test a call."""

import pytest

from agentcore.errors import ToolArgumentsInvalid
from agentcore.tools import ToolContext
from tests.toolsapp.cases import function_of, resolved, subschemas, tool_cases
from toolsapp.decorator import define
from toolsapp.execution import invoke

CALLS = [
    (case["id"], arguments, expected)
    for case in tool_cases().values()
    for arguments, expected in zip(case["input"].get("calls", []), case["expected"].get("results", []), strict=True)
]


@pytest.mark.parametrize(("case_id", "arguments", "expected"), CALLS)
async def test_call_of_a_case_gives_its_result(case_id, arguments, expected):
    definition = define(function_of(tool_cases()[case_id]["input"]["code"]))
    if not expected.startswith("ERROR "):
        assert (await invoke(definition, arguments, ToolContext())).for_model == expected
        return
    with pytest.raises(ToolArgumentsInvalid) as caught:
        await invoke(definition, arguments, ToolContext())
    assert [item["path"] for item in caught.value.details] == [expected.removeprefix("ERROR ")]


def test_every_given_case_is_run_here():
    assert set(tool_cases()) == {"A34", "A35", *(case_id for case_id, _arguments, _expected in CALLS)}


async def test_nested_model_resolves_from_the_root():
    case = tool_cases()["A34"]
    definition = define(function_of(case["input"]["code"]))
    schema = definition.signature.parameters
    assert schema["required"] == ["person"]
    for part in subschemas(schema):
        resolved(schema, part)
    person = resolved(schema, schema["properties"]["person"])
    address = resolved(schema, person["properties"]["address"])
    assert address["properties"]["city"]["type"] == "string"
    result = await invoke(definition, case["input"]["call"], ToolContext())
    assert result.for_model == case["expected"]["result"]


async def test_annotation_text_before_a_field_keeps_the_constraints():
    case = tool_cases()["A35"]
    definition = define(function_of(case["input"]["code"]))
    expected = case["expected"]["schema"]
    assert definition.signature.parameters["properties"] == expected["properties"]
    assert definition.signature.parameters["required"] == expected["required"]
    with pytest.raises(ToolArgumentsInvalid) as caught:
        await invoke(definition, case["input"]["bad_call"], ToolContext())
    assert caught.value.details[0]["path"] == "count"
    assert "999" not in str(caught.value.details) + caught.value.message
