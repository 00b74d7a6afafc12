"""Addresses inside: refused when a provider is stored, and again when it is connected to (case A50)."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from agentcore.models import Provider
from agentcore.services.probes import models_refresh, providers_test
from tests.admin.upstream import replied, served
from tests.fake_upstream import FakeUpstream
from tests.recorded import case

pytestmark = pytest.mark.django_db

URLS: list[str] = case("A50")["input"]["rows"]
# "opt_in: private ranges only": the rest stays refused with the setting on.
PRIVATE = ["http://127.0.0.1:5432/", "http://[::1]/", "http://10.0.0.8/"]
NEVER = [url for url in URLS if url not in PRIVATE]
NAME = "rebinding.example"


@pytest.fixture
def boss(django_user_model: Any) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    return client


def private_allowed(settings: Any, allowed: bool) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": allowed}


def saved_by_admin(boss: Client, url: str) -> tuple[bool, str]:
    """Whether it was stored, and the reason where it was not."""
    fields = {"name": "P", "slug": "p", "provider_type": "openai_chat", "base_url": url, "options": "{}"}
    answer = boss.post("/admin/agentcore/provider/add/", fields)
    if answer.status_code == 302:
        return True, ""
    return False, " ".join(answer.context["adminform"].form.errors["base_url"])


def saved_by_api(boss: Client, url: str) -> tuple[bool, str]:
    body = {"provider_id": "p", "provider_type": "openai_chat", "base_url": url}
    answer = boss.post("/api/providers", body, "application/json")
    if answer.status_code == 201:
        return True, ""
    return False, " ".join(answer.json()["error"]["details"]["base_url"])


Save = Callable[[Client, str], tuple[bool, str]]
BY_BOTH = pytest.mark.parametrize("save", [saved_by_admin, saved_by_api])


@BY_BOTH
@pytest.mark.parametrize("url", URLS)
def test_an_address_inside_is_not_stored_and_the_reason_is_said(
    url: str, save: Save, boss: Client, settings: Any
) -> None:
    private_allowed(settings, False)
    is_stored, reason = save(boss, url)
    assert not is_stored
    assert len(reason) > 20
    assert not Provider.objects.exists()


@BY_BOTH
@pytest.mark.parametrize("url", URLS)
def test_the_setting_allows_private_ones_and_never_the_rest(url: str, save: Save, boss: Client, settings: Any) -> None:
    private_allowed(settings, True)
    assert save(boss, url)[0] is (url in PRIVATE)


@pytest.mark.parametrize("url", URLS)
def test_an_address_that_was_stored_before_is_checked_when_it_is_connected_to(url: str, settings: Any) -> None:
    """By another version, or while the setting was on."""
    private_allowed(settings, False)
    Provider.objects.create(slug="p", provider_type="openai_chat", name="P", base_url=url, default_model="m")

    outcome = providers_test(["p"])["p"]
    listed = models_refresh(["p"])["p"]

    assert outcome.error is not None
    assert outcome.error.code == "PROVIDER_URL_FORBIDDEN"
    assert getattr(listed, "code", None) == "PROVIDER_URL_FORBIDDEN"


class Resolver:
    """A name server that answers ``NAME`` with each of ``answers`` in turn, the last again and again."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), 0
        self.real = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host != NAME:
            return self.real(host, port, *args, **options)
        if options.get("flags", 0) & socket.AI_NUMERICHOST:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        self.asked += 1
        address = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return self.real(address, port, *args, **options)


@pytest.fixture
def upstream() -> Iterator[FakeUpstream]:
    with served(lambda got: replied({"data": [{"id": "m"}]})) as found:
        yield found


def named(monkeypatch: pytest.MonkeyPatch, port: int, *answers: str) -> Resolver:
    """A provider at a name, and what that name means."""
    resolver = Resolver(*answers)
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    Provider.objects.create(slug="p", provider_type="openai_chat", name="P", base_url=f"http://{NAME}:{port}/v1")
    return resolver


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("127.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("10.0.0.8", False),
        ("169.254.169.254", True),
        ("::ffff:169.254.169.254", True),
        ("fd00:ec2::254", True),
        ("fe80::1", True),
        ("0.0.0.0", True),
        ("100.100.100.200", True),
    ],
)
def test_a_name_that_means_an_address_inside_is_not_connected_to(
    address: str, allowed: bool, upstream: FakeUpstream, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    private_allowed(settings, allowed)
    named(monkeypatch, upstream.port, address)

    listed = models_refresh(["p"])["p"]

    assert getattr(listed, "code", None) == "PROVIDER_URL_FORBIDDEN"
    assert upstream.connections == 0


def test_one_forbidden_address_among_several_refuses_the_name(
    upstream: FakeUpstream, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    private_allowed(settings, True)
    resolver = named(monkeypatch, upstream.port, "127.0.0.1")
    both = resolver.real("127.0.0.1", upstream.port) + resolver.real("169.254.169.254", upstream.port)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *args, **options: both)

    assert getattr(models_refresh(["p"])["p"], "code", None) == "PROVIDER_URL_FORBIDDEN"
    assert upstream.connections == 0


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    upstream: FakeUpstream, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is rebound right after it was looked up: nobody asks a second time."""
    private_allowed(settings, True)
    resolver = named(monkeypatch, upstream.port, "127.0.0.1", "169.254.169.254")

    assert models_refresh(["p"])["p"] == 1
    assert resolver.asked == 1
    assert upstream.requests[0].headers["host"] == f"{NAME}:{upstream.port}"
    # The next look-up is checked again.
    assert getattr(models_refresh(["p"])["p"], "code", None) == "PROVIDER_URL_FORBIDDEN"


def test_a_redirect_leads_nowhere(settings: Any) -> None:
    private_allowed(settings, True)
    with served(lambda got: replied({"data": []})) as inside, served(lambda got: replied(b"", 307)) as outside:
        Provider.objects.create(slug="p", provider_type="openai_chat", name="P", base_url=outside.base_url)
        assert getattr(models_refresh(["p"])["p"], "code", None) == "PROVIDER_URL_FORBIDDEN"
        assert inside.connections == 0
