"""Advice: what an admin can do about a provider that failed, by the error's code."""

from typing import Any

from django.utils.translation import gettext_lazy as _

ADVICE: dict[str, Any] = {
    "PROVIDER_CREDENTIAL_MISSING": _("Choose a credential for this provider, or enter its key again."),
    "PROVIDER_AUTH_FAILED": _("Check that the key is of this provider and was not revoked, then replace it."),
    "PROVIDER_RATE_LIMITED": _("Wait a moment and test again. When it goes on, ask the provider for a higher limit."),
    "PROVIDER_QUOTA_EXCEEDED": _("Add credit to the account at the provider, or use the key of another one."),
    "PROVIDER_TIMEOUT": _("Check that the server works at all. A local one may still be loading its model."),
    "PROVIDER_UNAVAILABLE": _("Check that host and port of the base URL are right and that the server runs."),
    "PROVIDER_BAD_RESPONSE": _("Check that the base URL and the type belong together."),
    "PROVIDER_BAD_REQUEST": _("Check the default model, the options and what was corrected of its profile."),
    "MODEL_NOT_FOUND": _("Refresh the models and choose one of them as the default."),
    "CONTEXT_LENGTH_EXCEEDED": _(
        "Choose a model with a larger context window, or start a local server with a larger one."
    ),
    "CONTENT_FILTERED": _(
        "The provider's own filter said no. Look at its settings at the provider, or choose another model."
    ),
    "OUTPUT_TRUNCATED": _(
        "Raise the output limit of the agent and of the site, or choose a model that answers at greater length."
    ),
    "CAPABILITY_MISSING": _(
        "Choose a model that can do it, or correct the provider's profile where what is known of the model is wrong."
    ),
    "PROVIDER_URL_FORBIDDEN": _("Use a public address, or ask an operator to allow private ones."),
}


def advice(code: str) -> str:
    """A sentence; empty where there is nothing to add."""
    return str(ADVICE.get(code, ""))
