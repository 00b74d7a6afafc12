"""How far JSON goes that arrives in fragments."""

import re

# What tells where JSON ends: brackets and strings; a backslash hides what follows it, perhaps in the next fragment.
_MARK = re.compile(r'\\.|[\\"{}\[\]]', re.DOTALL)
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


class Extent:
    """Whether the JSON that arrives in fragments is whole, told without reading any of it twice."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = self._after_backslash = self._has_closed = False

    @property
    def is_whole(self) -> bool:
        return self._has_closed and self._depth == 0 and not self._in_string

    @property
    def is_open(self) -> bool:
        """Whether a string or a bracket in it was not closed."""
        return self._depth > 0 or self._in_string

    def add(self, fragment: str) -> None:
        start, self._after_backslash = int(self._after_backslash), self._after_backslash and not fragment
        for mark in _MARK.finditer(fragment, start):
            sign = mark[0]
            if sign == '"':
                self._in_string = not self._in_string
            elif sign == "\\":
                self._after_backslash = True
            elif not self._in_string and sign in _STEPS:
                self._depth += _STEPS[sign]
                self._has_closed = self._has_closed or self._depth == 0
