"""Async endpoints: the same logins, permissions, CSRF check and error shape as DRF's views, on the event loop."""

import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.http.request import RawPostDataException
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework.views import APIView

from agentcore.api.errors import agent_error, error_response
from agentcore.errors import InternalError, MethodNotAllowed, PayloadTooLarge, ValidationFailed

logger = logging.getLogger(__name__)

View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]


def logged_in(request: HttpRequest, policies: type[APIView]) -> Any:
    """The user, by the authenticators, permissions and throttles that the site gives its views of DRF.

    With the site's defaults it reads the database: at most 2 queries.

    Raises:
        APIException: as these raise it.
    """
    view = policies()
    view.request = view.initialize_request(request)
    view.perform_authentication(view.request)
    view.check_permissions(view.request)
    view.check_throttles(view.request)
    return view.request.user


def may(user: Any, permission: str) -> bool:
    """Whether ``user`` holds a Django permission. At most 2 queries."""
    return bool(user.has_perm(permission))


def endpoint(
    method: str, *, described: Callable[[Any], Any], alogged_in: Callable[[HttpRequest, type[APIView]], Awaitable[Any]]
) -> Callable[[View], View]:
    """An async view for logged-in users; ``view(request, user, …)``. What it raises becomes an error body.

    ``described`` is an ``extend_schema(…)``: what OpenAPI says of it.
    """

    allowed = ["GET", "HEAD"] if method == "GET" else [method]

    def decorate(view: View) -> View:
        policies = _policies(view, method, described)

        @csrf_exempt
        @wraps(view)
        async def answered(request: HttpRequest, **path: Any) -> HttpResponseBase:
            if request.method not in allowed:
                return error_response(MethodNotAllowed(), request, Allow=", ".join(allowed))
            try:
                return await view(request, await alogged_in(request, policies), **path)
            except Exception as exception:
                # The border of the API, as DRF's handler is: whatever it was, a program gets its one shape of error.
                error = agent_error(exception)
                if isinstance(error, InternalError):
                    logger.error("%s failed", request.path, exc_info=exception)
                return error_response(error, request)

        # What DRF's own views carry, so that the description finds this one among them.
        answered.cls, answered.initkwargs = policies, {}  # type: ignore[attr-defined]
        return answered

    return decorate


def _policies(view: View, method: str, described: Callable[[Any], Any]) -> type[APIView]:
    """A DRF view that answers nothing: it has the site's policies, and stands for ``view`` in the description."""

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
