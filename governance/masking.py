"""What a payload looks like on record: without secrets first, then not too long."""

from typing import Any

from agentcore.redaction import truncate
from agentcore.services.redaction import redactor
from agentcore.text import clean_json

MAX_STRING = 4_000
MAX_ITEMS = 100


def masked(value: Any) -> Any:
    """``value`` as JSON that may be stored and shown. Seldom 1 query, for the site's credentials."""
    return truncate(clean_json(redactor().redact(value)), max_string=MAX_STRING, max_items=MAX_ITEMS)
