"""Redaction: what is stored or shown beyond its owner holds no secret."""

from agentcore.redaction.redactor import Redactor
from agentcore.redaction.shapes import REDACTED
from agentcore.redaction.truncation import truncate

__all__ = ["REDACTED", "Redactor", "truncate"]
