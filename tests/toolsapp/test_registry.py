"""The registry, the decorator's options, discovery and the checks."""

import sys
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

import pytest
from django.core.checks import Error, Warning

from agentcore.tools import Effect, ToolContext
from toolsapp.checks import tool_messages
from toolsapp.decorator import agent_tool, define
from toolsapp.errors import ToolDefinitionError, ToolNameTaken
from toolsapp.registry import REGISTRY, Registry


@pytest.fixture
def registry() -> Registry:
    """A registry that looks nowhere."""
    registry = Registry()
    registry._found = True
    return registry


def names(registry: Registry) -> list[str]:
    return [definition.name for definition in registry.definitions()]


def test_decorated_function_stays_as_it_was(registry):
    @agent_tool(registry=registry)
    def twice(n: int) -> int:
        """Twice as much.

        The model reads this.
        """
        return 2 * n

    assert twice(4) == 8
    assert names(registry) == ["twice"]
    assert registry.definitions()[0].description == "Twice as much.\n\nThe model reads this."


def test_decorator_works_without_brackets():
    @agent_tool
    def _only_for_this_test() -> None:
        """Nothing."""

    assert "_only_for_this_test" in names(REGISTRY)
    del REGISTRY._definitions["_only_for_this_test"]


def test_second_tool_of_a_name_needs_override_and_then_wins(registry):
    def one() -> int:
        return 1

    def two() -> int:
        return 2

    agent_tool(name="n", registry=registry)(one)
    with pytest.raises(ToolNameTaken, match="n"):
        agent_tool(name="n", registry=registry)(two)
    assert registry.definitions()[0].function is one
    agent_tool(name="n", override=True, registry=registry)(two)
    assert registry.definitions()[0].function is two


def test_override_wins_also_when_it_comes_first(registry):
    def one() -> int:
        return 1

    def two() -> int:
        return 2

    agent_tool(name="n", override=True, registry=registry)(two)
    agent_tool(name="n", registry=registry)(one)
    assert registry.definitions()[0].function is two


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "no spaces"}, "no spaces"),
        ({"name": "x" * 65}, "1 to 64"),
        ({"effect": "explode"}, "read, write, destructive, external"),
        ({"summary": "{text.__class__}"}, "text.__class__"),
        ({"summary": "{text[0]}"}, "text"),
        ({"summary": "{text!r}"}, "text"),
        ({"summary": "{text:>99999999}"}, "text"),
        ({"summary": "{other}"}, "other"),
        ({"summary": "{"}, "malformed"),
    ],
)
def test_option_that_cannot_be_used_is_refused(options, said):
    def tool(text: str) -> None: ...

    with pytest.raises(ToolDefinitionError, match=said):
        define(tool, **options)


def test_summary_shows_arguments_as_one_short_line():
    def find(origin: str, tags: list[str], destination: str = "x") -> None: ...

    definition = define(find, summary="From {origin} to {destination} with {tags}")
    said = definition.summarise({"origin": "A\n{destination}" + "a" * 500, "tags": ["b"]})
    assert said.startswith("From A {destination}aaa")
    assert said.endswith('aaa… to … with ["b"]')
    assert len(said) < 300


def module_named(monkeypatch: pytest.MonkeyPatch, path: str, code: str, **names: Any) -> None:
    """Make ``path`` importable from a source."""

    class Finder:
        def find_spec(self, name: str, *_: Any) -> Any:
            return spec_from_loader(name, self) if name == path else None

        def create_module(self, spec: Any) -> ModuleType:
            return ModuleType(path)

        def exec_module(self, module: ModuleType) -> None:
            vars(module).update(names)
            exec(code, vars(module))

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, path, raising=False)


TOOL = "@agent_tool(registry=registry)\ndef {0}(n: int) -> int:\n    '''N.'''\n    return n\n"


@pytest.mark.parametrize(
    ("code", "check_id", "kind"),
    [
        (TOOL.format("good") + "import no_such_module_anywhere", "steward.W101", Warning),
        (TOOL.format("good") + "1/0", "steward.W101", Warning),
        (TOOL.format("good") + TOOL.format("taken"), "steward.E102", Error),
        (TOOL.format("good") + "@agent_tool(registry=registry)\ndef bad(**k: int): ...", "steward.E101", Error),
    ],
)
def test_module_that_fails_is_a_check_and_leaves_nothing(registry, monkeypatch, code, check_id, kind):
    @agent_tool(registry=registry)
    def taken(n: int) -> int:
        """Was here first."""
        return n

    module_named(monkeypatch, "broken_agent_tools", code, registry=registry, agent_tool=agent_tool)
    registry.import_tools("broken_agent_tools")
    (message,) = tool_messages(registry)
    assert (message.id, type(message), message.obj) == (check_id, kind, "broken_agent_tools")
    assert message.hint
    assert names(registry) == ["taken"]


def test_tool_without_a_schema_is_left_out_alone(registry):
    @agent_tool(registry=registry)
    def good(n: int) -> int:
        """Good."""
        return n

    @agent_tool(registry=registry)
    def bad(n) -> int:  # type: ignore[no-untyped-def]
        """Bad."""
        return n

    registry._leave_out_undescribable()
    assert names(registry) == ["good"]
    assert [message.id for message in tool_messages(registry)] == ["steward.E101"]


def test_discovery_finds_the_installed_apps_once():
    found = names(REGISTRY)
    assert {"system.echo", "math.add", "time.now", "search_flights", "get_weather"} <= set(found)
    assert found == sorted(found)
    REGISTRY.discover()
    assert names(REGISTRY) == found
    assert tool_messages(REGISTRY) == []


def test_doubtful_tools_are_warned_of(registry):
    @agent_tool(registry=registry, effect=Effect.WRITE)
    def erase(user_id: int, ctx: ToolContext) -> None: ...

    assert [message.id for message in tool_messages(registry)] == ["steward.W102", "steward.W103", "steward.W104"]
