"""Async endpoints: the same login, CSRF check and error shape as DRF's views, on the event loop."""

import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework.authentication import CSRFCheck
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.views import APIView

from agentcore.api.authentication import TokenAuthentication
from agentcore.api.errors import agent_error, error_response
from agentcore.errors import (
    Forbidden,
    InternalError,
    MethodNotAllowed,
    NotAuthenticated,
    PayloadTooLarge,
    ValidationFailed,
)

logger = logging.getLogger(__name__)

View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def logged_in(request: HttpRequest) -> Any:
    """The user of a token or a session. Reads the database: at most 2 queries.

    Raises:
        NotAuthenticated: nobody is logged in, or the token is unknown.
        Forbidden: a session without its CSRF token would change something.
    """
    try:
        found = TokenAuthentication().authenticate(request)
    except AuthenticationFailed as error:
        raise NotAuthenticated(str(error.detail)) from None
    if found is not None:
        return found[0]
    user: Any = request.user
    if not user.is_authenticated or not user.is_active:
        raise NotAuthenticated()
    if request.method not in SAFE_METHODS:
        _check_csrf(request)
    return user


def _check_csrf(request: HttpRequest) -> None:
    check = CSRFCheck(_nothing)
    check.process_request(request)
    if check.process_view(request, _nothing, (), {}):
        raise Forbidden(_("The CSRF token is missing or wrong."))


def _nothing(request: HttpRequest) -> HttpResponse:
    """The view that the CSRF check believes to guard."""
    return HttpResponse()


def endpoint(
    method: str, *, described: Callable[[Any], Any], alogged_in: Callable[[HttpRequest], Awaitable[Any]]
) -> Callable[[View], View]:
    """An async view for logged-in users; ``view(request, user, …)``. What it raises becomes an error body.

    ``described`` is an ``extend_schema(…)``: what OpenAPI says of it.
    """

    allowed = ["GET", "HEAD"] if method == "GET" else [method]

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        async def answered(request: HttpRequest, **path: Any) -> HttpResponseBase:
            if request.method not in allowed:
                return error_response(MethodNotAllowed(), request, Allow=", ".join(allowed))
            try:
                return await view(request, await alogged_in(request), **path)
            except Exception as exception:
                error = agent_error(exception)
                if isinstance(error, InternalError):
                    logger.error("%s failed", request.path, exc_info=exception)
                return error_response(error, request)

        # What DRF's own views carry, so that the description finds this one among them.
        answered.cls, answered.initkwargs = _description(view, method, described), {}  # type: ignore[attr-defined]
        return answered

    return decorate


def _description(view: View, method: str, described: Callable[[Any], Any]) -> type[APIView]:
    """A DRF view that answers nothing and only stands for ``view`` in the OpenAPI description."""

    def never(self: APIView, request: HttpRequest, **path: Any) -> None:
        """Replaced below by the docstring of the view."""

    never.__doc__ = view.__doc__
    return type(view.__name__, (APIView,), {method.lower(): described(never), "__doc__": view.__doc__})


def json_body(request: HttpRequest) -> dict[str, Any]:
    """The request's body as a JSON object.

    Raises:
        ValidationFailed: it is none.
        PayloadTooLarge: it is beyond the site's limit.
    """
    try:
        body = json.loads(request.body or b"{}")
    except RequestDataTooBig:
        raise PayloadTooLarge() from None
    except (ValueError, RecursionError, RawPostDataException):
        # The last: it is a form, that the CSRF check has read.
        raise ValidationFailed(_("The body is not valid JSON.")) from None
    if not isinstance(body, dict):
        raise ValidationFailed(_("The body must be a JSON object."))
    return body
