"""One shape for every error that leaves the API: ``{"error": {code, message, details, request_id}}``."""

import logging
from typing import Any

from django.core.exceptions import (
    BadRequest,
    ObjectDoesNotExist,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.csrf import csrf_failure as plain_csrf_failure
from rest_framework import exceptions
from rest_framework.response import Response

from agentcore.errors import (
    AgentError,
    Forbidden,
    InternalError,
    MethodNotAllowed,
    NotAuthenticated,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    ValidationFailed,
)
from agentcore.text import clean_json

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
GENERAL = "non_field_errors"

# What Django and DRF raise, as the tree's own errors; the first that fits counts.
_TRANSLATED: list[tuple[type[Exception], type[AgentError]]] = [
    (exceptions.NotAuthenticated, NotAuthenticated),
    (exceptions.AuthenticationFailed, NotAuthenticated),
    (exceptions.PermissionDenied, Forbidden),
    (PermissionDenied, Forbidden),
    (exceptions.NotFound, NotFound),
    (Http404, NotFound),
    (ObjectDoesNotExist, NotFound),
    (exceptions.MethodNotAllowed, MethodNotAllowed),
    (exceptions.Throttled, RateLimited),
    (RequestDataTooBig, PayloadTooLarge),
    (exceptions.APIException, ValidationFailed),
    (SuspiciousOperation, ValidationFailed),
    (BadRequest, ValidationFailed),
    (MultiPartParserError, ValidationFailed),
]


def agent_error(exception: BaseException) -> AgentError:
    """Any exception as an error that may be shown; one that nobody expected tells nothing of itself."""
    if isinstance(exception, AgentError):
        return exception
    for raised, kind in _TRANSLATED:
        if isinstance(exception, raised):
            wait_s = getattr(exception, "wait", None)
            return kind(_message(exception), details=_details(exception), retry_after_s=wait_s)
    return InternalError()


def _message(exception: BaseException) -> str | None:
    """Words of DRF that say more than ours do."""
    kinds = exceptions.UnsupportedMediaType | exceptions.NotAcceptable | exceptions.AuthenticationFailed
    if isinstance(exception, kinds):
        return str(exception.detail)
    is_csrf = isinstance(exception, exceptions.PermissionDenied) and str(exception.detail).startswith("CSRF")
    return _("The CSRF token is missing or wrong.") if is_csrf else None


def _details(exception: BaseException) -> Any:
    return exception.detail if isinstance(exception, exceptions.ValidationError | exceptions.ParseError) else None


def details_of(error: AgentError) -> Any:
    """What an error tells a program. Of a request that is not valid it is always ``{field: [sentence, …]}``.

    What is wrong with the request as a whole stands under ``non_field_errors``.
    """
    if not isinstance(error, ValidationFailed):
        return error.details
    if not isinstance(error.details, dict):
        return _by_path(error.details) if error.details else None
    return {str(name): _sentences(found) for name, found in error.details.items()}


def _by_path(problems: Any) -> dict[str, list[str]]:
    """Problems with their paths, or sentences without."""
    found: dict[str, list[str]] = {}
    for item in problems if isinstance(problems, list) else [problems]:
        path, said = (item["path"], item["problem"]) if isinstance(item, dict) else (GENERAL, item)
        found.setdefault(path, []).extend(_sentences(said))
    return found


def _sentences(found: Any) -> list[str]:
    """The sentences in what a serializer found, which may be nested as its fields are."""
    if isinstance(found, dict):
        return [text for value in found.values() for text in _sentences(value)]
    return [text for item in found for text in _sentences(item)] if isinstance(found, list) else [str(found)]


def error_body(error: AgentError, request: HttpRequest) -> dict[str, Any]:
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            # It may repeat what was sent, which may be no Unicode.
            "details": clean_json(details_of(error)),
            "request_id": getattr(request, "request_id", None),
        }
    }


def _headers(error: AgentError) -> dict[str, str]:
    headers = {"WWW-Authenticate": "Token"} if isinstance(error, NotAuthenticated) else {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(max(1, round(error.retry_after_s)))
    return headers


def error_response(error: AgentError, request: HttpRequest, **headers: str) -> JsonResponse:
    return JsonResponse(error_body(error, request), status=error.status, headers=_headers(error) | headers)


def drf_exception_handler(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook: the same shape, and a log line with the traceback for what nobody expected."""
    error = agent_error(exception)
    if isinstance(error, InternalError):
        logger.error("%s failed", context["request"].path, exc_info=exception)
    body = error_body(error, context["request"]._request)
    return Response(body, status=error.status, headers=_headers(error))


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler404``."""
    return error_response(NotFound(), request) if _is_api(request) else defaults.page_not_found(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler403``."""
    return error_response(Forbidden(), request) if _is_api(request) else defaults.permission_denied(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler400``."""
    if _is_api(request):
        return error_response(agent_error(exception), request)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``."""
    return error_response(InternalError(), request) if _is_api(request) else defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """``CSRF_FAILURE_VIEW``."""
    if _is_api(request):
        return error_response(Forbidden(_("The CSRF token is missing or wrong.")), request)
    return plain_csrf_failure(request, reason)
