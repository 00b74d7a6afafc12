"""The pages for users and the template tag, as HTML: who sees what, in which language, and under the policy."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.template import Context, Template
from django.test import Client, RequestFactory

from agentcore.models import AgentProfile, AgentRoute, Provider
from conversations.texts import drawer_texts

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "static/conversations"
HARD_ADDRESS = re.compile(r'(?:href|action)="/[^"]*"|request\.path == "|"/[\w/]*" in request\.path')
PREFIXES = ("advice", "error", "lacks", "notice", "rate", "route", "tool", "user")


class Tags(HTMLParser):
    """The start tags of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def user() -> Any:
    return get_user_model().objects.create_user("ada", first_name="Ada")


@pytest.fixture
def password(user: Any) -> str:
    """Hashing takes its time on purpose: only for the tests that log in by it."""
    user.set_password("open sesame")
    user.save()
    return "open sesame"


@pytest.fixture
def browser(user: Any, client: Client) -> Client:
    client.force_login(user)
    return client


def tag(user: Any, arguments: str = "") -> str:
    request = RequestFactory().get("/somewhere/?a=1&b=2")
    request.user = user
    template = Template("{% load steward %}{% steward_drawer " + arguments + " %}")
    return template.render(Context({"request": request}))


def drawer(html: str) -> dict[str, str | None]:
    return Tags(html).of("steward-drawer")[0]


def test_the_tag_carries_what_the_drawer_needs(user: Any) -> None:
    AgentProfile.objects.create(slug="assistant", name="Mara", suggestions=["What now?"])
    found = drawer(tag(user))
    assert (found["data-agent-name"], found["data-user-name"]) == ("Mara", "Ada")
    assert (found["data-api"], found["data-socket"]) == ("/api/", "/ws/agent/")
    assert json.loads(found["data-suggestions"] or "") == ["What now?"]
    assert json.loads(found["data-texts"] or "") == drawer_texts()
    assert found["data-login"] == "/accounts/login/?next=/somewhere/%3Fa%3D1%26b%3D2"


def test_the_tag_names_the_model_that_answers_and_those_that_only_follow_a_script(user: Any) -> None:
    profile = AgentProfile.objects.create(slug="assistant", name="Mara")
    for slug, kind, is_on in [("gone", "openai_chat", False), ("mock", "mock", True)]:
        provider = Provider.objects.create(slug=slug, provider_type=kind, default_model=f"{slug}-1", enabled=is_on)
        AgentRoute.objects.create(agent=profile, provider=provider)
    found = drawer(tag(user, 'model_help="Ask Bo."'))
    assert json.loads(found["data-model"] or "") == {"provider_id": "mock", "model": "mock-1"}
    assert json.loads(found["data-offline"] or "") == ["mock"]
    assert (found["data-model-help"], found["data-model-help-url"]) == ("Ask Bo.", "")
    assert found["data-csrf"]


@pytest.mark.parametrize(("is_debug", "told"), [(True, "make local-llm"), (False, "")])
@pytest.mark.parametrize("page", ["/", "/agent/"])
def test_every_page_says_the_same_of_how_to_get_a_real_model(
    browser: Client, settings: Any, page: str, is_debug: bool, told: str
) -> None:
    settings.DEBUG = is_debug
    help_text = drawer(browser.get(page).content.decode())["data-model-help"] or ""
    assert (told in help_text, bool(help_text)) == (True, is_debug)


def test_who_may_connect_a_model_is_led_there(user: Any) -> None:
    user.is_staff = user.is_superuser = True
    assert drawer(tag(user))["data-model-help-url"] == "/admin/agentcore/provider/add/"


def test_the_drawer_knows_how_long_a_message_may_be_in_every_language(user: Any, settings: Any) -> None:
    settings.USE_THOUSAND_SEPARATOR = True
    assert drawer(tag(user))["data-max-chars"] == "32000"


def test_the_tag_works_without_any_agent(user: Any) -> None:
    assert drawer(tag(user))["data-agent-name"] == "Steward"


def test_the_tag_names_another_agent_and_the_page_mode(user: Any) -> None:
    AgentProfile.objects.create(slug="other", name="Other")
    found = drawer(tag(user, 'mode="page" agent="other"'))
    assert (found["data-mode"], found["data-agent"], found["data-agent-name"]) == ("page", "other", "Other")


