"""Retrying: after which failure a route is asked again, when, and what a failure means for the other routes."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from agentcore.errors import (
    ContentFiltered,
    ContextLengthExceeded,
    OutputTruncated,
    ProviderBadRequest,
    ProviderError,
    ProviderTimeout,
)

# No route would answer this better: the request itself is at fault, or the answer was refused.
FINAL = (ProviderBadRequest, ContextLengthExceeded, ContentFiltered, OutputTruncated)


def _was_silent(error: ProviderError) -> bool:
    """Whether our own patience ran out, which took long: a second time as long would leave little of the run."""
    return isinstance(error, ProviderTimeout) and bool(error.details)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often one route is asked, and how long to wait in between, in seconds.

    A wait is full jitter below a bound that doubles, or what the upstream named: that is kept to the second, once, and
    when it is longer than ``max_wait_s`` or than the time that is left, the next route is asked at once.
    Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """

    max_attempts: int = 3
    base_s: float = 0.5
    cap_s: float = 8
    max_wait_s: float = 20
    chance: Callable[[], float] = random.random

    def wait_s(self, error: ProviderError, *, attempts: int, left_s: float, was_told: bool) -> float | None:
        """How long to wait before the route is asked again after ``attempts``; None when it is not.

        ``was_told`` says that the upstream named a time before: one that does not keep it is not waited for again.
        """
        if not error.retryable or attempts >= self.max_attempts or _was_silent(error):
            return None
        if error.retry_after_s is None:
            wait_s = self.chance() * min(self.cap_s, self.base_s * 2 ** (attempts - 1))
        elif was_told:
            return None
        else:
            wait_s = error.retry_after_s
        return wait_s if wait_s <= self.max_wait_s and wait_s < left_s else None
