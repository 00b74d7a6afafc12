"""``doctor``: each part of an installation is broken on purpose, and the line says so with its cure."""

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from channels.routing import ProtocolTypeRouter
from cryptography.fernet import Fernet
from django.core.cache.backends.dummy import DummyCache
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import path
from django.utils import timezone, translation
from django.utils.translation import trans_real

from agentcore.diagnosis import agents, stores, wiring
from agentcore.diagnosis.finding import Finding, Look
from agentcore.diagnosis.registry import LOOKS, findings
from agentcore.models import AgentProfile, Credential, Provider, Run
from agentcore.runs.lifespan import with_timers
from agentcore.services.credentials import credential_store
from agentcore.services.first_agent import agent_first
from tests.site import Site

urlpatterns = [path("api/v2/runs", lambda request: None, name="run-list")]
router_without_socket = with_timers(ProtocolTypeRouter({"http": lambda *_: None}))
router_of_its_own = with_timers(lambda *_: None)
application_without_timers = ProtocolTypeRouter({})
KEY = Fernet.generate_key().decode()


class BrokenObserver:
    """An observer that cannot be built."""

    def __init__(self) -> None:
        raise RuntimeError("no disk")


class SilentLayer(InMemoryChannelLayer):
    """A channel layer whose server is away."""

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        raise ConnectionError("connection refused")


class DeadCache(DummyCache):
    """A cache whose server is away."""

    def set(self, *args: Any, **options: Any) -> None:
        raise ConnectionError("connection refused")


def wrong(look: Look) -> list[Finding]:
    return [finding for finding in look() if not finding.is_right]


def only(look: Look) -> Finding:
    """The one thing that is wrong."""
    found = wrong(look)
    assert len(found) == 1, found
    assert found[0].cure
    return found[0]


@pytest.fixture
def healthy(db: None, settings: Any, admin_user: Any) -> Any:
    """An installation where all is right; the settings, to break it."""
    settings.DEBUG, settings.STEWARD = True, {"CREDENTIAL_KEYS": [KEY]}
    agent_first()
    return settings


def test_nothing_is_wrong_with_a_healthy_installation(healthy: Any) -> None:
    assert [(part, finding) for part, finding in findings() if not finding.is_right] == []
    out = io.StringIO()
    call_command("doctor", stdout=out)
    assert out.getvalue().rstrip().endswith("All is right.")
    assert {line.split("  ")[1].strip() for line in out.getvalue().splitlines() if line.startswith("right")} == {*LOOKS}


def test_every_look_is_registered() -> None:
    written = [look for room in (wiring, stores, agents) for name, look in vars(room).items() if "look_at_" in name]
    assert [look.__name__ for look in written if look not in LOOKS.values()] == []
    assert len(written) == len(LOOKS)


def test_what_is_wrong_exits_with_1_and_its_cure(healthy: Any) -> None:
    AgentProfile.objects.all().delete()
    out = io.StringIO()
    with pytest.raises(SystemExit, match="1"):
        call_command("doctor", stdout=out)
    line, cure = out.getvalue().partition("WRONG")[2].splitlines()[:2]
    assert "no agent 'assistant'" in line
    assert "→ manage.py first_agent" in cure


def test_wrong_settings_are_all_that_is_told(settings: Any) -> None:
    settings.STEWARD = {"MAX_STEP": 3}
    told = list(findings())
    assert [part for part, _finding in told] == ["settings"]
    assert "MAX_STEP" in told[0][1].text


