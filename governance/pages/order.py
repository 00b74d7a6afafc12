"""The order of a list: the two columns by which it is read and paged."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Order:
    """Newest first: both columns descend, unless the second counts up inside the first. An index has both."""

    first: str
    second: str
    is_second_ascending: bool = False

    def fields(self, *, is_newer: bool = False) -> list[str]:
        """For ``order_by``; ``is_newer`` walks the list backwards."""
        first = "" if is_newer else "-"
        second = "" if self.is_second_ascending != is_newer else "-"
        return [f"{first}{self.first}", f"{second}{self.second}"]
