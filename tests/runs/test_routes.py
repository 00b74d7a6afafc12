"""Runs over several routes: what the person sees, what the ledger keeps, and what a recovery leaves out."""

from typing import Any

import pytest
from django.core.cache import cache

from agentcore.chat import Route
from agentcore.events import EventType
from agentcore.gateway.breaker import THRESHOLD, Breaker, BreakerState
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider, Run
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import follow, start_run
from agentcore.services import breakers
from agentcore.services.breakers import breaker_admit, breaker_reset, breaker_settle, breaker_states
from agentcore.services.recovery import Shown
from governance.models import ModelCall
from tests.fake_upstream import Answer, FakeUpstream, chunk

pytestmark = pytest.mark.database

# That of the site. A test has one of its own by the time that it begins.
OF_THE_SITE = breakers._breaker


@pytest.fixture
def two_routes(agent: AgentProfile) -> AgentProfile:
    """The first has no key that can be had."""
    credential = Credential.objects.create(slug="gone", token=b"")
    fields = {"provider_type": "openai_chat", "base_url": "https://keyless.test/v1", "credential": credential}
    provider = Provider.objects.create(slug="keyless", name="Keyless", default_model="m-1", **fields)
    AgentRoute.objects.filter(agent=agent).update(position=1)
    AgentRoute.objects.create(agent=agent, provider=provider, position=0)
    return agent


async def ended(text: str, user: Any, **fields: Any) -> tuple[Run, list[tuple[str, dict[str, Any]]]]:
    started = await start_run(RunRequest(input=text, **fields), user=user)
    events = [event async for batch in follow(started.run_id) for event in batch]
    return await Run.objects.aget(id=started.run_id), [(event.type.value, event.data) for event in events]


