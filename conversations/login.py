"""Logins: whose socket it is, for as long as that is so."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model, load_backend
from django.http import HttpRequest
from django.http.cookie import parse_cookie
from django.utils.crypto import constant_time_compare
from django.utils.translation import get_language_from_request

from agentcore.http import cookies_without_nul


def login_key(scope: dict[str, Any]) -> str:
    """The key of the browser's login, not checked yet; empty when it sent none."""
    return _cookies(scope).get(settings.SESSION_COOKIE_NAME, "")


def language_of(scope: dict[str, Any]) -> str:
    """The language that the browser, or the person on this site, has chosen."""
    request = HttpRequest()
    request.COOKIES = _cookies(scope)
    request.META["HTTP_ACCEPT_LANGUAGE"] = _header(scope, b"accept-language")
    return get_language_from_request(request)


def login_load(key: str) -> Any | None:
    """The user of a login, or None when it has ended: logged out, expired, password changed, inactive, deleted.

    At most 2 queries. Unlike ``django.contrib.auth.get_user`` it writes nothing: a socket cannot set a new cookie.
    """
    session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    if (
        not key
        or SESSION_KEY not in session
        or session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS
    ):
        return None
    user_id = get_user_model()._meta.pk.to_python(session[SESSION_KEY])
    user = load_backend(session[BACKEND_SESSION_KEY]).get_user(user_id)
    return user if user is not None and user.is_active and _is_password_unchanged(user, session) else None


def logins_ended(keys: Iterable[str]) -> set[str]:
    """Those of ``keys`` whose login has ended. At most 2 queries a key."""
    return {key for key in keys if login_load(key) is None}


def _is_password_unchanged(user: Any, session: Any) -> bool:
    stored = session.get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(stored, current) for current in hashes)


def _cookies(scope: dict[str, Any]) -> dict[str, str]:
    return cookies_without_nul(parse_cookie(_header(scope, b"cookie")))


def _header(scope: dict[str, Any], name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")
