"""A probe: does a provider answer as a run would need it, and which models does it list?"""

import asyncio
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from agentcore.chat import ChatCall, ChatOptions, ChatRequest, ModelEvent
from agentcore.clock import CLOCK, Clock
from agentcore.errors import ModelNotFound, ProviderAuthFailed, ProviderBadRequest, ProviderBadResponse, ProviderError
from agentcore.messages import Message, Role
from agentcore.providers.clients import DIALECTS, client_for
from agentcore.providers.dialects import Dialect, ModelListed
from agentcore.providers.exchange import (
    CONNECTION_ERRORS,
    WireRequest,
    body_of,
    exchanged,
    provider_failure,
    without_secrets,
)
from agentcore.providers.failures import failure_of
from agentcore.providers.spec import ProviderSpec, Timeouts
from agentcore.providers.wire_json import read_json
from agentcore.redaction import Redactor

MAX_LIST_BYTES = 4 * 1024 * 1024
LIST_S, CALL_S = 10.0, 20.0
MOCK_MODELS = [ModelListed(id="mock-1", name="mock-1")]
# Enough for a word, and for a model that counts its thoughts.
TINY = ChatOptions(max_output_tokens=64)


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What came of it. ``models`` is None where the provider lists none; ``error`` is None when all was well."""

    duration_ms: int
    models: list[ModelListed] | None = None
    error: ProviderError | None = None


async def probe(spec: ProviderSpec, *, allow_private: bool = False, clock: Clock = CLOCK) -> Probe:
    """List the models, and ask the default one for a word. Takes at most ``LIST_S`` and ``CALL_S`` seconds."""
    began = clock.monotonic()
    models, error = None, None
    try:
        models = await models_listed(spec, allow_private=allow_private, clock=clock)
        await _asked(spec, models, allow_private, clock)
    except ProviderError as failure:
        error = _told_keyless(failure, spec)
    return Probe(duration_ms=round((clock.monotonic() - began) * 1000), models=models, error=error)


def _told_keyless(failure: ProviderError, spec: ProviderSpec) -> ProviderError:
    """Who sent no key is not told that it was refused."""
    if not isinstance(failure, ProviderAuthFailed) or spec.api_key:
        return failure
    wanted = _("The provider answers nobody without a key, and none is chosen for it.")
    return ProviderAuthFailed(wanted, upstream_status=failure.upstream_status)


async def models_listed(
    spec: ProviderSpec, *, allow_private: bool = False, clock: Clock = CLOCK
) -> list[ModelListed] | None:
    """The models that the provider has, sorted, each once; None when it knows no such list.

    Raises:
        ProviderError: it did not answer, or is not what its type claims.
    """
    # Says what is wrong with the set-up, before any connection.
    client_for(spec, allow_private=allow_private)
    dialect = DIALECTS.get(spec.canonical_type)
    if dialect is None:
        return MOCK_MODELS
    redactor = Redactor([spec.api_key] if spec.api_key else [])
    try:
        async with asyncio.timeout(LIST_S):
            return _without_key(await _listed(spec, dialect, allow_private, clock), redactor)
    except ModelNotFound:
        return None
    except (ProviderError, TimeoutError, *CONNECTION_ERRORS) as error:
        failure = provider_failure(error)
    raise without_secrets(failure, redactor)


def _without_key(models: list[ModelListed] | None, redactor: Redactor) -> list[ModelListed] | None:
    """A list is stored and shown: no model is called what our key is."""
    if models is None:
        return None
    clean = redactor.without_credentials
    return [replace(model, name=clean(model.name)) for model in models if clean(model.id) == model.id]


async def _listed(spec: ProviderSpec, dialect: Dialect, allow_private: bool, clock: Clock) -> list[ModelListed] | None:
    wanted = WireRequest(
        method="GET",
        base_url=dialect.base_url(spec.base_url),
        path=dialect.models_path,
        headers={"Accept": "application/json", **dialect.headers(spec.api_key)},
    )
    async with exchanged(wanted, allow_private=allow_private, connect_s=LIST_S) as response:
        body = await body_of(response, limit=MAX_LIST_BYTES)
        if response.status_code == 405:
            return None
        if not response.is_success:
            raise failure_of(response.status_code, body, response.headers, now=clock.now())
    try:
        payload = read_json(body)
    except ValueError:
        payload = None
    return dialect.models(payload)


async def _asked(spec: ProviderSpec, models: list[ModelListed] | None, allow_private: bool, clock: Clock) -> None:
    """One tiny call, where a default model says whom to ask: a list is often free for all, and proves no key."""
    if not spec.default_model:
        if models is None:
            raise ProviderBadRequest(
                _("The provider lists no models. Enter a default model, so that one can be asked.")
            )
        if not models:
            raise ModelNotFound(_("The provider answers, but its list of models is empty. Load a model there first."))
        return
    timeouts = Timeouts(connect_s=LIST_S, first_token_s=CALL_S, idle_s=CALL_S, total_s=CALL_S)
    client = client_for(spec, timeouts=timeouts, allow_private=allow_private, clock=clock)
    request = ChatRequest(
        model=spec.default_model, messages=(Message.of(Role.USER, "Answer with one word: ready?"),), options=TINY
    )
    try:
        await client.complete(ChatCall(request=request, emit=_ignored))
    except ModelNotFound as error:
        if models is not None:
            raise
        failure = ProviderBadResponse(
            _("Neither models nor a chat were found at this address. Check the path of its base URL: it often is /v1."),
            upstream_status=error.upstream_status,
        )
    else:
        return
    raise failure


def _ignored(event: ModelEvent) -> None:
    """What it says does not matter, only that it does."""
