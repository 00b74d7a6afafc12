"""What a payload looks like on record: without secrets first, then not too long."""

from typing import Any

from agentcore.redaction import truncate
from agentcore.services.redaction import redactor
from agentcore.text import clean_json
from governance.failures import failure_cut

MAX_STRING = 4_000
MAX_ITEMS = 100


def masked(value: Any) -> Any:
    """``value`` as JSON that may be stored and shown. Seldom 1 query, for the site's credentials."""
    shown = clean_json(redactor().redact(value))
    if isinstance(shown, dict) and isinstance(shown.get("detail"), str):
        shown["detail"] = failure_cut(shown["detail"], MAX_STRING)
    return truncate(shown, max_string=MAX_STRING, max_items=MAX_ITEMS)
