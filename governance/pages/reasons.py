"""Reasons: why a turn or a model call ended as it did, in words."""

from django.utils.translation import gettext_lazy as _

_WORDS = {
    "user": _("the user"),
    "superseded": _("a newer message"),
    "shutdown": _("a shutdown of the server"),
    "stop": _("ended by itself"),
    "tool_calls": _("tools called"),
    "content_filter": _("filtered by the provider"),
    "length": _("output limit reached"),
    "tool_limit": _("limit of tool rounds reached"),
    "step_limit": _("limit of steps reached"),
    "terminated": _("ended by a tool"),
    "guardrail": _("blocked by a rule"),
}


def reason_words(code: str) -> str:
    """The words for a reason to cancel or to finish; another one, such as an error's code, stands for itself."""
    return str(_WORDS.get(code, code))
