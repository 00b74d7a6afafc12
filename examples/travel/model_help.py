"""The context processor of the example site: how its visitors get a real model, on every page with the drawer."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _


def model_help(request: HttpRequest) -> dict[str, str]:
    """A command only for who runs this site themselves; anybody else's way is an administrator."""
    if not settings.DEBUG:
        return {}
    return {
        "steward_model_help": _(
            "For a real one, run make local-llm TOOLS=1 in another terminal, reload this page and choose it below."
        )
    }