def of(kind: EventType, events: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [data for name, data in events if name == kind.value]


async def test_the_next_route_answers_and_the_person_sees_it(
    two_routes: AgentProfile, process: Runtime, user: Any
) -> None:
    run, events = await ended("hello", user)
    await process.engine.drain()

    assert (run.status, run.provider_id, run.requested_provider_id) == ("completed", "mock", "keyless")
    assert of(EventType.ROUTE_CHANGED, events) == [
        {
            "from": {"provider_id": "keyless", "model": "m-1"},
            "to": {"provider_id": "mock", "model": "mock-1"},
            "reason": "PROVIDER_CREDENTIAL_MISSING",
            "discard": None,
            "omitted": [],
        }
    ]
    calls = [
        (call.provider_id, call.outcome, call.retry_reason) async for call in ModelCall.objects.order_by("attempt")
    ]
    assert calls == [
        ("keyless", "PROVIDER_CREDENTIAL_MISSING", ""),
        ("mock", "ok", "PROVIDER_CREDENTIAL_MISSING"),
    ]
    # Every process knows now that somebody has to mend it.
    assert breaker_states([Route("keyless", "m-1")])[0].warning == "PROVIDER_CREDENTIAL_MISSING"


async def test_what_a_person_chose_is_asked_before_the_agents_own_routes(
    two_routes: AgentProfile, process: Runtime, user: Any
) -> None:
    run, events = await ended("hello", user, provider_id="mock")

    assert [route["provider_id"] for route in run.config["routes"]] == ["mock", "keyless"]
    assert (run.provider_id, run.model_calls, of(EventType.ROUTE_CHANGED, events)) == ("mock", 1, [])


async def failed(answer: Answer, user: Any, site: Any, **settings: Any) -> tuple[str, int]:
    """The error code of a run whose one route answers so, and how often it was asked."""
    site.STEWARD = site.STEWARD | {"ALLOW_PRIVATE_PROVIDER_URLS": True, "RUN_TIMEOUT": 10, **settings}
    async with FakeUpstream([answer]) as upstream:
        fields = {"provider_type": "openai_chat", "name": "Far", "default_model": "m-1"}
        await Provider.objects.acreate(slug="far", base_url=upstream.base_url, **fields)
        await AgentRoute.objects.aupdate(provider_id="far")
        run, _events = await ended("hello", user)
    return run.error["code"], len(upstream.requests)


async def test_a_wait_that_the_run_has_no_time_for_is_not_begun(
    agent: AgentProfile, process: Runtime, user: Any, settings: Any
) -> None:
    busy = Answer(status=429, headers={"retry-after": "15"}, writes=[b"{}"])
    assert await failed(busy, user, settings) == ("PROVIDER_RATE_LIMITED", 1)


@pytest.mark.parametrize(
    ("setting", "writes"), [("FIRST_TOKEN_TIMEOUT", []), ("IDLE_TIMEOUT", [chunk({"content": "half"})])]
)
async def test_silence_has_the_limits_of_the_site(
    agent: AgentProfile, process: Runtime, user: Any, settings: Any, *, setting: str, writes: list[bytes]
) -> None:
    silent = Answer(writes=writes, end="hang")
    assert (await failed(silent, user, settings, **{setting: 0.1}))[0] == "PROVIDER_TIMEOUT"


async def test_what_fails_once_is_asked_again_in_silence(agent: AgentProfile, process: Runtime, user: Any) -> None:
    run, events = await ended("/fail-once PROVIDER_UNAVAILABLE\nhello", user)

    assert (run.status, run.model_calls) == ("completed", 2)
    assert of(EventType.ROUTE_CHANGED, events) == []


async def test_text_that_was_taken_back_is_no_part_of_the_answer(
    agent: AgentProfile, process: Runtime, user: Any
) -> None:
    await AgentProfile.objects.aupdate(fallback_after_text="restart")
    run, events = await ended("/fail-once PROVIDER_BAD_RESPONSE 2\n/stream 3", user)

    void = of(EventType.ROUTE_CHANGED, events)[0]["discard"]
    whole = of(EventType.MESSAGE_COMPLETED, events)
    assert (run.status, run.output) == ("completed", "w1 w2 w3 ")
    assert of(EventType.TEXT_DELTA, events)[0]["message_id"] == void
    assert [message["text"] for message in whole] == ["w1 w2 w3 "]
    assert whole[0]["message_id"] != void


async def test_by_default_the_text_stays_and_the_true_cause_is_told(
    agent: AgentProfile, process: Runtime, user: Any
) -> None:
    run, events = await ended("/fail-once PROVIDER_BAD_RESPONSE 2\n/stream 3", user)

    assert (run.status, run.output, run.model_calls) == ("failed", "w1 w2 ", 1)
    assert run.error["code"] == "PROVIDER_BAD_RESPONSE"
    assert of(EventType.ROUTE_CHANGED, events) == []


async def test_a_recovery_leaves_out_what_was_taken_back(agent: AgentProfile, process: Runtime, user: Any) -> None:
    await AgentProfile.objects.aupdate(fallback_after_text="restart")
    started = await start_run(RunRequest(input="/fail-once PROVIDER_BAD_RESPONSE 2\n/stream 3"), user=user)
    log = [event async for batch in follow(started.run_id) for event in batch]
    shown = Shown()
    for event in log:
        if event.type is not EventType.MESSAGE_COMPLETED:
            shown.see(event)

    assert [message.text for message in shown.messages()] == ["w1 w2 w3 "]
    # What was taken back was billed all the same.
    assert "".join(shown.said) == "w1 w2 w1 w2 w3 "


def test_a_breaker_is_shared_through_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakers, "_breaker", OF_THE_SITE)
    elsewhere, route = Breaker(cache), Route("shared", "of-two-processes")
    breaker_reset(route)
    for _ in range(THRESHOLD):
        breaker_settle(breaker_admit(route), "PROVIDER_TIMEOUT")

    known = breaker_states([route])[0]
    assert (known.state, known.code, known.failures) == (BreakerState.OPEN, "PROVIDER_TIMEOUT", THRESHOLD)
    assert not elsewhere.admit(route).is_admitted
    elsewhere.reset(route)
    assert breaker_admit(route).is_admitted


def test_a_cache_that_is_away_keeps_nobody_from_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def get(self, key: str) -> None:
            raise ConnectionError("redis://user:secret@away")

    monkeypatch.setattr(breakers, "_breaker", Breaker(Away()))  # type: ignore[arg-type]
    admission = breaker_admit(Route("any", "m"))
    breaker_settle(admission, "PROVIDER_TIMEOUT")

    assert admission.is_admitted
