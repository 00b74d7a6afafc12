"""Whether anybody can answer: keys, providers, the default agent, and what runs left behind."""

from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth import get_user_model

from agentcore.conf import steward
from agentcore.diagnosis.finding import Finding, doubtful, right, wrong
from agentcore.models import AgentProfile, Credential, Provider
from agentcore.services.catalogue import models_offered
from agentcore.services.credentials import token_opens
from agentcore.services.leases import orphans
from agentcore.services.records import records_owed
from agentcore.services.upstreams import last_test_fault, provider_fault


def look_at_keys() -> Iterator[Finding]:
    """The keys that seal credentials, and whether they open every one that is stored. 1 query."""
    keys = steward().CREDENTIAL_KEYS
    stored = Credential.objects.exclude(token=b"").values_list("slug", "token")
    if not keys and (stored or not settings.DEBUG):
        yield wrong(
            "There is no key to seal credentials with.",
            "Set STEWARD['CREDENTIAL_KEYS']; see docs/howto/rotate-keys.md.",
        )
        return
    unreadable = [slug for slug, token in stored if not token_opens(slug, bytes(token), keys)]
    for slug in unreadable:
        cure = "Put the key that sealed it back at the end of STEWARD['CREDENTIAL_KEYS'], or enter the value again."
        yield wrong(f"No key opens the credential {slug}.", cure)
    if not unreadable:
        yield right(f"Keys: {len(keys)}; stored credentials that they open: {len(stored)}.")


def look_at_providers() -> Iterator[Finding]:
    """Whether every enabled provider could answer, and what its last test said. Asks none of them. 1 query."""
    rows = list(Provider.objects.filter(enabled=True).select_related("credential"))
    faults = {row.slug: fault for row in rows if (fault := provider_fault(row))}
    for slug, fault in faults.items():
        yield wrong(f"The provider {slug} cannot answer: {fault}", "Correct it in the admin, or switch it off.")
    for row in rows:
        if row.slug not in faults and (fault := last_test_fault(row)):
            cure = "Mend it and test it again in the admin, or switch it off."
            yield doubtful(f"The last test of the provider {row.slug} failed: {fault}", cure)
    if not faults:
        yield right(f"Enabled providers that lack nothing: {len(rows)}.")


def look_at_agent() -> Iterator[Finding]:
    """The agent of who names none: that it is there, and that a route of it could answer. 4 queries."""
    slug = steward().DEFAULT_AGENT
    agent = AgentProfile.objects.filter(slug=slug).first()
    if agent is None:
        yield wrong(f"There is no agent '{slug}'.", "manage.py first_agent, or add it in the admin.")
        return
    if not agent.enabled:
        yield wrong(f"The agent '{slug}' is switched off.", "Enable it in the admin, or set STEWARD['DEFAULT_AGENT'].")
        return
    routes = list(agent.routes.select_related("provider"))
    offered = {(choice.provider_id, choice.model): choice for choice in models_offered()}
    choices = [offered.get((route.provider_id, route.model or route.provider.default_model)) for route in routes]
    usable = [choice for choice in choices if choice and choice.available]
    if usable:
        yield right(f"The agent '{slug}' is answered by {usable[0].provider_id}/{usable[0].model}.")
    else:
        reasons = [choice.reason for choice in choices if choice] or ["it has no route to an enabled provider"]
        yield wrong(
            f"The agent '{slug}' has nobody who answers: {reasons[0]}",
            "Give it a route, or its provider a key, in the admin.",
        )


def look_at_users() -> Iterator[Finding]:
    """1 query."""
    if get_user_model()._default_manager.filter(is_superuser=True, is_active=True).exists():
        yield right("There is an administrator.")
    else:
        yield wrong("Nobody can open the admin.", "manage.py createsuperuser")


def look_at_runs() -> Iterator[Finding]:
    """Runs that nobody works on, and records that nobody delivers. At most 204 queries, 3 when all is well."""
    gone, owed = len(orphans()), len(records_owed())
    if gone:
        yield wrong(
            f"Runs whose process is gone: {gone}.", "manage.py recover_runs (a serving process does it by itself)."
        )
    if owed:
        yield wrong(
            f"Records that are owed: {owed}.", "manage.py recover_runs; if they stay, the log names the observer."
        )
    if not gone and not owed:
        yield right("No run is orphaned, and no record is owed.")
