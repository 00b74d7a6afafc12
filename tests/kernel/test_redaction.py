"""Redaction: no secret survives, whatever it is wrapped in, and what comes out is still what it was."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.redaction import REDACTED, Redactor, truncate

CANARY = "canary-7f3a-91"
redact = Redactor().redact

words = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "key",
    [
        *("password", "PassWord", "api_key", "X-API-Key", "apikey", "Authorization", "client-secret", "access_token"),
        *("refreshToken", "token", "Set-Cookie", "private_key", "aws_secret_access_key", "db_passwd", "pwd", "pin"),
    ],
)
def test_what_stands_under_a_secret_key_goes(key: str) -> None:
    assert redact({"a": [{key: CANARY}, {key: {"inner": [CANARY]}}, {key: 1234}]}) == {"a": [{key: REDACTED}] * 3}


@pytest.mark.parametrize(
    "key",
    ["input_tokens", "max_tokens", "tokens", "author", "credential_id", "keyboard", "finish_reason", "tokens_used"],
)
def test_ordinary_keys_stay(key: str) -> None:
    assert redact({key: 12}) == {key: 12}


@pytest.mark.parametrize(
    "text",
    [
        "my key is sk-canary7f3a91",
        "sk-proj-canary_7f3a_91-abcdef",
        "Bearer canary7f3a91abc",
        "bearer  canary7f3a91abc",
        "Authorization: Basic Y2FuYXJ5OnNlY3JldA==canary",
        "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.canary",
        "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY----- after",
        "-----BEGIN PRIVATE KEY-----\\ncanary cut off",
        "AKIACANARYCANARY0000canary"[:20].replace("canary", "CANARY"),
        "AIzaSyCanary0123456789canary0123456789",
        "ghp_canary0123456789canary0123456789",
        "github_pat_canary0123456789canary",
        "xoxb-1234567890-canary",
        "postgres://steward:canary@db.internal:5432/steward",
        "https://me:p@canary@host/path",
        "https://canary0123456789abcdef@host/x",
        "https://host/cb?code=canary&state=1",
        "https://host/v1?key=canary&x=1",
        "https://host/v1?x=1&access_token=canary",
        "Cookie: sessionid=canary; csrftoken=canary",
        "password=canary",
        "password: 'canary with spaces'",
        '{"password": "canary", broken json',
        'failed with {"api_key": "canary"} in it',
        r'{"body": "{\"api_key\": \"canary\"}", broken',
        "{'secret': 'canary'}",
        "X-Api-Key: canary",
        "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=canary==;EndpointSuffix=core",
    ],
)
def test_what_looks_like_a_secret_goes(text: str) -> None:
    assert "canary" not in redact(text).lower()
    assert "canary" not in json.dumps(redact({"note": [text]})).lower()
    assert "canary" not in redact(RuntimeError(text)).lower()
    assert "canary" not in redact(json.dumps({"deep": json.dumps({"text": text})})).lower()


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Fly from Berlin to Beijing at 10:30, please.",
        "The task-management-list is risky-business.",
        "https://example.com/a?b=1#c",
        "http://127.0.0.1:8000/agent/",
        "write to me@example.com",
        "明天去北京的航班",
        "max_tokens: 4096",
        '{"flight": "AB-123", "seats": [1, 2]}',
        "0192f5d8-7e1c-7c3a-9f00-0123456789ab",
        "2026-07-01T12:00:00+00:00",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_headers_as_pairs_and_as_names() -> None:
    assert redact([["Authorization", CANARY], ("x-api-key", CANARY)]) == [
        ["Authorization", REDACTED],
        ["x-api-key", REDACTED],
    ]
    assert redact({"name": "Authorization", "value": CANARY}) == {"name": "Authorization", "value": REDACTED}


def test_json_in_a_string_is_redacted_inside_and_stays_json() -> None:
    text = json.dumps({"a": json.dumps({"password": CANARY, "n": 1})})

    assert json.loads(json.loads(redact(text))["a"]) == {"password": REDACTED, "n": 1}


def test_a_repeated_json_key_hides_nothing() -> None:
    assert CANARY not in redact(f'{{"a": "sk-{CANARY}", "a": "fine"}}')


def test_json_without_a_secret_keeps_its_spelling() -> None:
    assert redact('{"a":1,  "b" : [2]}') == '{"a":1,  "b" : [2]}'


@given(
    st.text(min_size=8, max_size=24).filter(lambda text: len(text.strip()) >= 8 and text.strip() not in REDACTED),
    values,
    words,
)
def test_no_stored_credential_survives(secret: str, around: Any, word: str) -> None:
    secret = secret.strip()
    hidden = {
        "plain": f"{word} {secret} {word}",
        "nested": [around, {"deeper": (secret,)}],
        "json": json.dumps({"x": [secret]}),
        "json in json": json.dumps({"x": json.dumps([secret])}),
        "error": ValueError(secret),
        word + secret: 1,
    }

    shown = Redactor([secret]).redact(hidden)

    assert not [leaf for leaf in leaves(shown) if secret in leaf and leaf not in EVER_PRESENT]


EVER_PRESENT = {"plain", "nested", "json", "json in json", "error", "deeper"}


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for pair in value.items() for part in pair for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, str) and value.lstrip().startswith(("{", "[", '"')):
        try:
            return [value, *leaves(json.loads(value))]
        except ValueError:
            return [value]
    return [value] if isinstance(value, str) else []


PIECES = st.sampled_from(
    [
        *("password", "=", ": ", "token", '"', "'", "{", "}", "[", "]", "sk-abcdefgh", "Bearer ", "://", "u:p@", "@"),
        *(" ", "\n", "\\", "eyJabcdef.abcdef.x", REDACTED, "authorization", "cookie:", "?key=", "a", "abcdefghijk"),
        *(",", "&", ";", "1", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"),
    ]
)


@given(
    st.lists(PIECES, max_size=12).map("".join),
    st.sampled_from([(), (CANARY,), ("redacted",), ("]abcdefgh", "a'b\"cdefgh")]),
)
def test_redacting_again_changes_nothing(text: str, secrets: tuple[str, ...]) -> None:
    redactor = Redactor(secrets)
    once = redactor.redact(text)

    assert redactor.redact(once) == once


@given(values)
def test_json_stays_json(value: Any) -> None:
    json.dumps(redact(value), allow_nan=False)
    assert json.loads(redact(json.dumps(value, allow_nan=True))) is not ...


def test_stored_value_that_is_a_short_word_leaves_words_alone() -> None:
    assert Redactor(["none", "1234567"]).redact("There is none, nonetheless: 1234567") == (
        "There is none, nonetheless: 1234567"
    )


def test_stored_value_that_is_the_word_of_a_shape_does_not_hide_the_shape() -> None:
    assert "canary" not in Redactor(["password"]).redact("password=canary")


@given(st.text(max_size=40), values)
def test_json_text_with_any_secret_stays_json(secret: str, value: Any) -> None:
    json.loads(Redactor([secret]).redact(json.dumps({"a": value, "b": secret})))


class Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_nothing_makes_it_raise() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    hostile = [Hostile(), {Hostile(): object()}, b"\xff\x00", float("nan"), float("inf"), 10**5000, loop, deep, {1, 2}]

    json.dumps(redact(hostile), allow_nan=False)
    redact("[" * 100_000)
    redact("\ud800 password=\ud800")
    truncate(redact(hostile), max_string=10, max_items=3)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "eyJ",
        "eyJaaaaaa.",
        "://a:",
        "password",
        "password=",
        "\\",
        '"',
        "sk-",
        "-----BEGIN ",
        " ",
        "token ",
        "@",
        "bearer ",
    ],
)
def test_long_text_takes_linear_time(piece: str) -> None:
    started = time.process_time()

    redact(piece * (100_000 // len(piece)))

    assert time.process_time() - started < 2


def test_redaction_comes_before_truncation() -> None:
    shown = truncate(redact("x" * 10 + " sk-" + "canary" * 10), max_string=20, max_items=5)

    assert "canary"[:4] not in shown


def test_truncation_counts_what_it_cut() -> None:
    cut = truncate(
        {"text": "x" * 50, "items": list(range(9)), "more": {str(n): n for n in range(9)}}, max_string=5, max_items=3
    )

    assert cut["text"] == "xxxxx… (50 characters)"
    assert cut["items"] == [0, 1, 2, "… (6 more)"]
    assert cut["more"] == {"0": 0, "1": 1, "2": 2, "…": "(6 more)"}
