"""The profile in a provider's form: the empty choice says what is known, and only what is corrected is stored."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from agentcore.admin.profiles import PROFILE_FIELDS, ROWS
from agentcore.models import Provider
from agentcore.providers.profile import corrections_check, profile_of
from tests.admin.test_providers import ADD, CHANGE, form


def corrected(boss: Client, **fields: str) -> dict[str, Any]:
    answer = boss.post(CHANGE, form(**{f"profile_{name}": value for name, value in fields.items()}))
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    return Provider.objects.get(slug="hosted").profile


def test_the_form_asks_for_every_field_of_a_profile() -> None:
    assert sorted(name for row in ROWS for name in row) == sorted(f"profile_{name}" for name in PROFILE_FIELDS)


def test_nothing_is_stored_where_nothing_is_corrected(boss: Client, provider: Provider) -> None:
    assert corrected(boss) == {}


CORRECTIONS: list[tuple[str, str, Any]] = [
    ("tool_mode", "json_schema", "json_schema"),
    ("tool_mode", "none", "none"),
    ("parallel_tools", "False", False),
    ("vision", "True", True),
    ("vision", "False", False),
    ("json_schema", "True", True),
    ("reasoning", "True", True),
    ("reasoning_field", " reasoning ", "reasoning"),
    ("replay_reasoning", "tools", "tools"),
    ("schema_dialect", "openapi", "openapi"),
    ("stream_usage", "False", False),
    ("max_tokens_field", "max_completion_tokens", "max_completion_tokens"),
    ("cache_markers", "True", True),
    ("context_window", "131072", 131_072),
    ("output_cap", "8192", 8192),
    ("embeddings", "True", True),
    ("chat", "False", False),
]


@pytest.mark.parametrize(("name", "sent", "stored"), CORRECTIONS)
def test_only_what_is_corrected_is_stored(name: str, sent: str, stored: Any, boss: Client, provider: Provider) -> None:
    profile = corrected(boss, **{name: sent})

    assert profile == {name: stored}
    assert corrections_check(profile) == []
    known = profile_of(provider_type="openai_chat", base_url="", model="fx-1", corrections=profile)
    assert getattr(known, name) == stored
    assert boss.get(CHANGE).context["adminform"].form[f"profile_{name}"].value() == stored
    assert corrected(boss, **{name: sent}) == profile
    assert corrected(boss) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool_mode", "magic"),
        ("vision", "maybe"),
        ("context_window", "0"),
        ("context_window", "-5"),
        ("output_cap", "much"),
        ("reasoning_field", "x" * 65),
        ("schema_dialect", "FULL"),
    ],
)
def test_a_correction_that_is_none_is_refused(name: str, value: str, boss: Client, provider: Provider) -> None:
    answer = boss.post(CHANGE, form(**{f"profile_{name}": value}))
    assert f"profile_{name}" in answer.context["adminform"].form.errors


def test_what_the_form_cannot_show_is_kept(boss: Client, provider: Provider) -> None:
    Provider.objects.update(profile={"context_window": None, "of_a_newer_version": 1, "vision": True})
    assert corrected(boss, vision="") == {"context_window": None, "of_a_newer_version": 1}


def test_the_empty_choice_says_what_is_known_of_the_default_model(boss: Client, provider: Provider) -> None:
    known = profile_of(
        provider_type="openai_chat", base_url="https://api.openai.com/v1", model="gpt-4o-mini", corrections={}
    )
    page = boss.get(f"{ADD}?preset=openai").content.decode()

    said = re.search(r'name="profile_vision"[^>]*>\s*<option value="" selected>([^<]+)<', page)
    assert said is not None
    assert said[1] == f"as known: {'yes' if known.vision else 'no'}"
    assert "{" not in "".join(re.findall(r'placeholder="as known: ([^"]*)"', page))


def test_a_correction_is_on_record_by_the_name_of_its_field(boss: Client, provider: Provider) -> None:
    corrected(boss, vision="True")
    assert "Sees pictures" in LogEntry.objects.get().get_change_message()
    corrected(boss, vision="True")
    assert "Sees pictures" not in LogEntry.objects.latest("pk").get_change_message()


def test_who_may_only_look_reads_the_profile_in_words(staff: Callable[..., Client], provider: Provider) -> None:
    Provider.objects.update(profile={"tool_mode": "none"})
    page = staff("view_provider").get(CHANGE).content.decode()
    assert 'Calls tools: <strong>not at all</strong> <span class="st-admin-quiet">corrected</span>' in page
    assert "tool_mode" not in page
