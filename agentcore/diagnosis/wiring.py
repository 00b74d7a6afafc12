"""How the site is wired: its settings, addresses, server, static files, languages."""

import inspect
from collections.abc import Iterator
from typing import Any

from channels.routing import ProtocolTypeRouter
from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import WARNING, run_checks
from django.shortcuts import resolve_url
from django.urls import NoReverseMatch, reverse
from django.utils import translation
from django.utils.module_loading import import_string
from django.utils.translation import check_for_language, gettext

from agentcore.conf import loaded, steward
from agentcore.diagnosis.finding import Finding, right, wrong
from agentcore.errors import NotFound
from agentcore.hosting import SOCKET, SOCKET_APP

# App and name of an address, with what it must be: browser code and programs rely on it.
ADDRESSES = (("agentcore", "run-list", "/api/agent/runs"), ("conversations", "conversation-list", "/api/conversations"))
STATIC_FILES = (
    ("agentcore", "site/tokens.css"),
    ("conversations", "conversations/drawer.js"),
    ("conversations", "vendor/dompurify/purify.es.mjs"),
    ("governance", "governance/governance.css"),
)
URLS_CURE = 'Add path("", include("agentcore.urls")) to the urlpatterns of ROOT_URLCONF.'
LANGUAGE = "zh-hans"


def look_at_checks() -> Iterator[Finding]:
    """Django's system checks, ours among them; ``SILENCED_SYSTEM_CHECKS`` counts here, too."""
    messages = [message for message in run_checks() if message.level >= WARNING and not message.is_silenced()]
    for message in messages:
        yield wrong(f"{message.id}: {message.msg}", message.hint or "See docs/reference/checks.md.")
    if not messages:
        yield right("Django's system checks and Steward's find nothing.")


def look_at_apps() -> Iterator[Finding]:
    """Which wings are here. One that is left out is no fault, and what it needs the other looks look at."""
    for wing in ("conversations", "toolsapp", "governance"):
        yield right(f"{wing} is installed." if apps.is_installed(wing) else f"{wing} is left out.")


def look_at_addresses() -> Iterator[Finding]:
    for app, name, address in ADDRESSES:
        if not apps.is_installed(app):
            continue
        try:
            found = reverse(name)
        except NoReverseMatch:
            found = ""
        if found == address:
            yield right(f"{address} is served.")
        else:
            yield wrong(f"{address} is {f'at {found}' if found else 'not served'}.", URLS_CURE)


def look_at_login() -> Iterator[Finding]:
    try:
        yield right(f"People log in at {resolve_url(settings.LOGIN_URL)}.")
    except NoReverseMatch:
        yield wrong(f"LOGIN_URL names no address: {settings.LOGIN_URL}.", 'Set LOGIN_URL, as in "/admin/login/".')


def look_at_asgi() -> Iterator[Finding]:
    """The application, its timers and its socket; one that is built in another way is believed."""
    path = getattr(settings, "ASGI_APPLICATION", None)
    cure = 'ASGI_APPLICATION = "agentcore.asgi.application"'
    if not path:
        yield wrong("ASGI_APPLICATION is not set: nothing serves sockets, or runs that outlive a request.", cure)
        return
    try:
        application = import_string(path)
    except ImportError as error:
        yield wrong(f"ASGI_APPLICATION cannot be imported: {error}", cure)
        return
    router = inspect.unwrap(application)
    if router is application:
        yield wrong("Nothing starts the timers of runs.", f"Wrap it in agentcore.runs.lifespan.with_timers, or: {cure}")
    yield _socket_of(router, cure)


def _socket_of(router: Any, cure: str) -> Finding:
    if not apps.is_installed(SOCKET_APP):
        return right(f"The ASGI application needs no socket: {SOCKET_APP} is left out.")
    if not isinstance(router, ProtocolTypeRouter):
        return right(
            "The ASGI application has a router of its own: whether it has the socket cannot be seen from here."
        )
    if "websocket" in router.application_mapping:
        return right("The ASGI application serves HTTP and the socket.")
    return wrong("The ASGI application has no socket.", f'Route "websocket" to {SOCKET}, or: {cure}')


def look_at_static_files() -> Iterator[Finding]:
    """Whether browsers get the files: from the apps in development, from what was collected elsewhere."""
    wanted = [name for app, name in STATIC_FILES if apps.is_installed(app)]
    missing = [name for name in wanted if not _is_served(name)]
    if missing:
        yield wrong(f"Static files are missing: {', '.join(missing)}.", "manage.py collectstatic")
    else:
        yield right("The static files of the pages are there.")


def _is_served(name: str) -> bool:
    if settings.DEBUG:
        return finders.find(name) is not None
    try:
        return bool(staticfiles_storage.url(name)) and staticfiles_storage.exists(name)
    except ValueError:
        # The manifest does not know it.
        return False


def look_at_languages() -> Iterator[Finding]:
    """Whether the translations that ship with the product are compiled."""
    if not settings.USE_I18N or LANGUAGE not in dict(settings.LANGUAGES):
        yield right("The site does not offer the translation that Steward has.")
        return
    with translation.override("en"):
        message = NotFound().message
    with translation.override(LANGUAGE):
        translated = check_for_language(LANGUAGE) and gettext(message) != message
    if translated:
        yield right("The translations are compiled.")
    else:
        yield wrong("The translations are not compiled.", "In a clone: python -m scripts.messages; else reinstall.")


def look_at_layers() -> Iterator[Finding]:
    """Whether observers and toolsets can be built as the runs will build them."""
    kinds = {"observer": steward().OBSERVERS, "toolset": steward().TOOLSETS}
    for kind, paths in kinds.items():
        built = 0
        for path in paths:
            try:
                built += len([found() for found in loaded([path])])
            except Exception as error:
                # Somebody else's class: whatever it raises is the finding.
                text = f"The {kind} {path} cannot be built: {type(error).__name__}: {error}"
                yield wrong(text, "Mend it, or take it out of STEWARD.")
        yield right(f"{kind.capitalize()}s that can be built: {built}.")
