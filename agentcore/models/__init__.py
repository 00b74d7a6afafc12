"""The rows of the ground."""

from agentcore.models.agents import AgentProfile, AgentRoute
from agentcore.models.providers import Credential, ModelPrice, ModelPriceTier, Provider
from agentcore.models.runs import PermissionRequest, Run, RunEvent, RunStep, ToolCall
from agentcore.models.tokens import ApiToken

__all__ = [
    "AgentProfile",
    "AgentRoute",
    "ApiToken",
    "Credential",
    "ModelPrice",
    "ModelPriceTier",
    "PermissionRequest",
    "Provider",
    "Run",
    "RunEvent",
    "RunStep",
    "ToolCall",
]