def test_what_an_admin_typed_does_not_break_out_of_the_tag(user: Any) -> None:
    nasty = "\"'><script>alert(1)</script>"
    AgentProfile.objects.create(slug="assistant", name=nasty, suggestions=[nasty])
    html = tag(user)
    assert "<script>" not in html
    assert drawer(html)["data-agent-name"] == nasty
    assert json.loads(drawer(html)["data-suggestions"] or "") == [nasty]


def test_who_is_not_logged_in_sees_a_link_and_no_drawer(client: Client) -> None:
    html = client.get("/").content.decode()
    assert "steward-drawer" not in html
    assert "/accounts/login/?next=/" in html


def test_the_chat_page_wants_a_login(client: Client) -> None:
    assert client.get("/agent/").headers["Location"] == "/accounts/login/?next=/agent/"


def test_the_login_leads_to_the_page_that_was_wanted(client: Client, password: str) -> None:
    answer = client.post("/accounts/login/", {"username": "ada", "password": password, "next": "/agent/"})
    assert answer.headers["Location"] == "/agent/"


def test_a_wrong_password_is_said_and_the_name_kept(client: Client, password: str) -> None:
    html = client.post("/accounts/login/", {"username": "ada", "password": "wrong"}).content.decode()
    assert 'role="alert"' in html
    assert any(field.get("value") == "ada" for field in Tags(html).of("input"))


def test_logging_out_is_a_post(browser: Client) -> None:
    assert browser.get("/accounts/logout/").status_code == 405
    assert browser.post("/accounts/logout/").headers["Location"] == "/"


@pytest.mark.parametrize("path", ["/", "/agent/", "/accounts/login/"])
def test_no_page_has_inline_script_or_style(path: str, browser: Client) -> None:
    if path == "/accounts/login/":
        browser.logout()
    answer = browser.get(path)
    tags = Tags(answer.content.decode())
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert tags.of("style") == []
    assert all(script.get("src") for script in tags.of("script"))
    assert [(name, a) for name, a in tags.found if any(key == "style" or key.startswith("on") for key in a)] == []


@pytest.mark.parametrize("file", sorted((ROOT / "templates").rglob("*.html")), ids=lambda file: file.name)
def test_a_template_asks_for_addresses_by_name(file: Path) -> None:
    assert HARD_ADDRESS.findall(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("chosen", "language"), [("zh-hans", "zh-Hans"), ("en", "en")])
def test_a_person_chooses_the_language(chosen: str, language: str, browser: Client) -> None:
    answer = browser.post("/i18n/setlang/", {"language": chosen, "next": "/agent/"})
    assert answer.headers["Location"] == "/agent/"
    assert Tags(browser.get("/agent/").content.decode()).of("html")[0]["lang"] == language


def test_the_browser_chooses_the_language_before_a_person_does(client: Client) -> None:
    html = client.get("/", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).content.decode()
    assert Tags(html).of("html")[0]["lang"] == "zh-Hans"


def test_only_who_may_see_it_is_led_to_governance(browser: Client, user: Any) -> None:
    assert "/governance/" not in browser.get("/").content.decode()
    user.is_superuser = True
    user.save()
    assert "/governance/turns/" in browser.get("/").content.decode()


def used_keys() -> set[str]:
    """The keys of texts that the browser code names in full."""
    code = "\n".join(file.read_text(encoding="utf-8") for file in SCRIPTS.glob("*.js"))
    named = set(re.findall(r"\bt\(\"(\w+)\"", code))
    chosen = {key for pair in re.findall(r"\bt\([\w.!=\" ]+ \? \"(\w+)\" : \"(\w+)\"\)", code) for key in pair}
    return named | chosen | set(re.findall(rf"\"((?:{'|'.join(PREFIXES)})_\w+)\"", code))


def test_every_text_that_the_browser_code_uses_is_there() -> None:
    keys = used_keys() - {"tool_limit"}
    assert len(keys) > 60
    assert keys - set(drawer_texts()) == set()


def test_every_text_is_used() -> None:
    computed = {key for key in drawer_texts() if key.startswith(tuple(f"{prefix}_" for prefix in PREFIXES))}
    more = {"connecting", "reconnecting", "logged_out", "send", "stop", "stopping", "stopping_later"}
    assert set(drawer_texts()) - used_keys() - computed - more == set()


def test_every_placeholder_is_filled_by_the_browser_code() -> None:
    known = {"agent", "name", "model", "provider", "input", "output", "n", "max", "message"}
    assert {field for text in drawer_texts().values() for field in re.findall(r"\{(\w+)\}", text)} <= known
