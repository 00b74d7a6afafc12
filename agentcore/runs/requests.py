"""What a person may ask of a run: the fields of ``POST /api/agent/runs``, of the socket's ``send`` and of ``ask``."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from agentcore.conf import steward
from agentcore.errors import PayloadTooLarge, ValidationFailed
from agentcore.text import clean_text


class RunRequest(BaseModel):
    """One user input. Limits can be lowered, not raised: a higher one is the site's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: StrictStr
    agent: StrictStr | None = None
    provider_id: StrictStr | None = None
    model: StrictStr | None = Field(default=None, max_length=200)
    conversation_id: UUID | None = None
    allowed_tools: list[StrictStr] | None = None
    skills: list[StrictStr] = Field(default=[], max_length=0)
    max_steps: StrictInt | None = Field(default=None, ge=1)
    timeout_s: float | None = Field(default=None, gt=0, strict=True, allow_inf_nan=False)
    token_budget: StrictInt | None = Field(default=None, ge=1)
    network: StrictBool | None = None
    context: dict[str, Any] = Field(default={}, max_length=0)
    attachments: list[Any] = Field(default=[], max_length=0)
    parent_message_id: None = None
    send_id: StrictStr | None = Field(default=None, min_length=1, max_length=64)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> "RunRequest":
        """Check what came from outside; text is cleaned of what no database stores.

        Raises:
            ValidationFailed: a field is unknown, missing or wrong, or the input is blank; ``details`` names each.
            PayloadTooLarge: the input is longer than ``MAX_INPUT_CHARS``.
        """
        text = data.get("input")
        limit = steward().MAX_INPUT_CHARS
        if isinstance(text, str) and len(text) > limit:
            raise PayloadTooLarge(
                _("Your text is too long: %(length)d characters, and the limit is %(limit)d.")
                % {"length": len(text), "limit": limit}
            )
        try:
            request = cls.model_validate({key: _cleaned(value) for key, value in data.items() if value is not None})
        except ValidationError as error:
            raise ValidationFailed(details=[_problem(item) for item in error.errors()]) from None
        if not request.input.strip():
            message = _("Please write something.")
            raise ValidationFailed(message, details={"input": [message]})
        return request

    def content_hash(self) -> str:
        """SHA-256 of everything but ``send_id``: whether a repeated send asks for the same."""
        return hashlib.sha256(self.model_dump_json(exclude={"send_id"}).encode()).hexdigest()


def _cleaned(value: Any) -> Any:
    return clean_text(value) if isinstance(value, str) else value


def _problem(item: Any) -> dict[str, str]:
    path = ".".join(str(part) for part in item["loc"])
    if path in {"skills", "context", "attachments", "parent_message_id"}:
        return {"path": path, "problem": _("This site does not offer it.")}
    problem = _("There is no such field.") if item["type"] == "extra_forbidden" else item["msg"]
    return {"path": path, "problem": problem}
