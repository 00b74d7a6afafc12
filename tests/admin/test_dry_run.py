"""The dry run: the routes of an agent with what would become of each, in words, and nobody is asked."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agentcore.chat import Route
from agentcore.gateway.breaker import THRESHOLD
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
from agentcore.services.breakers import breaker_admit, breaker_settle

PAGE = "/admin/agentcore/agentprofile/dry-run/"


@pytest.fixture
def several(agent: AgentProfile) -> AgentProfile:
    """Three routes: hosted/fx-1, second/mock-1, third/mock-1."""
    for position, slug in enumerate(("second", "third"), start=1):
        other = Provider.objects.create(slug=slug, provider_type="mock", name=slug.title(), default_model="mock-1")
        AgentRoute.objects.create(agent=agent, provider=other, position=position)
    return agent


def verdicts(browser: Client, **asked: str) -> list[tuple[str, str]]:
    """Each route's provider, with what becomes of it."""
    answer = browser.get(PAGE, asked)
    assert answer.status_code == 200
    return [(item["provider"].slug, str(item["verdict"])) for item in answer.context["routes"]]


def test_the_first_route_answers_and_the_others_would_be_next(boss: Client, several: AgentProfile) -> None:
    said = [("hosted", "answers"), ("second", "would be next"), ("third", "would be next")]
    assert verdicts(boss, agent="assistant") == said
    assert verdicts(boss) == said


def test_a_route_that_rests_or_is_switched_off_or_has_no_key_is_not_the_answer(
    boss: Client, several: AgentProfile
) -> None:
    for _number in range(THRESHOLD):
        breaker_settle(breaker_admit(Route("second", "mock-1")), "PROVIDER_TIMEOUT")
    Credential.objects.update(token=b"")
    assert verdicts(boss) == [("hosted", "would fail"), ("second", "rests"), ("third", "answers")]
    page = boss.get(PAGE).content.decode()
    assert "PROVIDER_TIMEOUT" in page
    assert "rests until" in page
    assert "/admin/agentcore/provider/second/change/" in page

    Provider.objects.filter(slug="third").update(enabled=False)
    assert ("third", "switched off") in verdicts(boss)


def test_a_persons_choice_goes_first(boss: Client, several: AgentProfile) -> None:
    asked = boss.get(PAGE, {"agent": "assistant", "provider": "third", "model": "another"})
    assert asked.context["routes"][0]["route"] == Route("third", "another")
    assert verdicts(boss, provider="third")[0] == ("third", "answers")


def test_a_route_that_cannot_take_the_request_is_left_out(boss: Client, several: AgentProfile) -> None:
    Provider.objects.filter(slug="hosted").update(profile={"tool_mode": "none", "vision": True})
    Provider.objects.filter(slug="second").update(profile={"tool_mode": "native", "vision": False})
    Provider.objects.filter(slug="third").update(profile={"tool_mode": "native", "vision": True})

    assert verdicts(boss, tools="with", picture="without")[-1] == ("hosted", "left out")
    assert verdicts(boss, tools="without", picture="with")[0] == ("hosted", "answers")
    assert verdicts(boss, tools="with", picture="with")[0] == ("third", "answers")
    Provider.objects.update(profile={"tool_mode": "none", "vision": False})
    page = boss.get(PAGE, {"tools": "with", "picture": "with"}).content.decode()
    assert "It is sent without pictures. It is sent without tools." in page


def test_an_agent_without_routes_says_so(boss: Client) -> None:
    assert boss.get(PAGE).status_code == 200
    AgentProfile.objects.create(slug="bare", name="Bare", enabled=False)
    page = boss.get(PAGE).content.decode()
    assert "nothing would answer" in page
    assert "switched off, so nobody can ask it" in page


@pytest.mark.parametrize("asked", [{"agent": "nobody"}, {"agent": "\0"}, {"provider": "x\0"}, {"tools": "perhaps"}])
def test_nonsense_is_told_and_no_fault(asked: dict[str, str], boss: Client, several: AgentProfile) -> None:
    answer = boss.get(PAGE, asked)
    assert answer.status_code == 200
    assert answer.context["form"].errors.keys() == asked.keys()
    assert answer.context["routes"] == []


def test_the_page_is_for_who_may_see_agents_and_providers(
    boss: Client, staff: Callable[..., Client], several: AgentProfile
) -> None:
    browser = staff("view_agentprofile")
    assert browser.get(PAGE).status_code == 403
    own = "/admin/agentcore/agentprofile/assistant/change/"
    assert b"What would answer?" not in browser.get(own).content
    for address in (own, "/admin/"):
        assert f'href="{PAGE}' in boss.get(address).content.decode()


def test_it_takes_few_queries(
    boss: Client, several: AgentProfile, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    # Two of them are the session and its user.
    with django_assert_max_num_queries(8):
        boss.get(PAGE, {"agent": "assistant", "provider": "third"})
