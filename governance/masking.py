"""What a payload looks like on record: without secrets first, then not too long."""

from typing import Any

from agentcore.redaction import Redactor, truncate
from agentcore.text import clean_json

MAX_STRING = 4_000
MAX_ITEMS = 100

_redactor = Redactor()


def masked(value: Any) -> Any:
    """``value`` as JSON that may be stored and shown."""
    return truncate(clean_json(_redactor.redact(value)), max_string=MAX_STRING, max_items=MAX_ITEMS)
