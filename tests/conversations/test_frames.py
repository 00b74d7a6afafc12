"""Frames as values: what a client may say, and what is wrong with the rest. No database."""

import json

import pytest

from conversations.frames import (
    LARGEST_SEQUENCE,
    Permission,
    Ping,
    Refused,
    Send,
    Stop,
    Subscribe,
    Unsubscribe,
    largest_frame,
    parse,
)

RUN = "01980000-0000-7000-8000-000000000000"
ASK = {"type": "permission", "run_id": RUN, "request_id": RUN, "decision": "deny"}


def parsed(**frame):
    return parse(json.dumps(frame))


def test_a_send_is_the_fields_of_a_run_with_its_text_as_input():
    frame = parsed(type="send", text="hi", send_id="s", agent="assistant")
    assert isinstance(frame, Send)
    assert frame.fields == {"input": "hi", "send_id": "s", "agent": "assistant"}


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"type": "stop", "run_id": RUN}, Stop),
        ({"type": "subscribe", "run_id": RUN}, Subscribe),
        ({"type": "unsubscribe", "run_id": RUN}, Unsubscribe),
        ({"type": "ping"}, Ping),
        ({"type": "ping", "more": "is no harm"}, Ping),
        (ASK, Permission),
        (ASK | {"arguments": {"a": 1}, "reason": "because"}, Permission),
    ],
)
def test_every_type_of_the_contract_is_understood(fields, kind):
    assert isinstance(parsed(**fields), kind)


@pytest.mark.parametrize("after", [-1, 0, LARGEST_SEQUENCE])
def test_a_subscription_may_start_anywhere(after):
    assert parsed(type="subscribe", run_id=RUN, after_sequence=after).after_sequence == after


@pytest.mark.parametrize("fields", [{}, {"after_sequence": None}])
def test_a_subscription_starts_at_the_beginning_unless_told_otherwise(fields):
    assert parsed(type="subscribe", run_id=RUN, **fields).after_sequence == -1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "ping",
        "null",
        "[]",
        '"ping"',
        "3",
        "{}",
        "NaN",
        '{"type": null}',
        '{"type": 3}',
        '{"type": ["ping"]}',
        '{"type": "unknown"}',
        '{"type": "PING"}',
        '{"type": "accepted"}',
        '{"type": "__class__"}',
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"type": "stop", "run_id": ' + "9" * 10_000 + "}",
    ],
)
def test_a_malformed_frame_is_refused(text):
    frame = parse(text)
    assert isinstance(frame, Refused)
    assert frame.error.code == "VALIDATION_ERROR"


def test_a_binary_frame_is_refused():
    assert parse(None).error.code == "VALIDATION_ERROR"


def test_an_oversized_frame_is_refused():
    assert parse("x" * (largest_frame() + 1)).error.code == "PAYLOAD_TOO_LARGE"


def test_the_longest_text_fits_into_a_frame_however_it_is_escaped():
    text = json.dumps("\U0001f600" * 32_000)
    assert isinstance(parse('{"type": "send", "send_id": "s", "text": ' + text + "}"), Send)


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "send"},
        {"type": "send", "text": "hi"},
        {"type": "send", "send_id": "a"},
        {"type": "send", "text": 3, "send_id": "a"},
        {"type": "send", "text": None, "send_id": "a"},
        {"type": "send", "text": "hi", "send_id": ""},
        {"type": "send", "text": "hi", "send_id": 7},
        {"type": "send", "text": "hi", "send_id": "a" * 65},
        {"type": "stop"},
        {"type": "stop", "run_id": None},
        {"type": "stop", "run_id": 12},
        {"type": "stop", "run_id": "12"},
        {"type": "stop", "run_id": {"a": 1}},
        {"type": "subscribe"},
        {"type": "subscribe", "run_id": "x" * 1000},
        {"type": "subscribe", "run_id": RUN, "after_sequence": -2},
        {"type": "subscribe", "run_id": RUN, "after_sequence": 2**63},
        {"type": "subscribe", "run_id": RUN, "after_sequence": 1.5},
        {"type": "subscribe", "run_id": RUN, "after_sequence": True},
        {"type": "subscribe", "run_id": RUN, "after_sequence": "0"},
        {"type": "unsubscribe"},
        {"type": "unsubscribe", "run_id": []},
        ASK | {"decision": "maybe"},
        ASK | {"decision": ["deny"]},
        ASK | {"request_id": None},
        ASK | {"run_id": "x"},
        ASK | {"arguments": []},
        ASK | {"reason": 3},
    ],
)
def test_missing_and_wrong_fields_are_refused(frame):
    assert parsed(**frame).error.code == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    ("frame", "about"),
    [
        ({"type": "send", "text": "", "send_id": "mine"}, {"send_id": "mine"}),
        ({"type": "stop", "run_id": "not one"}, {"run_id": "not one"}),
        ({"type": "stop", "run_id": RUN}, {"run_id": RUN}),
        ({"type": "nonsense", "send_id": "s", "run_id": RUN}, {"send_id": "s", "run_id": RUN}),
        ({"type": "send", "send_id": "x" * 65}, {}),
        ({"type": "send", "send_id": 3}, {}),
        ({"type": "send", "send_id": "a\ud800"}, {"send_id": "a\ufffd"}),
    ],
)
def test_an_answer_repeats_what_it_is_about(frame, about):
    assert parsed(**frame).about == about
