"""Breakers in the admin: a route that rests is seen, with the reason and what to do, and can be asked again."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from agentcore.chat import Route
from agentcore.gateway.breaker import THRESHOLD, Breaker, MemoryStore
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.services import breakers
from agentcore.services.breakers import breaker_admit, breaker_settle, breaker_states
from agentcore.services.credentials import credential_store
from agentcore.services.probes import providers_test
from agentcore.services.providers import provider_save

CHANGE = "/admin/agentcore/provider/hosted/change/"
RESET = "/admin/agentcore/provider/hosted/reset/"
LIST = "/admin/agentcore/provider/"


class AwayStore(MemoryStore):
    """A cache that cannot be reached."""

    def get(self, key: str) -> Any:
        raise ConnectionError


def fail(route: Route, code: str, times: int = 1) -> Route:
    for _number in range(times):
        breaker_settle(breaker_admit(route), code)
    return route


def test_a_route_that_rests_is_seen_in_list_and_page(boss: Client, provider: Provider) -> None:
    assert "a route rests" not in boss.get(LIST).content.decode()
    fail(Route("hosted", "fx-1"), "PROVIDER_UNAVAILABLE", THRESHOLD)

    assert "a route rests" in boss.get(LIST).content.decode()
    page = boss.get(CHANGE).content.decode()
    assert "rests until" in page
    assert f"{THRESHOLD} failures, the last one just now" in page
    assert "The provider cannot be reached or is overloaded." in page
    assert "Check that host and port of the base URL are right" in page


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("PROVIDER_AUTH_FAILED", "was not revoked"),
        ("PROVIDER_QUOTA_EXCEEDED", "Add credit"),
        ("MODEL_NOT_FOUND", "Refresh the models"),
    ],
)
def test_what_somebody_has_to_mend_is_said_without_a_rest(
    code: str, said: str, boss: Client, provider: Provider
) -> None:
    fail(Route("hosted", "fx-1"), code)
    page = boss.get(CHANGE).content.decode()
    assert "somebody has to mend it" in page
    assert said in page
    assert code in page
    assert "a route rests" not in boss.get(LIST).content.decode()


def test_every_route_of_the_provider_is_there(boss: Client, agent: AgentProfile) -> None:
    AgentRoute.objects.create(agent=agent, provider_id="hosted", model="routed", position=1)
    fail(Route("hosted", "chosen-by-a-person"), "PROVIDER_TIMEOUT")
    fail(Route("other", "of-another"), "PROVIDER_TIMEOUT")

    rows = boss.get(CHANGE).context["routes"]

    assert [row.model for row in rows] == ["fx-1", "routed", "chosen-by-a-person"]
    assert [row.tone for row in rows] == ["ok", "ok", "quiet"]


def test_a_reset_lets_the_next_call_through_and_is_on_record(boss: Client, provider: Provider) -> None:
    route = fail(Route("hosted", "fx-1"), "PROVIDER_TIMEOUT", THRESHOLD)
    assert not breaker_admit(route).is_admitted

    page = boss.post(RESET, {"model": "fx-1"}, follow=True).content.decode()

    assert breaker_admit(route).is_admitted
    assert "The next call may ask fx-1 again." in page
    assert "rests until" not in page
    assert "fx-1" in LogEntry.objects.get().get_change_message()


def test_a_reset_is_a_post_of_who_may_change_the_provider(
    boss: Client, staff: Callable[..., Client], provider: Provider
) -> None:
    route = fail(Route("hosted", "fx-1"), "PROVIDER_TIMEOUT", THRESHOLD)

    looking = staff("view_provider")
    assert looking.post(RESET, {"model": "fx-1"}).status_code == 403
    assert b"Ask it again" in boss.get(CHANGE).content
    assert b"Ask it again" not in looking.get(CHANGE).content
    assert boss.get(RESET).status_code == 405
    assert boss.post(RESET, {"model": "nobody-knows-it"}).status_code == 404
    assert boss.post(RESET).status_code == 404
    assert breaker_states([route])[0].failures == THRESHOLD
    assert not LogEntry.objects.exists()


def test_a_cache_that_is_away_keeps_no_page_away(
    boss: Client, agent: AgentProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breakers, "_breaker", Breaker(AwayStore()))
    for address in (LIST, CHANGE, "/admin/agentcore/agentprofile/dry-run/"):
        assert boss.get(address).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["provider", "key"])
def test_a_provider_that_was_changed_begins_anew(change: str, boss: Client, provider: Provider) -> None:
    route = fail(Route("hosted", "fx-1"), "PROVIDER_UNAVAILABLE", THRESHOLD)
    if change == "key":
        credential_store("hosted", "sk-another-value-0123456789")
    else:
        provider_save(provider)

    assert breaker_admit(route).is_admitted


def test_a_test_that_is_answered_ends_the_rest(db: None) -> None:
    Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    route = fail(Route("mock", "mock-1"), "PROVIDER_UNAVAILABLE", THRESHOLD)
    assert not breaker_admit(route).is_admitted

    providers_test(["mock"])

    assert breaker_admit(route).is_admitted
