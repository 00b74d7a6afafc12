"""Any query at all, on every list, page and file: an answer or a clear refusal, never a failure."""

from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
# Fixed: a test has the same name in every worker.
UNKNOWN = "01980000-0000-7000-8000-000000000000"
PAGES = ("/governance/turns/", "/governance/audit/", "/governance/cost/", f"/governance/turns/{UNKNOWN}/")
LISTS = (
    *("/api/governance/turns", "/api/governance/audit", "/api/governance/cost"),
    *("/api/conversations", f"/api/conversations/{UNKNOWN}/messages", f"/api/agent/runs/{UNKNOWN}/trace"),
    *("/api/agents", "/api/models", "/api/tools", f"/api/agent/runs/{UNKNOWN}/events"),
)
FILE = "/governance/turns/export.csv"
NAMES = (
    *("user", "agent", "provider", "model", "tool", "actor", "action", "status", "error_code", "currency", "unpriced"),
    *("run_id", "conversation_id", "since", "until", "period", "limit", "cursor", "after", "after_sequence", "q", "x"),
)
JUNK = (
    *("", " ", "0", "-1", "-0", "1e9", "NaN", "²", "٣", "00", "+1", "0x1", "true", "null", "[]", "{}"),
    *("2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "9" * 400),
    *("0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2026-02-30", "2026-7-1", "2026-07-01T00:00", "today"),
    *("\x00", "\ud800", "\udfff", "\u2028", "%", "%00", "\\", "'", '"', "<script>", "=1+1", "x" * 10_000),
    *("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", UNKNOWN, "{" + UNKNOWN),
    *("fHx8", "YXVkaXR8b2xkZXJ8MXwx", "====", "a" * 301, "USD", "usd", "failed", "running", "7d", "last_month"),
)
VALUES = st.one_of(st.sampled_from(JUNK), st.text(max_size=30))
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=6)


@pytest.fixture
def reader(browser: Client, ada: Any) -> Client:
    """A superuser's browser on a ledger with turns."""
    type(ada).objects.update(is_superuser=True)
    ledger_seed(20, days=3)
    return browser


def asked(client: Client, path: str, pairs: list[tuple[str, str]]) -> Any:
    query = "&".join(f"{name}={quote(value.encode('utf-8', 'surrogatepass'))}" for name, value in pairs)
    return client.get(path, QUERY_STRING=query)


def assert_answered(path: str, answer: Any) -> None:
    """In the shape of its kind."""
    if path in PAGES:
        assert answer.status_code in {200, 404}
    elif path == FILE:
        assert answer.status_code in {200, 400}
    else:
        assert answer.status_code in {200, 400, 404}
        if answer.status_code == 400:
            error = answer.json()["error"]
            assert error["code"] == "VALIDATION_ERROR"
            assert error["message"]
            assert error["details"]


@pytest.mark.parametrize("path", [*PAGES, *LISTS, FILE], ids=lambda path: path.replace("/", " ").strip()[:40])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=QUERIES)
def test_any_query_is_answered(reader: Client, path: str, pairs: list[tuple[str, str]]) -> None:
    assert_answered(path, asked(reader, path, pairs))


@pytest.mark.parametrize("path", [*PAGES[:3], *LISTS[:3], FILE])
@pytest.mark.parametrize(
    "pairs",
    [
        [("since", "2026-07-02"), ("until", "2026-07-01")],
        [("since", "0000-01-01")],
        [("until", "10000-01-01")],
        [("since", "2026-02-30")],
        [("period", "forever")],
    ],
    ids=str,
)
def test_days_that_make_no_sense_are_named(reader: Client, path: str, pairs: list[tuple[str, str]]) -> None:
    answer = asked(reader, path, pairs)

    if path in PAGES:
        assert "One of the filters could not be understood" in answer.content.decode()
    else:
        assert answer.status_code == 400


@pytest.mark.parametrize("path", [*PAGES[:3], *LISTS[:3], FILE])
def test_of_a_parameter_that_is_repeated_the_last_counts(reader: Client, path: str) -> None:
    answer = asked(reader, path, [("since", "nonsense"), ("since", "2026-07-01"), ("user", "a"), ("user", "nobody")])

    assert answer.status_code == 200
    assert b"could not be understood" not in answer.getvalue()
