"""Agents in the admin: routes in order, tools as a list or all, limits that only lower, suggestions one a line."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from agentcore.errors import ValidationFailed
from agentcore.models import AgentProfile, Provider
from agentcore.services.agents import limits_check
from agentcore.services.plans import Wish, plan_load

ADD = "/admin/agentcore/agentprofile/add/"
CHANGE = "/admin/agentcore/agentprofile/helper/change/"


def form(*routes: tuple[str, str, str], **fields: Any) -> dict[str, Any]:
    """The form of an agent; a route is (position, provider, model)."""
    sent = {
        "name": "Helper",
        "slug": "helper",
        "description": "",
        "enabled": "on",
        "instructions": "Help.",
        "suggestions": "",
        "every_tool": "on",
        "fallback_after_text": "fail",
        "routes-TOTAL_FORMS": len(routes),
        "routes-INITIAL_FORMS": 0,
        **fields,
    }
    for number, (position, provider, model) in enumerate(routes):
        sent |= {
            f"routes-{number}-position": position,
            f"routes-{number}-provider": provider,
            f"routes-{number}-model": model,
        }
    return {name: value for name, value in sent.items() if value is not None}


def test_an_agent_is_made_with_its_routes_in_order(boss: Client, provider: Provider) -> None:
    Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    sent = form(("2", "hosted", ""), ("1", "mock", ""), suggestions=" Hello? \n\nHello?\nAnd you?\n")
    assert boss.post(ADD, sent).status_code == 302

    agent = AgentProfile.objects.get()
    assert [route.provider_id for route in agent.routes.all()] == ["mock", "hosted"]
    assert agent.suggestions == ["Hello?", "And you?"]
    assert (agent.tools, agent.limits) == (None, {})
    plan = plan_load(Wish(agent="helper"), user=get_user_model().objects.get(), locale="en")
    assert [item.route.provider_id for item in plan.routes] == ["mock", "hosted"]


def test_a_new_route_comes_last_unless_somebody_says_where(boss: Client, provider: Provider) -> None:
    boss.post(ADD, form(("0", "hosted", "a"), ("0", "hosted", "b")))
    page = boss.get(CHANGE)
    (routes,) = (formset.formset for formset in page.context["inline_admin_formsets"])
    assert [route["position"].value() for route in (*routes.extra_forms, routes.empty_form)] == [2, 2]

    stored = {f"routes-{at}-id": route.pk for at, route in enumerate(AgentProfile.objects.get().routes.all())}
    rows = [
        ("0", "hosted", "a"),
        ("1", "hosted", "b"),
        ("2", "hosted", "c"),
        ("2", "hosted", "d"),
        ("1", "hosted", "e"),
    ]
    boss.post(CHANGE, form(*rows, ("2", "", ""), **{"routes-INITIAL_FORMS": 2}, **stored))
    found = [(route.position, route.model) for route in AgentProfile.objects.get().routes.all()]
    assert found == [(0, "a"), (1, "b"), (1, "e"), (2, "c"), (3, "d")]


def test_a_route_needs_a_model(boss: Client) -> None:
    Provider.objects.create(slug="bare", provider_type="openai_chat", name="Bare", base_url="https://example.com")
    answer = boss.post(ADD, form(("0", "bare", "")))
    assert answer.status_code == 200
    assert "no default model" in answer.content.decode()
    assert boss.post(ADD, form(("0", "bare", "fx-1"))).status_code == 302


def test_tools_are_all_or_some_or_none(boss: Client) -> None:
    boss.post(ADD, form())
    page = boss.get(CHANGE).content.decode()
    assert 'value="math.add"' in page
    boss.post(CHANGE, form(every_tool=None, chosen_tools=["math.add", "system.echo"]))
    assert AgentProfile.objects.get().tools == ["math.add", "system.echo"]
    boss.post(CHANGE, form(every_tool=None))
    assert AgentProfile.objects.get().tools == []
    boss.post(CHANGE, form(every_tool="on", chosen_tools=["math.add"]))
    assert AgentProfile.objects.get().tools is None


def test_an_unknown_tool_is_refused_but_one_that_is_gone_stays(boss: Client) -> None:
    boss.post(ADD, form())
    assert boss.post(CHANGE, form(every_tool=None, chosen_tools=["no.such"])).status_code == 200
    AgentProfile.objects.update(tools=["plugin.gone", "math.add"])
    assert "plugin.gone (not here now)" in boss.get(CHANGE).content.decode()
    boss.post(CHANGE, form(every_tool=None, chosen_tools=["plugin.gone"]))
    assert AgentProfile.objects.get().tools == ["plugin.gone"]


def test_limits_are_numbers_below_the_sites(boss: Client) -> None:
    boss.post(ADD, form(limit_max_steps="3", limit_timeout_s="12.5", limit_token_budget="5000"))
    assert AgentProfile.objects.get().limits == {"max_steps": 3, "timeout_s": 12.5, "token_budget": 5000}
    assert 'value="12.5"' in boss.get(CHANGE).content.decode()
    boss.post(CHANGE, form(limit_max_steps="", limit_timeout_s="10"))
    assert AgentProfile.objects.get().limits == {"timeout_s": 10}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_steps", "11"),
        ("max_steps", "three"),
        ("max_steps", "1.5"),
        ("max_steps", "0"),
        ("max_tool_loops", "-1"),
        ("timeout_s", "121"),
        ("timeout_s", "inf"),
        ("max_output_tokens", "4097"),
        ("token_budget", "0"),
    ],
)
def test_a_limit_that_is_none_is_refused(name: str, value: str, boss: Client) -> None:
    answer = boss.post(ADD, form(**{f"limit_{name}": value}))
    assert answer.status_code == 200
    assert f"limit_{name}" in answer.context["adminform"].form.errors
    assert not AgentProfile.objects.exists()


@pytest.mark.parametrize(
    "limits",
    [
        {"max_steps": "3"},
        {"max_steps": True},
        {"max_steps": 2.0},
        {"timeout_s": float("nan")},
        {"token_budget": 10**400},
        {"speed": 1},
    ],
    ids=lambda limits: str(limits)[:40],
)
def test_limits_check_refuses(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailed):
        limits_check(limits)


def test_too_many_or_too_long_suggestions_are_refused(boss: Client) -> None:
    for text in ("\n".join(map(str, range(13))), "x" * 301):
        assert boss.post(ADD, form(suggestions=text)).status_code == 200
    assert not AgentProfile.objects.exists()


def test_a_route_offers_the_models_of_every_provider(boss: Client, provider: Provider, agent: AgentProfile) -> None:
    Provider.objects.update(models_found=[{"id": "fx-1"}, {"id": "fx-2"}])
    page = boss.get("/admin/agentcore/agentprofile/assistant/change/").content.decode()

    assert '<datalist id="id_routes-0-model-picks">' in page
    assert '<option value="fx-2" label="Hosted"></option>' in page


def test_an_agent_says_what_becomes_of_an_answer_that_breaks_off(boss: Client) -> None:
    boss.post(ADD, form())
    assert AgentProfile.objects.get().fallback_after_text == "fail"
    boss.post(CHANGE, form(fallback_after_text="restart"))
    assert AgentProfile.objects.get().fallback_after_text == "restart"
    assert boss.post(CHANGE, form(fallback_after_text="shrug")).status_code == 200
    assert "Take the text back and start again on the next route" in boss.get(CHANGE).content.decode()
