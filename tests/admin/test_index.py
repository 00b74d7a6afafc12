"""The box of the admin index, and links between a run and its records."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib import admin
from django.test import AsyncClient, Client, override_settings
from django.urls import path

from agentcore.models import AgentProfile, Credential, ModelPrice, Provider, Run
from governance.models import ModelCall, Turn

urlpatterns = [path("admin/", admin.site.urls)]


def titles(page: str, kind: str) -> list[str]:
    """The items of the checklist that are ``open`` or ``done``."""
    rows = page.split('<li class="is-')[1:]
    found = [row.split("<span>", 1)[1] for row in rows if row.startswith(kind)]
    return [row.split("<")[0].strip() for row in found]


def test_an_empty_site_is_told_everything(boss: Client) -> None:
    page = boss.get("/admin/").content.decode()
    assert titles(page, "open") == [
        "A provider is enabled",
        "Every enabled provider has what it needs to answer",
        "The agent “assistant” has a route to a model",
        "The price of its model is known",
        "The server keeps runs alive",
        "A turn was recorded",
    ]
    assert "/admin/agentcore/provider/add/" in page


def test_what_is_set_up_is_ticked_off(boss: Client, agent: AgentProfile, price: ModelPrice, run: Run) -> None:
    Run.objects.update(recorded_at=datetime(2026, 7, 1, tzinfo=UTC))
    # The test client speaks WSGI, which ends an inline run with its request.
    assert titles(boss.get("/admin/").content.decode(), "open") == ["The server keeps runs alive"]


@pytest.mark.django_db(transaction=True)
async def test_under_asgi_all_is_well(superuser: Any, agent: AgentProfile, price: ModelPrice, run: Run) -> None:
    await Run.objects.aupdate(recorded_at=datetime(2026, 7, 1, tzinfo=UTC))
    browser = AsyncClient()
    await browser.aforce_login(superuser)
    page = (await browser.get("/admin/")).content.decode()
    assert titles(page, "open") == []
    assert "Everything is set up." in page


def test_a_key_that_is_missing_is_named(boss: Client, agent: AgentProfile) -> None:
    Credential.objects.update(token=b"garbage")
    assert "Hosted: The stored key of this provider cannot be decrypted." in boss.get("/admin/").content.decode()


def without_credential(provider: Provider) -> None:
    provider.base_url, provider.credential = "https://api.openai.com/v1", None


def with_a_failed_test(provider: Provider) -> None:
    provider.status = {"ok": False, "code": "PROVIDER_TIMEOUT", "message": "Nobody answered in time."}


LACKS = "Every enabled provider has what it needs to answer"


@pytest.mark.parametrize(
    ("breaks", "title", "said"),
    [
        (without_credential, LACKS, "Hosted: Its host answers nobody"),
        (with_a_failed_test, "No enabled provider failed its last test", "Hosted: Nobody answered in time. Mend it"),
    ],
)
def test_a_provider_that_cannot_answer_is_named_while_it_is_enabled(
    boss: Client, provider: Provider, breaks: Callable[[Provider], None], title: str, said: str
) -> None:
    breaks(provider)
    provider.save()
    page = boss.get("/admin/").content.decode()
    assert title in titles(page, "open")
    assert said in page

    Provider.objects.update(enabled=False)
    assert said not in boss.get("/admin/").content.decode()


def test_an_agent_on_a_disabled_provider_has_no_route(boss: Client, agent: AgentProfile) -> None:
    Provider.objects.update(enabled=False)
    assert "The agent “assistant” has a route to a model" in titles(boss.get("/admin/").content.decode(), "open")


def test_the_index_takes_few_queries(
    boss: Client, everything: Any, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_max_num_queries(10):
        boss.get("/admin/")


def test_the_box_links_the_pages_that_are_here(boss: Client) -> None:
    page = boss.get("/admin/").content.decode()
    assert '<a href="/governance/turns/">' in page
    assert '<a href="/agent/">' in page


@override_settings(ROOT_URLCONF="tests.admin.test_index")
def test_without_the_wings_the_admin_has_no_dead_link(boss: Client, run: Run) -> None:
    page = boss.get("/admin/").content.decode() + boss.get(f"/admin/agentcore/run/{run.pk}/change/").content.decode()
    assert "/governance/turns" not in page
    assert "/agent/" not in page


def test_staff_see_what_they_may(staff: Callable[..., Client], everything: Any) -> None:
    page = staff("view_run").get("/admin/").content.decode()
    assert "A provider is enabled" not in page
    assert "/governance/" not in page


def test_a_run_and_its_records_link_to_each_other(boss: Client, run: Run) -> None:
    at = datetime(2026, 7, 1, tzinfo=UTC)
    Turn.objects.create(run_id=run.pk, started_at=at)
    ModelCall.objects.create(run_id=run.pk, step=1, attempt=1, started_at=at)
    own = f"/admin/agentcore/run/{run.pk}/change/"

    page = boss.get(own).content.decode()

    calls = f"/admin/governance/modelcall/?run_id={run.pk}"
    for address in (f"/governance/turns/{run.pk}/", calls, f"/admin/governance/auditevent/?run_id={run.pk}"):
        assert f'href="{address}"' in page
        assert boss.get(address).status_code == 200
    assert f'href="{own}"' in boss.get(calls).content.decode()
    assert f'href="{own}"' in boss.get("/admin/governance/turn/").content.decode()