def test_one_broken_look_hides_no_other(healthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[Finding]:
        raise RuntimeError("out of order")

    monkeypatch.setitem(LOOKS, "cache", broken)
    told = dict(findings())
    assert "RuntimeError: out of order" in told["cache"].text
    assert told["runs"].is_right


def test_what_needs_the_database_points_to_it(healthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[Finding]:
        raise stores.OperationalError("connection refused")

    monkeypatch.setitem(LOOKS, "users", away)
    assert dict(findings())["users"].cure == "Mend the database first."


def test_a_system_check_is_told_with_its_hint(settings: Any) -> None:
    settings.DEBUG, settings.ASGI_APPLICATION = True, None
    assert only(wiring.look_at_checks).text.startswith("steward.E004")
    settings.SILENCED_SYSTEM_CHECKS = ["steward.E004"]
    assert wrong(wiring.look_at_checks) == []


def test_addresses_that_moved_are_told(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.test_doctor"
    texts = [finding.text for finding in wrong(wiring.look_at_addresses)]
    assert texts == ["/api/agent/runs is at /api/v2/runs.", "/api/conversations is not served."]


def test_a_login_that_is_nowhere_is_told(settings: Any) -> None:
    settings.LOGIN_URL = "no-such-name"
    assert "no-such-name" in only(wiring.look_at_login).text


@pytest.mark.parametrize(
    ("application", "said"),
    [
        (None, "is not set"),
        ("tests.test_doctor.nothing", "cannot be imported"),
        ("tests.test_doctor.router_without_socket", "has no socket"),
    ],
)
def test_a_wrong_asgi_application_is_told(settings: Any, application: str | None, said: str) -> None:
    settings.ASGI_APPLICATION = application
    assert said in only(wiring.look_at_asgi).text


@pytest.mark.parametrize(
    ("application", "left_out", "said"),
    [
        ("tests.test_doctor.router_without_socket", [wiring.SOCKET_APP], "is left out"),
        ("tests.test_doctor.router_of_its_own", [], "cannot be seen"),
    ],
)
def test_an_application_always_has_its_line(settings: Any, application: str, left_out: list[str], said: str) -> None:
    settings.ASGI_APPLICATION = application
    settings.INSTALLED_APPS = [name for name in settings.INSTALLED_APPS if name not in left_out]
    told = list(wiring.look_at_asgi())
    assert [finding.is_right for finding in told] == [True]
    assert said in told[0].text


def test_an_application_without_timers_is_told(settings: Any) -> None:
    settings.ASGI_APPLICATION = "tests.test_doctor.application_without_timers"
    assert "timers" in wrong(wiring.look_at_asgi)[0].text


def test_static_files_that_no_finder_finds_are_told(settings: Any) -> None:
    settings.STATICFILES_DIRS, settings.STATICFILES_FINDERS = [], []
    wiring.finders.get_finder.cache_clear()
    assert "conversations/drawer.js" in only(wiring.look_at_static_files).text


@pytest.mark.parametrize("backend", ["ManifestStaticFilesStorage", "StaticFilesStorage"])
def test_static_files_that_were_not_collected_are_told(settings: Any, tmp_path: Any, backend: str) -> None:
    settings.DEBUG, settings.STATIC_ROOT = False, str(tmp_path)
    settings.STORAGES = {"staticfiles": {"BACKEND": f"django.contrib.staticfiles.storage.{backend}"}}
    assert only(wiring.look_at_static_files).cure == "manage.py collectstatic"


def test_translations_that_are_not_compiled_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trans_real, "_translations", {"zh-hans": trans_real._translations.get("en") or _english()})
    assert "not compiled" in only(wiring.look_at_languages).text


def _english() -> Any:
    with translation.override("en"):
        translation.gettext("x")
    return trans_real._translations["en"]


def test_an_observer_that_cannot_be_built_is_told(settings: Any) -> None:
    settings.STEWARD = {"OBSERVERS": ["tests.test_doctor.BrokenObserver"]}
    assert "RuntimeError: no disk" in only(wiring.look_at_layers).text


def test_a_database_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise stores.OperationalError("connection refused")

    monkeypatch.setattr(connection, "ensure_connection", away)
    assert "connection refused" in only(stores.look_at_database).text


def test_a_migration_that_is_not_applied_is_told(db: None) -> None:
    MigrationRecorder(connection).migration_qs.filter(app="agentcore").delete()
    found = only(stores.look_at_database)
    assert "agentcore.0001_ground" in found.text
    assert found.cure == "manage.py migrate"


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite only")
def test_sqlite_without_immediate_transactions_is_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", {})
    assert "not IMMEDIATE" in only(stores.look_at_database).text


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite only")
def test_a_sqlite_that_is_too_old_is_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.features, "can_return_columns_from_insert", False)
    assert "older than 3.35" in only(stores.look_at_database).text


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite only")
def test_sqlite_that_hardly_waits_is_told(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100")
    try:
        assert "waits 100 ms" in only(stores.look_at_database).text
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 20000")


def test_a_channel_layer_that_is_away_or_missing_is_told(settings: Any) -> None:
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "tests.test_doctor.SilentLayer"}}
    assert "connection refused" in only(stores.look_at_channel_layer).text
    settings.CHANNEL_LAYERS = {}
    assert "no channel layer" in only(stores.look_at_channel_layer).text


@pytest.mark.parametrize(
    ("backend", "said"),
    [("tests.test_doctor.DeadCache", "connection refused"), ("django.core.cache.backends.dummy.DummyCache", "forgets")],
)
def test_a_cache_that_is_away_or_forgets_is_told(settings: Any, backend: str, said: str) -> None:
    settings.CACHES = {"default": {"BACKEND": backend}}
    assert said in only(stores.look_at_cache).text


