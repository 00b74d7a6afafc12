"""What a run's request says of fields that are wrong."""

from typing import Any

import pytest
from django.utils import translation

from agentcore.errors import ValidationFailed
from agentcore.runs.requests import RunRequest

HALF = "\ud800"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("input", {"input": None}),
        ("input", {"input": 3}),
        ("unknown", {"unknown": 1}),
        ("agent", {"agent": 1}),
        ("model", {"model": "x" * 201}),
        ("send_id", {"send_id": ""}),
        ("send_id", {"send_id": "a\x00b"}),
        ("send_id", {"send_id": f"a{HALF}b"}),
        ("max_steps", {"max_steps": 0}),
        ("max_steps", {"max_steps": 1.5}),
        ("timeout_s", {"timeout_s": 0}),
        ("timeout_s", {"timeout_s": "5"}),
        ("timeout_s", {"timeout_s": float("inf")}),
        ("network", {"network": "yes"}),
        ("allowed_tools", {"allowed_tools": "all"}),
        ("conversation_id", {"conversation_id": 3}),
        ("conversation_id", {"conversation_id": "none"}),
        ("context", {"context": {"a": 1}}),
    ],
)
def test_what_is_wrong_with_a_field_is_said_in_the_persons_language(path: str, fields: dict[str, Any]) -> None:
    with translation.override("zh-hans"), pytest.raises(ValidationFailed) as refused:
        RunRequest.parse({"input": "hi"} | fields)

    (found,) = refused.value.details
    assert found["path"] == path
    assert not found["problem"].isascii()


def test_the_name_of_a_field_that_is_no_unicode_is_cleaned() -> None:
    with pytest.raises(ValidationFailed) as refused:
        RunRequest.parse({"input": "hi", f"a{HALF}": 1})

    assert refused.value.details == [{"path": "a\ufffd", "problem": "There is no such field."}]


def test_a_list_is_cleaned_as_texts_are_so_that_the_request_has_a_hash() -> None:
    request = RunRequest.parse({"input": "hi", "allowed_tools": [f"a{HALF}"]})

    assert request.allowed_tools == ["a\ufffd"]
    assert request.content_hash()
