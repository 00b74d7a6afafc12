"""The export: every row that fits the filters, as it is in the ledger, and nothing that a spreadsheet would run."""

import csv
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient

from agentcore.ids import uuid7
from agentcore.observers import RunEnded
from governance.models import AuditEvent, ModelCall, Turn
from governance.pages import export
from governance.pages.export import neutral
from governance.services.ledger import ledger_record
from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
EXPORT = "/governance/turns/export.csv"


def rows_of(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 200
    text = b"".join(response.streaming_content).decode()
    return list(csv.DictReader(StringIO(text)))


def test_a_file_has_every_row_once_and_newest_first(
    browse: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_A_PART", 7)
    ledger_seed(30, days=9)

    found = rows_of(browse("admin", EXPORT))

    assert [row["run_id"] for row in found] == [str(run_id) for run_id in Turn.objects.values_list("run_id", flat=True)]
    assert found[0]["cost"] in {"", f"{Turn.objects.all()[0].cost:f}"}


def test_the_filters_count(browse: Callable[..., Any]) -> None:
    ledger_seed(60, days=9)

    found = rows_of(browse("admin", EXPORT, status="failed"))

    assert len(found) == Turn.objects.filter(status="failed").count()
    assert {row["status"] for row in found} <= {"failed"}


def test_of_nothing_there_is_a_header(browse: Callable[..., Any]) -> None:
    response = browse("admin", EXPORT)

    text = b"".join(response.streaming_content).decode()
    assert text.startswith("run_id,started_at,")
    assert text.count("\r\n") == 1
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"].startswith('attachment; filename="turns-')
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1"])
def test_what_looks_like_a_formula_is_only_text(browse: Callable[..., Any], ended: RunEnded, text: str) -> None:
    ledger_record(uuid7(), [replace(ended, started=replace(ended.started, username=text))])

    assert rows_of(browse("admin", EXPORT))[0]["username"].startswith("'")
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize(("value", "text"), [(-5, "-5"), (None, ""), ("a=b", "a=b"), (0, "0")])
def test_what_is_no_formula_stays(value: Any, text: str) -> None:
    assert neutral(value) == text


def test_a_file_leaves_no_trace(browse: Callable[..., Any], ended: RunEnded) -> None:
    ledger_record(uuid7(), [ended])

    rows_of(browse("admin", EXPORT))

    assert (Turn.objects.count(), ModelCall.objects.count(), AuditEvent.objects.count()) == (1, 0, 0)


def test_wrong_filters_make_no_file(browse: Callable[..., Any]) -> None:
    response = browse("admin", EXPORT, status="nope")

    assert response.status_code == 400
    assert "not one of the available choices" in response.content.decode()


@pytest.mark.django_db(transaction=True)
async def test_a_file_is_streamed_from_the_event_loop() -> None:
    await User.objects.acreate(username="root", is_superuser=True)
    client = AsyncClient()
    await client.aforce_login(await User.objects.aget(username="root"))

    response = await client.get(EXPORT)

    assert response.is_async
    assert b"".join([part async for part in response.streaming_content]).startswith(b"run_id,")
