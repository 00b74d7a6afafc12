"""Providers: the life cycle, the presets, tests and lists of models. Only a test and a refresh ask a provider."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from agentcore.advice import advice
from agentcore.api.permitted import Permitted, checked, required
from agentcore.api.provider_shapes import (
    ChangedProvider,
    ListedModels,
    NewProvider,
    PresetList,
    ProbeAnswer,
    ProbeWanted,
    ProviderAnswer,
    ProviderList,
    age_s,
    discovery_json,
    provider_json,
)
from agentcore.clock import CLOCK
from agentcore.errors import NotFound, ValidationFailed
from agentcore.models import Provider
from agentcore.providers.presets import PRESETS
from agentcore.providers.probe import Probe
from agentcore.providers.spec import ALIASES
from agentcore.services.known_models import known_models, priced_models
from agentcore.services.probes import models_refresh, provider_try, providers_test
from agentcore.services.providers import provider_create, provider_defined, provider_update, providers_delete

VIEW, CHANGE = "agentcore.view_provider", "agentcore.change_provider"
KEYS = "agentcore.change_credential"
REFRESH = OpenApiParameter("refresh", bool, default=False, description="Ask the provider first.")
SWITCH = {"": False, "0": False, "false": False, "1": True, "true": True}


class Providers(Permitted):
    """The providers, sorted by id."""

    permission_of = {"GET": VIEW, "POST": "agentcore.add_provider"}

    @extend_schema(operation_id="providers_list", responses=ProviderList)
    def get(self, request: Request) -> Response:
        return one_page([provider_json(row) for row in Provider.objects.all()])

    @extend_schema(operation_id="providers_create", request=NewProvider, responses={201: ProviderAnswer})
    def post(self, request: Request) -> Response:
        """Add a provider. Its models are listed in the background."""
        given = checked(NewProvider, request)
        slug = given.pop("provider_id")
        row = provider_create(slug, columns(given), may_choose_key=request.user.has_perm(KEYS))
        return Response(provider_json(row), status=201)


class ProviderDetail(Permitted):
    """One provider, with what its last test said."""

    permission_of = {"GET": VIEW, "PATCH": CHANGE, "DELETE": "agentcore.delete_provider"}

    @extend_schema(operation_id="providers_retrieve", responses=ProviderAnswer)
    def get(self, request: Request, provider_id: str) -> Response:
        return Response(provider_json(stored(provider_id)))

    @extend_schema(operation_id="providers_update", request=ChangedProvider, responses=ProviderAnswer)
    def patch(self, request: Request, provider_id: str) -> Response:
        """Change a provider. Another host takes its credential off."""
        given = checked(ChangedProvider, request)
        if given.pop("provider_id", provider_id) != provider_id:
            raise wrong("provider_id", _("The id of a provider cannot be changed."))
        row = provider_update(provider_id, columns(given), may_choose_key=request.user.has_perm(KEYS))
        return Response(provider_json(row))

    @extend_schema(operation_id="providers_delete", responses={204: None})
    def delete(self, request: Request, provider_id: str) -> Response:
        """Delete a provider, unless it is the only route of an agent. What is on record of it stays."""
        providers_delete([stored(provider_id).slug])
        return Response(status=204)


class Presets(Permitted):
    """What is known of well-known providers, to start from."""

    permission_of = {"GET": VIEW}

    @extend_schema(operation_id="providers_presets", responses=PresetList)
    def get(self, request: Request) -> Response:
        return one_page(
            [
                {
                    "provider_id": preset.slug,
                    "provider_type": preset.provider_type,
                    "name": preset.name,
                    "base_url": preset.base_url or None,
                    "default_model": preset.default_model or None,
                    "needs_key": preset.needs_key,
                    "note": str(preset.note),
                }
                for preset in PRESETS
            ]
        )


class ProviderTest(Permitted):
    """Does a provider answer as a run would need it?"""

    permission_of = {"POST": CHANGE}

    @extend_schema(operation_id="providers_test", request=ProbeWanted, responses={200: ProbeAnswer})
    def post(self, request: Request) -> Response:
        """Ask a provider, stored or not: 200 also when it does not answer. Takes at most half a minute."""
        given = checked(ProbeWanted, request)
        slug = given.pop("provider_id", "")
        if "provider_type" in given:
            row = provider_defined(slug, columns(given), may_choose_key=request.user.has_perm(KEYS))
            return Response(probe_json(provider_try(row)))
        if given or not slug:
            raise wrong("provider_type", _("A definition has a type; to test a stored provider send its id alone."))
        return Response(probe_json(providers_test([stored(slug).slug])[slug]))


class ProviderModels(Permitted):
    """The models that a provider listed when it was asked last."""

    permission_of = {"GET": VIEW}

    @extend_schema(operation_id="providers_models", parameters=[REFRESH], responses=ListedModels)
    def get(self, request: Request, provider_id: str) -> Response:
        """``refresh`` asks it again, for who may change providers; when that fails, the list stays as it was.

        A provider that was never asked, since its first listing has not come so far, is asked for them as well.
        """
        row = stored(provider_id)
        wants = refresh_of(request)
        if wants:
            required(request, CHANGE)
        if wants or (is_unasked(row) and request.user.has_perm(CHANGE)):
            models_refresh([row.slug])
            row = stored(provider_id)
        return Response(models_json(row))


def one_page(results: list[dict[str, Any]]) -> Response:
    """The shape of every list; these are short and have one page."""
    return Response({"results": results, "next": None, "previous": None})


def stored(slug: str) -> Provider:
    """
    Raises:
        NotFound: there is no such provider.
    """
    row = Provider.objects.filter(slug=slug).first()
    if row is None:
        raise NotFound()
    return row


def is_unasked(row: Provider) -> bool:
    return row.models_found_at is None and "discovery" not in row.status


def refresh_of(request: Request) -> bool:
    text = request.query_params.get("refresh", "").lower()
    if text not in SWITCH:
        raise wrong("refresh", _("This is true or false."))
    return SWITCH[text]


def wrong(field: str, fault: str) -> ValidationFailed:
    return ValidationFailed(fault, details={field: [fault]})


def columns(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of the API by the names and in the values of the columns."""
    found = {"timeout_s" if name == "timeout" else name: value for name, value in given.items()}
    if "provider_type" in found:
        found["provider_type"] = ALIASES.get(found["provider_type"], found["provider_type"])
    return found | {name: found[name] or "" for name in ("base_url", "default_model") if name in found}


def probe_json(outcome: Probe) -> dict[str, Any]:
    error = outcome.error
    return {
        "ok": error is None,
        "code": error.code if error else "",
        "message": error.message if error else "",
        "advice": advice(error.code) if error else "",
        "duration_ms": outcome.duration_ms,
        "models": None if outcome.models is None else [model.id for model in outcome.models],
    }


def models_json(row: Provider) -> dict[str, Any]:
    models = known_models(row)
    priced = priced_models(row, [model.id for model in models], at=CLOCK.now())
    return {
        "results": [{**vars(model), "priced": model.id in priced} for model in models],
        "next": None,
        "previous": None,
        "at": row.models_found_at,
        "age_s": age_s(row.models_found_at),
        "discovery": discovery_json(row.status),
    }
