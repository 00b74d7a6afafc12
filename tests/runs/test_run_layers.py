"""The site's run layers over a run with rows: events, messages and output are what the layers answered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentcore.events import Event, EventType
from agentcore.models import Run, RunEvent
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import cancel_run, follow, start_run
from conversations.models import Message
from tests.runs import layers
from tests.runs.layers import DISCLAIMER, EXCUSE, INSTEAD

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


Through = Callable[[str, str], Awaitable[tuple[Run, list[Event]]]]


@pytest.fixture
def through(process: Runtime, user: Any, settings: Any) -> Through:
    """Runs a text through one layer of ``tests.runs.layers``."""

    async def run(layer: str, text: str) -> tuple[Run, list[Event]]:
        settings.STEWARD = {"RUN_MIDDLEWARE": [f"tests.runs.layers.{layer}"]}
        started = await start_run(RunRequest.parse({"input": text}), user=user)
        events = [event async for batch in follow(started.run_id) for event in batch]
        await process.engine.drain()
        return await Run.objects.aget(id=started.run_id), events

    return run


def shown(events: list[Event]) -> dict[str, str]:
    return {event.data["message_id"]: event.data["text"] for event in events if event.type == "MessageCompleted"}


async def stored(run: Run) -> dict[str, str]:
    rows = Message.objects.filter(run_id=run.id, role="assistant").exclude(text="").order_by("position")
    return {str(row.pk): row.text async for row in rows}


@pytest.mark.parametrize(
    ("layer", "text", "expected"),
    [
        ("reply_instead", "hi", [INSTEAD]),
        ("disclaim", "hi", ["You said: hi", DISCLAIMER]),
        ("correct", "hi", ["YOU SAID: HI"]),
        ("excuse", "/fail PROVIDER_TIMEOUT", [EXCUSE]),
        ("excuse", "/fail PROVIDER_TIMEOUT 1", ["w1 ", EXCUSE]),
    ],
)
async def test_what_the_layers_answer_is_shown_and_stored(
    through: Through, layer: str, text: str, expected: list[str]
) -> None:
    run, events = await through(layer, text)

    assert run.status == "completed"
    assert list((await stored(run)).values()) == expected
    assert shown(events) == await stored(run)
    assert run.output == events[-1].data["output"] == expected[-1]


async def test_reply_instead_calls_no_model_and_says_why_it_ended(through: Through) -> None:
    run, events = await through("reply_instead", "hi")

    assert (run.finish_reason, run.model_calls, run.provider_id) == ("guardrail", 0, "")
    assert [event.type for event in events] == [
        EventType.RUN_STARTED,
        EventType.TEXT_DELTA,
        EventType.MESSAGE_COMPLETED,
        EventType.RUN_COMPLETED,
    ]


async def test_layer_that_raises_ends_the_run_with_its_code(through: Through) -> None:
    run, events = await through("refuse", "hi")

    assert run.status == "failed"
    assert events[-1].data["error"]["code"] == run.error["code"] == "GUARDRAIL_BLOCKED"


@pytest.mark.parametrize("layer", ["cancel_a_task_of_its_own", "leave_the_process"])
async def test_layer_that_ends_more_than_its_run_fails_the_run_alone(through: Through, layer: str) -> None:
    run, events = await through(layer, "hi")

    assert run.status == "failed"
    assert events[-1].data["error"]["code"] == run.error["code"] == "INTERNAL_ERROR"
    assert run.recorded_at is not None


@pytest.mark.parametrize("layer", ["swallow_the_stop", "make_a_fault_of_the_stop"])
async def test_stop_holds_whatever_a_layer_makes_of_it(process: Runtime, user: Any, settings: Any, layer: str) -> None:
    settings.STEWARD = {"RUN_MIDDLEWARE": [f"tests.runs.layers.{layer}"]}
    started = await start_run(RunRequest.parse({"input": "/stream 1000 20"}), user=user)
    async for batch in follow(started.run_id):
        if any(event.type is EventType.TEXT_DELTA for event in batch):
            await cancel_run(started.run_id, user=user)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    assert (run.status, run.cancel_reason, run.error) == ("cancelled", "user", None)


@pytest.mark.parametrize("code", ["RUN_TIMEOUT", "INTERNAL_ERROR"])
async def test_run_ends_without_a_layer_that_never_lets_it_go(
    process: Runtime, user: Any, settings: Any, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    is_stopped = code == "INTERNAL_ERROR"
    settings.STEWARD = {"RUN_MIDDLEWARE": ["tests.runs.layers.hold_on"], "RUN_TIMEOUT": 60 if is_stopped else 0.01}
    monkeypatch.setattr("agentcore.runs.engine.STOP_S", 0)
    monkeypatch.setattr(layers, "let_go", asyncio.Event())
    started = await start_run(RunRequest.parse({"input": "hi"}), user=user)
    task = process.engine.jobs[started.run_id].task
    if is_stopped:
        await cancel_run(started.run_id, user=user)

    events = [event async for batch in follow(started.run_id) for event in batch]
    layers.let_go.set()
    await asyncio.gather(task, return_exceptions=True)

    run = await Run.objects.aget(id=started.run_id)
    assert events[-1].data["error"]["code"] == run.error["code"] == code
    assert run.recorded_at is not None
    assert await RunEvent.objects.filter(run_id=run.id).acount() == len(events)
