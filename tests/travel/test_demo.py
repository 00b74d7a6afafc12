"""``manage.py demo``."""

import datetime
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from agentcore.models import AgentProfile, ModelPrice, Provider
from examples.travel.models import Flight, Policy
from examples.travel.services import samples
from examples.travel.services.demo import demo_load
from examples.travel.services.samples import samples_refresh
from examples.travel.timetable import flights_on
from scripts.local_llm import prepare_site

pytestmark = pytest.mark.django_db

NAMES = ["admin", "demo", "operator"]


@pytest.fixture(autouse=True)
def _quick_and_without_a_password(monkeypatch, settings):
    monkeypatch.delenv("STEWARD_DEMO_PASSWORD", raising=False)
    # Quick: few days, and a hash that is cheap.
    monkeypatch.setattr(samples, "DAYS_AHEAD", 2)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DEBUG = True


def demo(*arguments: str) -> str:
    out = StringIO()
    call_command("demo", *arguments, stdout=out)
    return out.getvalue()


def user(name: str):
    return get_user_model().objects.get(username=name)


def test_demo_makes_the_three_users_with_the_passwords_it_shows():
    shown = dict(line.split()[1::2] for line in demo().splitlines() if line.startswith("user "))
    assert sorted(shown) == NAMES
    assert all(user(name).check_password(password) for name, password in shown.items())
    assert (user("demo").is_staff, user("demo").is_superuser) == (False, False)
    assert (user("operator").is_staff, user("operator").is_superuser) == (True, False)
    assert (user("admin").is_staff, user("admin").is_superuser) == (True, True)


def test_operator_may_view_governance_and_nothing_more():
    demo()
    permissions = user("operator").get_all_permissions()
    assert {"governance.view_turn", "governance.view_auditevent", "governance.view_cost"} <= permissions
    assert {name.split(".")[0] + name.split(".")[1][:5] for name in permissions} == {"governanceview_"}
    assert user("demo").get_all_permissions() == set()


def test_demo_makes_the_agent_its_route_and_prices():
    demo()
    agent = AgentProfile.objects.get(slug="assistant")
    assert (agent.enabled, agent.tools) == (True, None)
    assert agent.instructions
    assert len(agent.suggestions) >= 2
    route = agent.routes.get()
    assert (route.provider.slug, route.provider.default_model, route.provider.enabled) == ("mock", "mock-1", True)
    assert route.provider.provider_type == "mock"
    price = ModelPrice.objects.get(provider="mock", model="mock-1")
    assert (price.input_per_mtok, price.output_per_mtok, price.currency) == (1, 2, "USD")
    assert not Provider.objects.get(slug="local").enabled
    assert ModelPrice.objects.filter(provider="local").exists()


def test_demo_twice_changes_nothing(django_assert_max_num_queries):
    demo()
    counts = [model.objects.count() for model in (get_user_model(), Provider, AgentProfile, ModelPrice, Flight, Policy)]
    AgentProfile.objects.update(name="Mine")
    hashes = {name: user(name).password for name in NAMES}
    with django_assert_max_num_queries(40):
        again = demo()
    after = [model.objects.count() for model in (get_user_model(), Provider, AgentProfile, ModelPrice, Flight, Policy)]
    assert (counts, hashes) == (after, {name: user(name).password for name in NAMES})
    assert again.count("keeps its password") == 3
    assert AgentProfile.objects.get().name == "Mine"


def test_password_of_the_environment_is_always_set_and_never_shown(monkeypatch):
    demo()
    monkeypatch.setenv("STEWARD_DEMO_PASSWORD", "correct horse")
    printed = demo()
    assert "correct horse" not in printed
    assert "lost" not in printed
    assert all(user(name).check_password("correct horse") for name in NAMES)
    hashes = {name: user(name).password for name in NAMES}
    demo()
    assert hashes == {name: user(name).password for name in NAMES}


def test_who_lost_a_password_is_told_how_to_get_another():
    assert "lost" not in demo()
    assert "STEWARD_DEMO_PASSWORD=… make run" in demo("--brief")


@pytest.mark.parametrize(("port", "address"), [("9123", "http://127.0.0.1:9123/admin/"), ("", " /admin/")])
def test_the_address_is_the_one_that_is_served_or_none(monkeypatch, port, address):
    monkeypatch.setenv("PORT", port)
    printed = demo()
    assert address in printed
    assert ("http://" in printed) == bool(port)


def test_a_local_model_first_leaves_the_users_and_their_passwords_to_the_demo():
    prepare_site()
    assert not get_user_model().objects.exists()
    assert AgentProfile.objects.get().slug == "assistant"
    assert ModelPrice.objects.filter(provider="local").exists()
    assert demo().count(" password ") == 3


def test_demo_refuses_a_site_without_debug(settings):
    settings.DEBUG = False
    with pytest.raises(CommandError, match="--force"):
        demo()
    assert not get_user_model().objects.exists()
    assert "user demo" in demo("--force")


def test_demo_that_fails_leaves_nothing(monkeypatch):
    monkeypatch.setattr("examples.travel.services.demo._agent", lambda _provider: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        demo_load()
    assert not get_user_model().objects.exists()


def test_flights_move_on_with_the_days():
    # Over the night when the clocks of Europe change.
    today = datetime.date(2031, 3, 29)
    assert samples_refresh(today=today) > 0
    assert samples_refresh(today=today) == 0
    later = today + datetime.timedelta(days=3)
    assert samples_refresh(today=later) == 3 * len(flights_on(later))
    assert samples_refresh(today=later) == 0
    days = [later + datetime.timedelta(days=number) for number in range(samples.DAYS_AHEAD)]
    wanted = {(flight.flight_no, flight.departs_at) for day in days for flight in flights_on(day)}
    stored = set(Flight.objects.values_list("flight_no", "departs_at"))
    assert wanted <= stored
    assert min(moment for _number, moment in stored).date() == later - datetime.timedelta(days=1)
