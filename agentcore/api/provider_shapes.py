"""The shapes of providers, their models and credentials outside, in both directions."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from agentcore.advice import advice
from agentcore.api.components import OnePage, Shape
from agentcore.clock import CLOCK
from agentcore.credentials import MAX_VALUE
from agentcore.models import Provider
from agentcore.providers.spec import ALIASES, PROVIDER_TYPES
from agentcore.services.known_models import known_model

CAPABILITIES = ["chat", "streaming", "tool_calling", "vision", "reasoning", "json_schema", "embeddings"]


class Capabilities(serializers.ListField):
    child = serializers.ChoiceField(choices=CAPABILITIES)


class Seconds(serializers.FloatField):
    """A number; one beyond what a float holds is as wrong as a word."""

    def to_internal_value(self, data: Any) -> float:
        try:
            return super().to_internal_value(data)
        except OverflowError:
            return self.fail("invalid")


class Discovery(Shape):
    """How the models were listed last."""

    ok = serializers.BooleanField()
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    age_s = serializers.IntegerField(min_value=0)
    model_count = serializers.IntegerField(allow_null=True, help_text="Null where the provider knows no such list.")


class Status(Discovery):
    """How the last test went: ``ok`` is null, and so is what follows from it, where there was none."""

    ok = serializers.BooleanField(allow_null=True)
    advice = serializers.CharField(allow_blank=True, help_text="What an admin can do about it.")
    at = serializers.DateTimeField(allow_null=True)
    age_s = serializers.IntegerField(allow_null=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    discovery = Discovery(allow_null=True)


class ProviderAnswer(Shape):
    """An upstream that answers model calls. ``capabilities`` are those of its default model."""

    provider_id = serializers.SlugField()
    provider_type = serializers.ChoiceField(choices=list(PROVIDER_TYPES))
    name = serializers.CharField()
    base_url = serializers.CharField(allow_null=True)
    default_model = serializers.CharField(allow_null=True)
    credential_id = serializers.SlugField(allow_null=True)
    enabled = serializers.BooleanField()
    timeout = serializers.FloatField(allow_null=True, help_text="Of a whole call, in seconds.")
    options = serializers.DictField(help_text='"body" is laid over each request.')
    profile = serializers.DictField(help_text="Corrections of what is known of its models.")
    capabilities = Capabilities()
    status = Status()


class ProviderList(OnePage):
    results = ProviderAnswer(many=True)


class Preset(Shape):
    """What is known of a well-known provider: a body for ``POST /api/providers``, and a word about it."""

    provider_id = serializers.SlugField()
    provider_type = serializers.ChoiceField(choices=list(PROVIDER_TYPES))
    name = serializers.CharField()
    base_url = serializers.CharField(allow_null=True)
    default_model = serializers.CharField(allow_null=True)
    needs_key = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)


class PresetList(OnePage):
    results = Preset(many=True)


class ListedModel(Shape):
    id = serializers.CharField()
    name = serializers.CharField()
    capabilities = Capabilities()
    context_window = serializers.IntegerField(allow_null=True, help_text="In tokens; null when unknown.")
    priced = serializers.BooleanField(help_text="Whether its price is known.")


class ListedModels(OnePage):
    """What the provider listed when it was asked last: ``at`` is null where it never was."""

    results = ListedModel(many=True)
    at = serializers.DateTimeField(allow_null=True)
    age_s = serializers.IntegerField(allow_null=True, min_value=0)
    discovery = Discovery(allow_null=True)


class ProbeAnswer(Shape):
    """Whether the provider answers as a run would need it; ``code`` and ``message`` say why it does not."""

    ok = serializers.BooleanField()
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    advice = serializers.CharField(allow_blank=True)
    duration_ms = serializers.IntegerField(min_value=0)
    models = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="The ids that it lists; null where it lists none."
    )


class Strict(Shape):
    """What a program sends; a field that there is not is refused by its name."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError({str(name): [_("There is no such field.")] for name in unknown})
        return super().to_internal_value(data)


class ChangedProvider(Strict):
    """What can be changed; null clears, and what is left out stays as it is."""

    provider_type = serializers.ChoiceField(choices=[*PROVIDER_TYPES, *ALIASES], required=False)
    name = serializers.CharField(max_length=100, required=False)
    base_url = serializers.CharField(max_length=500, required=False, allow_null=True, allow_blank=True)
    default_model = serializers.CharField(max_length=200, required=False, allow_null=True, allow_blank=True)
    credential_id = serializers.SlugField(max_length=64, required=False, allow_null=True)
    enabled = serializers.BooleanField(required=False)
    timeout = Seconds(required=False, allow_null=True)
    options = serializers.DictField(required=False)
    profile = serializers.DictField(required=False)
    provider_id = serializers.SlugField(max_length=64, required=False, help_text="It cannot be changed.")


class NewProvider(ChangedProvider):
    provider_id = serializers.SlugField(max_length=64)
    provider_type = serializers.ChoiceField(choices=[*PROVIDER_TYPES, *ALIASES])


class ProbeWanted(ChangedProvider):
    """``provider_id`` alone is a stored provider; with ``provider_type`` it is a definition that is not stored."""


class NewCredential(Strict):
    value = serializers.CharField(max_length=MAX_VALUE, write_only=True, trim_whitespace=False, allow_blank=True)


class CredentialAnswer(Shape):
    """A credential; its value is never told. ``configured`` says that there is one that can be used."""

    credential_id = serializers.SlugField()
    configured = serializers.BooleanField()
    source = serializers.ChoiceField(choices=["stored", "environment"], allow_null=True)  # type: ignore[assignment]
    state = serializers.ChoiceField(choices=["stored", "environment", "missing", "unreadable"])
    last_four = serializers.CharField(allow_null=True)
    fingerprint = serializers.CharField(allow_null=True)
    updated_at = serializers.DateTimeField(allow_null=True)


def provider_json(row: Provider) -> dict[str, Any]:
    """No query."""
    return {
        "provider_id": row.slug,
        "provider_type": row.provider_type,
        "name": row.name,
        "base_url": row.base_url or None,
        "default_model": row.default_model or None,
        "credential_id": row.credential_id,
        "enabled": row.enabled,
        "timeout": row.timeout_s,
        "options": row.options,
        "profile": row.profile,
        "capabilities": known_model(row, row.default_model).capabilities,
        "status": _status_json(row.status),
    }


def _status_json(stored: dict[str, Any]) -> dict[str, Any]:
    return {
        **_verdict_json(stored),
        "advice": advice(stored.get("code") or ""),
        "duration_ms": stored.get("duration_ms"),
        "discovery": discovery_json(stored),
    }


def discovery_json(stored: dict[str, Any]) -> dict[str, Any] | None:
    """From a provider's status; None where the models were never asked for."""
    found = stored.get("discovery")
    return _verdict_json(found) if found else None


def _verdict_json(stored: dict[str, Any]) -> dict[str, Any]:
    at = stored.get("at")
    return {
        "ok": stored.get("ok"),
        "code": stored.get("code") or "",
        "message": stored.get("message") or "",
        "at": at,
        "age_s": age_s(datetime.fromisoformat(at)) if at else None,
        "model_count": stored.get("models"),
    }


def age_s(at: datetime | None) -> int | None:
    """Whole seconds since a moment."""
    return None if at is None else max(0, int((CLOCK.now() - at).total_seconds()))
