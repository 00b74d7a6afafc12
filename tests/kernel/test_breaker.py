"""The breaker: when a route rests, who finds out that it is back, and what does not trip it."""

import asyncio

import pytest

from agentcore.chat import Route
from agentcore.errors import BY_CODE, ProviderError
from agentcore.gateway.breaker import (
    CANCELLED,
    MAX_REST_S,
    REST_S,
    THRESHOLD,
    TRIPPING,
    WARNING,
    WINDOW_S,
    Admission,
    Breaker,
    BreakerState,
    MemoryStore,
)
from agentcore.testing import ManualClock

ROUTE, OTHER = Route("p", "m"), Route("p", "other")
UNAVAILABLE = "PROVIDER_UNAVAILABLE"


class Site:
    """A breaker, and what happens to its calls."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.store = MemoryStore()
        self.breaker = Breaker(self.store, clock=self.clock)

    def call(self, code: str, route: Route = ROUTE) -> Admission:
        admission = self.breaker.admit(route)
        self.breaker.settle(admission, code)
        return admission

    def open(self) -> None:
        for _ in range(THRESHOLD):
            self.call(UNAVAILABLE)

    @property
    def state(self) -> BreakerState:
        return self.breaker.health(ROUTE).state(self.clock.now())


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.mark.parametrize("code", sorted(TRIPPING))
def test_a_route_that_fails_too_often_rests(site: Site, code: str) -> None:
    for _ in range(THRESHOLD - 1):
        site.call(code)
    assert site.breaker.admit(ROUTE).is_admitted

    site.call(code)

    refused = site.breaker.admit(ROUTE)
    assert (refused.is_admitted, refused.health.code, site.state) == (False, code, BreakerState.OPEN)
    assert site.breaker.admit(OTHER).is_admitted


def test_failures_far_apart_do_not_add_up(site: Site) -> None:
    for _ in range(THRESHOLD * 2):
        site.call(UNAVAILABLE)
        site.clock.advance(WINDOW_S / (THRESHOLD - 2))

    assert site.state is BreakerState.CLOSED


def test_an_answer_forgets_what_failed_before(site: Site) -> None:
    for _ in range(THRESHOLD - 1):
        site.call(UNAVAILABLE)
    site.call("")
    site.call(UNAVAILABLE)

    assert (site.breaker.health(ROUTE).failures, site.state) == (1, BreakerState.CLOSED)


def test_one_call_at_a_time_finds_out_whether_it_is_back(site: Site) -> None:
    site.open()
    site.clock.advance(REST_S)

    probe, second = site.breaker.admit(ROUTE), site.breaker.admit(ROUTE)
    assert (site.state, probe.is_probe, second.is_admitted) == (BreakerState.HALF_OPEN, True, False)

    site.breaker.settle(probe, "")
    assert (site.state, site.breaker.admit(ROUTE).is_admitted) == (BreakerState.CLOSED, True)


def test_a_probe_that_fails_makes_the_rest_twice_as_long(site: Site) -> None:
    site.open()
    for rest_s in (REST_S, REST_S * 2, REST_S * 4):
        site.clock.advance(rest_s - 1)
        assert site.state is BreakerState.OPEN
        site.clock.advance(1)
        assert site.call(UNAVAILABLE).is_probe
    for _ in range(10):
        site.clock.advance(MAX_REST_S)
        assert site.call(UNAVAILABLE).is_probe


def test_a_probe_that_was_stopped_makes_room_for_another(site: Site) -> None:
    site.open()
    site.clock.advance(REST_S)
    site.call(CANCELLED)

    assert site.breaker.admit(ROUTE).is_probe


def test_late_failures_of_calls_from_before_do_not_prolong_the_rest(site: Site) -> None:
    before = site.breaker.admit(ROUTE)
    site.open()
    reopens_at = site.breaker.health(ROUTE).reopens_at
    site.clock.advance(REST_S / 2)
    site.breaker.settle(before, UNAVAILABLE)

    assert site.breaker.health(ROUTE).reopens_at == reopens_at


@pytest.mark.parametrize("kind", [kind for kind in BY_CODE.values() if issubclass(kind, ProviderError)])
def test_only_what_waiting_can_mend_trips_it(site: Site, kind: type[ProviderError]) -> None:
    for _ in range(THRESHOLD):
        site.call(kind.code)

    assert (site.state is BreakerState.OPEN) == (kind.code in TRIPPING) == kind.retryable
    assert site.breaker.health(ROUTE).warning == (kind.code if kind.code in WARNING else "")


def test_a_refused_request_shows_that_the_server_is_back(site: Site) -> None:
    site.open()
    site.clock.advance(REST_S)
    site.call("PROVIDER_BAD_REQUEST")

    assert site.state is BreakerState.CLOSED


def test_a_reset_lets_the_next_call_through(site: Site) -> None:
    site.open()
    site.breaker.reset(ROUTE)

    assert (site.state, site.breaker.admit(ROUTE).is_admitted) == (BreakerState.CLOSED, True)


def test_the_models_of_which_something_is_known_are_listed(site: Site) -> None:
    site.call(UNAVAILABLE, OTHER)
    site.call("PROVIDER_AUTH_FAILED")
    assert site.breaker.models_known("p") == ["m", "other"]

    site.call("")
    assert (site.breaker.models_known("p"), site.breaker.models_known("q")) == (["other"], [])


def test_what_an_older_version_kept_is_no_obstacle(site: Site) -> None:
    site.call(UNAVAILABLE)
    for key in list(site.store.values):
        site.store.values[key] = {"trips": 3}

    assert site.breaker.admit(ROUTE).is_admitted


async def test_of_many_at_once_one_gets_the_probe(site: Site) -> None:
    site.open()
    site.clock.advance(REST_S)

    async def ask() -> Admission:
        return site.breaker.admit(ROUTE)

    admitted = await asyncio.gather(*(ask() for _ in range(20)))
    assert sum(admission.is_admitted for admission in admitted) == 1