def test_missing_keys_are_told(db: None, settings: Any) -> None:
    settings.DEBUG, settings.STEWARD = False, {}
    assert "no key" in only(agents.look_at_keys).text


def test_a_credential_that_no_key_opens_is_told(healthy: Any) -> None:
    credential_store("openai", "sk-something-long-enough")
    assert wrong(agents.look_at_keys) == []
    healthy.STEWARD = {"CREDENTIAL_KEYS": [Fernet.generate_key().decode()]}
    assert only(agents.look_at_keys).text == "No key opens the credential openai."


def switched_off(agent: AgentProfile) -> None:
    agent.enabled = False
    agent.save()


def without_routes(agent: AgentProfile) -> None:
    agent.routes.all().delete()


def with_disabled_provider(agent: AgentProfile) -> None:
    Provider.objects.update(enabled=False)


def without_key(agent: AgentProfile) -> None:
    credential = credential_store("openai", "sk-something-long-enough")
    credential.token = b""
    credential.save()
    Provider.objects.update(provider_type="openai_chat", base_url="https://api.openai.com/v1", credential=credential)


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (switched_off, "is switched off"),
        (without_routes, "no route"),
        (with_disabled_provider, "no route"),
        (without_key, "key"),
    ],
)
def test_an_agent_that_cannot_answer_is_told(healthy: Any, breaks: Callable[[AgentProfile], None], said: str) -> None:
    breaks(AgentProfile.objects.get())
    assert said in only(agents.look_at_agent).text


def with_another_type(provider: Provider) -> None:
    provider.provider_type = "of_an_older_version"


def without_credential(provider: Provider) -> None:
    provider.base_url = "https://api.deepseek.com/v1"


def with_a_credential_without_key(provider: Provider) -> None:
    provider.credential = Credential.objects.create(slug="empty", token=b"")


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (with_another_type, "no provider type of_an_older_version"),
        (without_credential, "nobody without a key"),
        (with_a_credential_without_key, "No key is stored"),
    ],
)
def test_an_enabled_provider_that_cannot_answer_is_told(
    healthy: Any, breaks: Callable[[Provider], None], said: str
) -> None:
    provider = Provider(slug="second", provider_type="openai_chat", name="Second", base_url="https://example.com/v1")
    breaks(provider)
    provider.save()
    found = only(agents.look_at_providers)
    assert said in found.text
    assert "second" in found.text

    Provider.objects.filter(slug="second").update(enabled=False)
    assert wrong(agents.look_at_providers) == []


def test_a_provider_whose_last_test_failed_is_worth_a_look_and_not_wrong(healthy: Any) -> None:
    Provider.objects.update(status={"ok": False, "code": "PROVIDER_TIMEOUT", "message": "Nobody answered in time."})
    out = io.StringIO()
    call_command("doctor", stdout=out)
    line, cure = out.getvalue().partition("look!")[2].splitlines()[:2]
    assert "mock failed: Nobody answered in time." in line
    assert "switch it off" in cure
    assert "All is right" not in out.getvalue()


def test_a_site_without_administrator_is_told(db: None) -> None:
    assert only(agents.look_at_users).cure == "manage.py createsuperuser"


def test_orphaned_runs_and_owed_records_are_told(healthy: Any, admin_user: Any) -> None:
    past = timezone.now() - timedelta(hours=1)
    Run.objects.create(user=admin_user, agent="assistant", status="running", owner="x/0:1:1", lease_expires_at=past)
    Run.objects.create(user=admin_user, agent="assistant", status="completed", finished_at=past)
    texts = [finding.text for finding in wrong(agents.look_at_runs)]
    assert texts == ["Runs whose process is gone: 1.", "Records that are owed: 1."]


def test_a_site_that_was_never_prepared_is_told_of_in_lines_alone(tmp_path: Path) -> None:
    (tmp_path / "own_settings.py").write_text(
        f"from config.settings import *\nSTATIC_ROOT = {str(tmp_path / 'none')!r}"
    )
    own = {"DEBUG": "0", "PYTHONPATH": str(tmp_path), "DJANGO_SETTINGS_MODULE": "own_settings"}
    told = Site(f"sqlite:///{tmp_path / 'new.sqlite3'}", environment=own).manage("doctor")
    assert (told.returncode, told.stderr) == (1, "")
    cures = {line.strip(" →") for line in told.stdout.splitlines() if "→" in line}
    assert cures == {"manage.py collectstatic", "manage.py migrate", "Mend the database first."}
