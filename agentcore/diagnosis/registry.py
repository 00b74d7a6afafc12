"""Every look at an installation, in the order in which they are told."""

from collections.abc import Iterator

from django.db import OperationalError, ProgrammingError

from agentcore.conf import faults
from agentcore.diagnosis import agents, stores, wiring
from agentcore.diagnosis.finding import Finding, Look, wrong

LOOKS: dict[str, Look] = {
    "checks": wiring.look_at_checks,
    "apps": wiring.look_at_apps,
    "addresses": wiring.look_at_addresses,
    "login": wiring.look_at_login,
    "asgi": wiring.look_at_asgi,
    "static files": wiring.look_at_static_files,
    "languages": wiring.look_at_languages,
    "layers": wiring.look_at_layers,
    "database": stores.look_at_database,
    "channel layer": stores.look_at_channel_layer,
    "cache": stores.look_at_cache,
    "keys": agents.look_at_keys,
    "providers": agents.look_at_providers,
    "agent": agents.look_at_agent,
    "users": agents.look_at_users,
    "runs": agents.look_at_runs,
}


def findings() -> Iterator[tuple[str, Finding]]:
    """What every look says. With settings that cannot be read only those are told: all else depends on them."""
    for fault in faults():
        yield "settings", wrong(fault, "Correct STEWARD in the settings; see docs/reference/settings.md.")
    if faults():
        return
    for part, look in LOOKS.items():
        try:
            yield from ((part, finding) for finding in look())
        except (OperationalError, ProgrammingError):
            # Its own look has said why.
            yield part, wrong("Cannot be looked at: the database cannot be used.", "Mend the database first.")
        except Exception as error:
            # A broken part must not hide the others.
            text = f"Cannot be looked at: {type(error).__name__}: {' '.join(str(error).split())}"
            yield part, wrong(text, "Mend what is wrong above first.")
