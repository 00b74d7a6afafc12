"""Pages of other apps, by reversed names: one that does not exist here has no link."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _


@dataclass(frozen=True, kw_only=True)
class Link:
    url: str
    label: str


def link(label: str, name: str, *, query: Mapping[str, Any] | None = None, **kwargs: Any) -> Link | None:
    """A link to the page of that name, or None where no installed app has it."""
    try:
        url = reverse(name, kwargs=kwargs or None)
    except NoReverseMatch:
        return None
    return Link(url=f"{url}?{urlencode(query)}" if query else url, label=label)


def governance_links(user: Any) -> list[Link]:
    """The pages of governance that ``user`` may open, as far as they are here."""
    found = [
        link(_("Usage ledger"), "governance:turns") if user.has_perm("governance.view_turn") else None,
        link(_("Audit replay"), "governance:audit") if user.has_perm("governance.view_auditevent") else None,
        link(_("Cost"), "governance:cost") if user.has_perm("governance.view_cost") else None,
        link(_("Approvals"), "governance:approvals") if user.has_perm("governance.decide_approval") else None,
    ]
    return [item for item in found if item]


def page_links(user: Any) -> list[Link]:
    """The pages that ``user`` may open, as far as they are here."""
    agent = link(_("The agent"), "conversations:agent")
    return [*governance_links(user), *([agent] if agent else [])]
