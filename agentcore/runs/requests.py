"""What a person may ask of a run: the fields of ``POST /api/agent/runs``, of the socket's ``send`` and of ``ask``."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from agentcore.conf import steward
from agentcore.errors import PayloadTooLarge, ValidationFailed
from agentcore.text import clean_text

NOT_OFFERED = {"skills", "context", "attachments", "parent_message_id"}
# What pydantic says in English only, by its types of error.
# Source: https://docs.pydantic.dev/latest/errors/validation_errors/
PROBLEMS = {
    "missing": gettext_lazy("This field is missing."),
    "extra_forbidden": gettext_lazy("There is no such field."),
    "string_type": gettext_lazy("This must be text."),
    "string_unicode": gettext_lazy("This holds a character that cannot be stored."),
    "string_pattern_mismatch": gettext_lazy("This holds a character that cannot be stored."),
    "string_too_short": gettext_lazy("This may not be empty."),
    "string_too_long": gettext_lazy("This may have at most %(max_length)s characters."),
    "int_type": gettext_lazy("This must be a whole number."),
    "float_type": gettext_lazy("This must be a number."),
    "finite_number": gettext_lazy("This must be a number."),
    "greater_than": gettext_lazy("This must be more than %(gt)g."),
    "greater_than_equal": gettext_lazy("This must be %(ge)s or more."),
    "bool_type": gettext_lazy("This must be true or false."),
    "list_type": gettext_lazy("This must be a list."),
    "uuid_type": gettext_lazy("This must be a UUID."),
    "uuid_parsing": gettext_lazy("This must be a UUID."),
}


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
    # Refused where others are cleaned: whoever sent it compares it with what comes back.
    send_id: StrictStr | None = Field(default=None, min_length=1, max_length=64, pattern="^[^\\x00]+$")

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
            request = cls.model_validate(_cleaned(data))
        except ValidationError as error:
            raise ValidationFailed(details=[problem_of(item) for item in error.errors()]) from None
        if not request.input.strip():
            message = _("Please write something.")
            raise ValidationFailed(message, details={"input": [message]})
        return request

    def content_hash(self) -> str:
        """SHA-256 of everything but ``send_id``: whether a repeated send asks for the same."""
        return hashlib.sha256(self.model_dump_json(exclude={"send_id"}).encode()).hexdigest()


def _cleaned(data: Mapping[str, Any]) -> dict[str, Any]:
    given = {clean_text(name): value for name, value in data.items() if value is not None}
    return {name: value if name == "send_id" else _clean(value) for name, value in given.items()}


def _clean(value: Any) -> Any:
    """No field has lists in its list: what is deeper is refused as it is."""
    if isinstance(value, list):
        return [clean_text(item) if isinstance(item, str) else item for item in value]
    return clean_text(value) if isinstance(value, str) else value


def problem_of(item: Any) -> dict[str, str]:
    """One of pydantic's errors as a path and a sentence, without the value that was sent."""
    path = ".".join(str(part) for part in item["loc"])
    if path in NOT_OFFERED:
        return {"path": path, "problem": _("This site does not offer it.")}
    known = PROBLEMS.get(item["type"])
    return {"path": path, "problem": str(known) % item.get("ctx", {}) if known else item["msg"]}
