"""The registered tools, as the loop takes them."""

from functools import lru_cache, partial

from agentcore.tools import Caller, Tool
from toolsapp.definition import ToolDefinition
from toolsapp.execution import invoke
from toolsapp.permissions import may_call
from toolsapp.registry import REGISTRY, Registry


class RegisteredTools:
    """Every ``@agent_tool`` that the caller may call: the default of ``STEWARD["TOOLSETS"]``."""

    def __init__(self, registry: Registry = REGISTRY) -> None:
        self._registry = registry

    def tools_for(self, caller: Caller) -> list[Tool]:
        """Sorted by name. Hidden tools are left out, and so is what the caller may not call."""
        shown = (definition for definition in self._registry.definitions() if not definition.hidden)
        return [tool_of(definition) for definition in shown if may_call(definition, caller.user)]


@lru_cache(maxsize=4096)
def tool_of(definition: ToolDefinition) -> Tool:
    """The kernel's view of a definition; the same object each time, so that nothing is built twice."""
    return Tool(
        name=definition.name,
        description=definition.description,
        parameters=definition.signature.parameters,
        invoke=partial(invoke, definition),
        effect=definition.effect,
        category=definition.category,
        permission=definition.permission,
        hidden=definition.hidden,
        idempotent=definition.idempotent,
        timeout_s=definition.timeout_s,
        definition_hash=definition.definition_hash,
        summarise=definition.summarise,
    )
