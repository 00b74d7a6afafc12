"""The breaker: a route that failed too often rests, and one call at a time finds out whether it is back.

Closed, it lets every call through. ``THRESHOLD`` failures within ``WINDOW_S`` open it for ``REST_S``, twice as long
each further time. Then it is half-open: one call is let through as a probe, and its outcome closes it or opens it
again. Source: https://martinfowler.com/bliki/CircuitBreaker.html
"""

import hashlib
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from agentcore.chat import Route
from agentcore.clock import CLOCK, Clock
from agentcore.errors import (
    ModelNotFound,
    ProviderAuthFailed,
    ProviderBadResponse,
    ProviderCredentialMissing,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
    ProviderUrlForbidden,
)

THRESHOLD, WINDOW_S = 5, 60.0
REST_S, MAX_REST_S = 30.0, 480.0
# A probe that never tells its outcome, since its process died, gives way to another one.
PROBE_S = 120
# What is known of a route is forgotten when nothing happened on it for so long.
KEPT_S = 24 * 3600

TRIPPING = frozenset(
    kind.code for kind in (ProviderUnavailable, ProviderTimeout, ProviderRateLimited, ProviderBadResponse)
)
# Somebody has to mend these: waiting does not.
WARNING = frozenset(
    kind.code
    for kind in (
        ProviderAuthFailed,
        ProviderCredentialMissing,
        ProviderQuotaExceeded,
        ModelNotFound,
        ProviderUrlForbidden,
    )
)
CANCELLED = "cancelled"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, kw_only=True)
class Health:
    """What is known of a route. ``code`` is that of the newest failure, ``opened`` how often in a row it was opened.

    ``warning`` is the code of a failure that somebody has to mend; it does not open the breaker.
    """

    failures: int = 0
    first_failed_at: datetime | None = None
    last_failed_at: datetime | None = None
    code: str = ""
    opened: int = 0
    reopens_at: datetime | None = None
    warning: str = ""

    def state(self, now: datetime) -> BreakerState:
        if self.reopens_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now < self.reopens_at else BreakerState.HALF_OPEN

    @property
    def comes_back_at(self) -> datetime:
        """When it may be asked again: long ago for one that does not rest."""
        return self.reopens_at or LONG_AGO

    def failed(self, code: str, now: datetime) -> "Health":
        """After one more failure that counts."""
        first = self.first_failed_at
        goes_on = first is not None and (self.opened or (now - first).total_seconds() <= WINDOW_S)
        count = self.failures + 1 if goes_on else 1
        seen = replace(
            self, failures=count, first_failed_at=first if goes_on else now, last_failed_at=now, code=code, warning=""
        )
        is_open = self.state(now) is BreakerState.OPEN
        if is_open or (count < THRESHOLD and not self.opened):
            return seen
        rest_s = min(REST_S * 2**self.opened, MAX_REST_S)
        return replace(seen, opened=self.opened + 1, reopens_at=now + timedelta(seconds=rest_s))

    def warned(self, code: str, now: datetime) -> "Health":
        """After a failure that somebody has to mend: the server answers, so what was counted against it is void."""
        return Health(warning=code, code=code, last_failed_at=now)


SOUND = Health()
_FIELDS = Health.__dataclass_fields__.keys()


@dataclass(frozen=True, kw_only=True)
class Admission:
    """Whether a route may be asked now, and what was known of it."""

    route: Route
    is_admitted: bool = True
    is_probe: bool = False
    health: Health = SOUND


class BreakerStore(Protocol):
    """Where health is kept: a dict, or a cache that processes share. Values are plain dicts."""

    def get(self, key: str) -> Any: ...

    def set(self, key: str, value: Any, timeout: float | None) -> None: ...

    def add(self, key: str, value: Any, timeout: float | None) -> bool:
        """Store ``value`` unless there is one; False when there is."""

    def delete(self, key: str) -> Any: ...


@dataclass
class MemoryStore:
    """A store that forgets with the process, and never before."""

    values: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        return self.values.get(key)

    def set(self, key: str, value: Any, timeout: float | None) -> None:
        self.values[key] = value

    def add(self, key: str, value: Any, timeout: float | None) -> bool:
        if key in self.values:
            return False
        self.values[key] = value
        return True

    def delete(self, key: str) -> Any:
        self.values.pop(key, None)


class Breaker:
    """Admits calls to routes, and learns from their outcomes."""

    def __init__(self, store: BreakerStore, *, clock: Clock = CLOCK) -> None:
        self._store, self._clock = store, clock

    def admit(self, route: Route) -> Admission:
        """Whether ``route`` may be asked now. Of a half-open one, the first who asks gets the probe."""
        health = self.health(route)
        state = health.state(self._clock.now())
        is_probe = state is BreakerState.HALF_OPEN and self._store.add(_key(route, "probe"), 1, PROBE_S)
        return Admission(
            route=route, is_admitted=is_probe or state is BreakerState.CLOSED, is_probe=is_probe, health=health
        )

    def settle(self, admission: Admission, code: str) -> None:
        """Learn from the outcome of a call: empty when it was answered, else its error code or ``cancelled``."""
        route, now = admission.route, self._clock.now()
        if code in TRIPPING:
            self._keep(route, self.health(route).failed(code, now))
        elif code in WARNING:
            self._keep(route, SOUND.warned(code, now))
        elif code != CANCELLED and admission.health != SOUND:
            # Also a refusal of the request itself shows that the server is there.
            self.reset(route)
        if admission.is_probe:
            self._store.delete(_key(route, "probe"))

    def health(self, route: Route) -> Health:
        found = self._store.get(_key(route))
        return Health(**found) if isinstance(found, dict) and found.keys() <= _FIELDS else SOUND

    def reset(self, route: Route) -> None:
        """Forget what is known of ``route``: the next call is let through."""
        self._store.delete(_key(route))
        self._store.delete(_key(route, "probe"))

    def models_known(self, provider_id: str) -> list[str]:
        """The models of a provider of which something is known, sorted."""
        found = self._store.get(_known_key(provider_id)) or ()
        return sorted(model for model in found if self.health(Route(provider_id, model)) != SOUND)

    def _keep(self, route: Route, health: Health) -> None:
        self._store.set(_key(route), asdict(health), KEPT_S)
        known = set(self._store.get(_known_key(route.provider_id)) or ())
        if route.model not in known:
            # Two writers at once may lose one name: it comes back with that route's next failure.
            self._store.set(_known_key(route.provider_id), sorted(known | {route.model}), KEPT_S)


def _key(route: Route, part: str = "health") -> str:
    # Hashed: a model may be called what a cache takes for no key.
    digest = hashlib.sha256(f"{route.provider_id}\n{route.model}".encode("utf-8", "replace")).hexdigest()[:32]
    return f"steward:breaker:{part}:{digest}"


def _known_key(provider_id: str) -> str:
    return f"steward:breaker:known:{provider_id}"
