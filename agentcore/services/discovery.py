"""Discovery: after a provider or its key was saved, its models are listed in the background.

At most one job a provider at a time, in this process; what is saved while one runs is looked at once more. Nothing is
raised: what came of it is a part of the provider's status.
"""

from functools import partial
from threading import Lock

from django.db import transaction

from agentcore.models import Provider
from agentcore.pool import in_background
from agentcore.services.probes import models_refresh

# Ids of the providers with a job, and whether they were saved again since it began.
_under_way: dict[str, bool] = {}
_lock = Lock()


def discovery_start(slug: str) -> None:
    """Ask for the models of ``slug`` soon, unless it is disabled by then. Call it when what was saved is committed."""
    with _lock:
        is_running = slug in _under_way
        _under_way[slug] = is_running
    if not is_running:
        in_background(partial(_discover, slug))


def discovery_with_key(credential_id: str) -> None:
    """The same of the providers of a key that was entered, once that is committed: without it they listed nothing."""
    for slug in Provider.objects.filter(credential=credential_id).values_list("slug", flat=True):
        transaction.on_commit(partial(discovery_start, slug), robust=True)


def _discover(slug: str) -> None:
    try:
        if Provider.objects.filter(slug=slug, enabled=True).exists():
            models_refresh([slug])
    finally:
        with _lock:
            again = _under_way.pop(slug, False)
        if again:
            discovery_start(slug)


def discovery_forget() -> None:
    """Know of no job any more: between tests."""
    _under_way.clear()
