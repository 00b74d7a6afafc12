"""Logins: whose socket it is, for as long as that is so."""

from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from typing import Any, TypeAlias

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model, load_backend
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore as DatabaseSession
from django.http import HttpRequest
from django.http.cookie import parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import get_language_from_request

from agentcore.http import cookies_without_nul

# A backend's path and the id of one of its users.
Person: TypeAlias = tuple[str, Any]


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
    session = _store()(key)
    if not key or not _is_known(session):
        return None
    backend, user_id = _person(session)
    user = load_backend(backend).get_user(user_id)
    return user if user is not None and _is_good(user, session) else None


def logins_ended(keys: Iterable[str]) -> set[str]:
    """Those of ``keys`` whose login has ended.

    With Django's own sessions and users 2 queries, whatever their number; else at most 2 a key.
    """
    asked = set(keys)
    sessions = {key: session for key, session in _sessions_load(asked).items() if _is_known(session)}
    users = _users_load(map(_person, sessions.values()))
    people = {key: users.get(_person(session)) for key, session in sessions.items()}
    return asked - {key for key, user in people.items() if user is not None and _is_good(user, sessions[key])}


def _store() -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore


def _sessions_load(keys: set[str]) -> dict[str, Any]:
    store = _store()
    if store is not DatabaseSession:
        return {key: store(key) for key in keys if key}
    rows = store.get_model_class().objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return {row.session_key: row.get_decoded() for row in rows}


def _users_load(people: Iterable[Person]) -> dict[Person, Any]:
    ids: defaultdict[str, set[Any]] = defaultdict(set)
    for path, user_id in people:
        ids[path].add(user_id)
    return {(path, id): user for path in ids for id, user in _users_of(load_backend(path), ids[path]).items()}


def _users_of(backend: Any, ids: set[Any]) -> dict[Any, Any]:
    """1 query where the backend finds its users as Django does."""
    if type(backend).get_user is not ModelBackend.get_user:
        return {id: backend.get_user(id) for id in ids}
    found = get_user_model()._default_manager.in_bulk(ids)
    return {id: user for id, user in found.items() if backend.user_can_authenticate(user)}


def _is_known(session: Any) -> bool:
    return SESSION_KEY in session and session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS


def _person(session: Any) -> Person:
    return session[BACKEND_SESSION_KEY], get_user_model()._meta.pk.to_python(session[SESSION_KEY])


def _is_good(user: Any, session: Any) -> bool:
    return user.is_active and _is_password_unchanged(user, session)


def _is_password_unchanged(user: Any, session: Any) -> bool:
    stored = session.get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(stored, current) for current in hashes)


def _cookies(scope: dict[str, Any]) -> dict[str, str]:
    return cookies_without_nul(parse_cookie(_header(scope, b"cookie")))


def _header(scope: dict[str, Any], name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")
