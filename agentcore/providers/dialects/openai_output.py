"""The output items of a response, as they are pieced together from events that name them in many ways."""

import json
from dataclasses import dataclass, field
from typing import Any

from agentcore.errors import ProviderBadResponse
from agentcore.providers.dialects.calls import OpenCall

MESSAGE, REASONING, CALL = "message", "reasoning", "function_call"
MAX_ITEMS = 1024


@dataclass
class OutputItem:
    """An item that is arriving.

    ``parts`` holds what was said of it, by part.
    """

    kind: str
    item_id: str
    index: int | None
    parts: dict[Any, list[str]] = field(default_factory=dict)
    call: OpenCall = field(default_factory=OpenCall)
    has_token: bool = False
    is_done: bool = False
    is_cut_off: bool = False

    def said(self) -> str:
        return self.joint.join("".join(pieces) for pieces in self.parts.values())

    @property
    def joint(self) -> str:
        """What stands between two parts: those of a message go on, those of thinking are paragraphs."""
        return "\n\n" if self.kind == REASONING else ""


class OutputItems:
    """The items of one response, in the order of their first sign."""

    def __init__(self) -> None:
        self._all: list[OutputItem] = []
        self._known: dict[str, OutputItem] = {}

    def begin(self, kind: str, item_id: Any, index: Any) -> OutputItem:
        """The item of that id, else a new one.

        Raises:
            ProviderBadResponse: there are too many.
        """
        if (known := self._known_as(kind, item_id)) is not None:
            return known
        if len(self._all) >= MAX_ITEMS:
            raise ProviderBadResponse()
        item_id = item_id if isinstance(item_id, str) else ""
        item = OutputItem(kind, item_id, index if isinstance(index, int) else None)
        self._all.append(item)
        if item_id:
            self._known[item_id] = item
        return item

    def of(self, kind: str, item_id: Any, index: Any) -> OutputItem:
        """The open item that an event means: a known id wins over the index, since one of them may be always the same.

        Raises:
            ProviderBadResponse: there are too many.
        """
        if (known := self._known_as(kind, item_id)) is not None:
            return known
        for item in reversed(self._all):
            if item.kind == kind and not item.is_done and _may_be(item, item_id, index):
                if isinstance(item_id, str):
                    self._known.setdefault(item_id, item)
                return item
        return self.begin(kind, item_id, index)

    def _known_as(self, kind: str, item_id: Any) -> OutputItem | None:
        item = self._known.get(item_id) if isinstance(item_id, str) else None
        return item if item is not None and item.kind == kind else None

    def among(self, output: list[dict[str, Any]]) -> list[tuple[OutputItem, dict[str, Any]]]:
        """The items that a whole output lists: by id, else by their order within their kind; new ones are begun."""
        known = [self._known_as(str(given.get("type")), given.get("id")) for given in output]
        taken = {id(item) for item in known}
        found = []
        for known_one, given in zip(known, output, strict=True):
            kind = str(given.get("type"))
            unnamed = (old for old in self._all if old.kind == kind and id(old) not in taken)
            item = known_one or next(unnamed, None) or self.begin(kind, given.get("id"), None)
            taken.add(id(item))
            found.append((item, given))
        return found

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def calls(self) -> list[OutputItem]:
        return [item for item in self._all if item.kind == CALL]


def _may_be(item: OutputItem, item_id: Any, index: Any) -> bool:
    if isinstance(index, int) and item.index is not None:
        return item.index == index
    return not item_id or not item.item_id


def token_of(given: dict[str, Any]) -> str | None:
    """All that is needed to send a reasoning item back, as one opaque text; None when it may not be sent."""
    encrypted = given.get("encrypted_content")
    if not isinstance(encrypted, str) or not encrypted or given.get("status") == "incomplete":
        return None
    summary = given.get("summary")
    kept = {
        "type": REASONING,
        "id": given.get("id"),
        "summary": summary if isinstance(summary, list) else [],
        "encrypted_content": encrypted,
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def item_of(token: str) -> dict[str, Any] | None:
    """The reasoning item of a token; None when it is the token of another format."""
    try:
        item = json.loads(token)
    except (ValueError, RecursionError):
        return None
    ours = isinstance(item, dict) and item.get("type") == REASONING and item.get("encrypted_content")
    return {key: value for key, value in item.items() if value is not None} if ours else None
