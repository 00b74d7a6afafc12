"""System checks: tools that were left out, and tools that should not stay as they are."""

from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from agentcore.conf import faults, steward
from agentcore.tools import Effect
from toolsapp.definition import ToolDefinition
from toolsapp.registry import REGISTRY, Fault, Registry

# Who calls is never an argument: a model would choose it.
IDENTITIES = frozenset({"user", "user_id", "username", "owner_id", "tenant", "tenant_id", "conversation_id", "run_id"})


def check_tools(**_: Any) -> list[CheckMessage]:
    return [*tool_messages(REGISTRY), *policy_messages(REGISTRY)]


def policy_messages(registry: Registry) -> list[CheckMessage]:
    """Names in ``STEWARD["PERMISSIONS"]`` that no tool has."""
    if faults():
        return []
    definitions = registry.definitions()
    known = {name for definition in definitions for name in (definition.name, *definition.permissions)}
    hint = f"Correct it; the names are: {', '.join(sorted(known)) or 'none'}."
    return [
        Warning(
            f"STEWARD['PERMISSIONS'] names {name}, which is no tool and no tool's permission.",
            hint=hint,
            id="steward.W105",
        )
        for name in steward().PERMISSIONS
        if name not in known
    ]


def tool_messages(registry: Registry) -> list[CheckMessage]:
    """What is wrong with the tools of a registry."""
    doubts = [message for definition in registry.definitions() for message in _doubts(definition)]
    return [_message(fault) for fault in registry.faults()] + doubts


def _message(fault: Fault) -> CheckMessage:
    kind = Error if ".E" in fault.check_id else Warning
    return kind(fault.message, hint=fault.hint, obj=fault.where, id=fault.check_id)


def _doubts(definition: ToolDefinition) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for name in IDENTITIES.intersection(definition.signature.parameters["properties"]):
        text = f"The tool {definition.name} takes {name} as an argument, so the model chooses it."
        hint = "Take a parameter annotated ToolContext instead."
        found.append(Warning(text, hint=hint, obj=definition.module, id="steward.W102"))
    if definition.effect is not Effect.READ and not definition.permissions:
        text = f"The tool {definition.name} has the effect {definition.effect.value} and needs no permission."
        found.append(Warning(text, hint="Pass permission=…", obj=definition.module, id="steward.W103"))
    if not definition.description:
        text = f"The tool {definition.name} has no description, so the model must guess what it does."
        found.append(Warning(text, hint="Give the function a docstring.", obj=definition.module, id="steward.W104"))
    return found
