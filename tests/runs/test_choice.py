"""The choice, explained: which route would answer, and why not the others."""

from typing import Any

import pytest

from agentcore.chat import Route
from agentcore.gateway.breaker import THRESHOLD
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
from agentcore.services.breakers import breaker_admit, breaker_settle
from agentcore.services.choice import Verdict, Wanted, choice_explained

pytestmark = pytest.mark.django_db


@pytest.fixture
def several(db: None) -> AgentProfile:
    agent = AgentProfile.objects.create(slug="several", name="Several")
    for position, slug in enumerate(("one", "two", "three")):
        provider = Provider.objects.create(slug=slug, provider_type="mock", name=slug, default_model="mock-1")
        AgentRoute.objects.create(agent=agent, provider=provider, position=position)
    return agent


def verdicts(agent: AgentProfile, **wanted: object) -> list[tuple[str, str]]:
    return [
        (item.route.provider_id, item.verdict.value)
        for item in choice_explained(agent, Wanted(**wanted))  # type: ignore[arg-type]
    ]


def rest(slug: str, model: str = "mock-1") -> None:
    route = Route(slug, model)
    for _ in range(THRESHOLD):
        breaker_settle(breaker_admit(route), "PROVIDER_UNAVAILABLE")


def test_the_first_route_answers_and_the_others_are_next(several: AgentProfile) -> None:
    assert verdicts(several) == [("one", "answers"), ("two", "next"), ("three", "next")]


def test_a_person_s_choice_comes_first(several: AgentProfile) -> None:
    assert verdicts(several, provider_id="three") == [("three", "answers"), ("one", "next"), ("two", "next")]
    assert verdicts(several, provider_id="three", model="mock-1")[0] == ("three", "answers")


@pytest.mark.parametrize(
    ("wanted", "fields", "reason"),
    [
        ({"model": "other"}, {}, "no model of that name"),
        ({"provider_id": "one", "model": "other"}, {}, "no model of that name"),
        ({"provider_id": "one"}, {"enabled": False}, "disabled"),
        ({"provider_id": "one"}, {"provider_type": "openai_chat", "credential": "k"}, "No key"),
    ],
)
def test_a_choice_that_a_run_would_refuse_stands_alone(
    several: AgentProfile, wanted: dict[str, str], fields: dict[str, Any], reason: str
) -> None:
    Credential.objects.create(slug="k", token=b"")
    Provider.objects.filter(slug="one").update(**fields)

    [alone] = choice_explained(several, Wanted(**wanted))  # type: ignore[arg-type]
    assert (alone.route.provider_id, alone.verdict, reason in alone.reason) == ("one", Verdict.FAILS, True)


def test_a_model_alone_is_one_of_the_first_provider_that_can_be_asked(several: AgentProfile) -> None:
    Provider.objects.filter(slug="one").update(enabled=False)

    assert verdicts(several, model="mock-1")[0] == ("two", "answers")


def test_a_route_that_rests_says_until_when(several: AgentProfile) -> None:
    rest("one")
    first = choice_explained(several, Wanted())[0]

    assert verdicts(several) == [("one", "rests"), ("two", "answers"), ("three", "next")]
    assert "PROVIDER_UNAVAILABLE" in first.reason


def test_with_all_at_rest_the_one_that_comes_back_first_answers(several: AgentProfile) -> None:
    for slug in ("two", "one", "three"):
        rest(slug)

    assert verdicts(several) == [("one", "rests"), ("two", "answers"), ("three", "rests")]


def test_a_route_without_its_key_fails(several: AgentProfile) -> None:
    credential = Credential.objects.create(slug="k", token=b"")
    Provider.objects.filter(slug="one").update(provider_type="openai_chat", credential=credential)

    assert verdicts(several) == [("one", "fails"), ("two", "answers"), ("three", "next")]


def test_what_somebody_has_to_mend_is_said(several: AgentProfile) -> None:
    breaker_settle(breaker_admit(Route("one", "mock-1")), "PROVIDER_AUTH_FAILED")
    first = choice_explained(several, Wanted())[0]

    assert (first.verdict, "PROVIDER_AUTH_FAILED" in first.reason) == (Verdict.ANSWERS, True)


def test_a_test_that_failed_is_said(several: AgentProfile) -> None:
    Provider.objects.filter(slug="one").update(status={"ok": False, "message": "It is out of order."})

    assert "It is out of order." in choice_explained(several, Wanted())[0].reason


def test_what_is_disabled_comes_last(several: AgentProfile) -> None:
    Provider.objects.filter(slug="one").update(enabled=False)

    assert verdicts(several) == [("two", "answers"), ("three", "next"), ("one", "disabled")]


def test_a_model_that_lacks_what_is_needed_is_skipped(several: AgentProfile) -> None:
    Provider.objects.filter(slug="one").update(profile={"tool_mode": "none"})

    assert verdicts(several) == [("two", "answers"), ("three", "next"), ("one", "skipped")]
    assert verdicts(several, with_tools=False)[0] == ("one", "answers")


def test_one_that_could_but_has_no_key_is_no_reason_to_skip_the_others(several: AgentProfile) -> None:
    credential = Credential.objects.create(slug="k", token=b"")
    Provider.objects.update(profile={"tool_mode": "none"})
    Provider.objects.filter(slug="three").update(provider_type="openai_chat", credential=credential, profile={})

    assert verdicts(several) == [("one", "answers"), ("two", "next"), ("three", "fails")]


def test_where_none_can_the_first_is_sent_less(several: AgentProfile) -> None:
    first = choice_explained(several, Wanted(with_picture=True))[0]

    assert (first.route.provider_id, first.verdict, first.omitted) == ("one", Verdict.ANSWERS, ("images",))
