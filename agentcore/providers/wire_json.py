"""JSON as upstreams write it, no deeper than anybody means.

Who reads a value goes down into it, and where the stack of Python ends depends on who called.
"""

import json
import re
from typing import Any

MAX_DEPTH = 100
# Brackets, and strings, in which they mean nothing. An open string goes to the end, so that none is looked at twice.
_MARK = re.compile(r'"(?:[^"\\]+|\\.?)*+"?|[\[\]{}]', re.DOTALL)
_BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder()
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_json(data: bytes) -> Any:
    """The value that ``data`` is; what is no UTF-8 in it is replaced.

    Raises:
        ValueError: it is no JSON, or too deep.
    """
    text = data.decode("utf-8", "replace").strip(_BLANKS)
    if is_deep(text):
        raise ValueError("too deep")
    # As ``json.loads``, at two thirds of its cost: this runs for each token.
    value, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError("more than one value")
    return value


def is_deep(text: str) -> bool:
    """Whether JSON goes deeper than ``MAX_DEPTH``."""
    # Counted first: nearly all of it has too few brackets to be looked at.
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for mark in _MARK.finditer(text):
        depth += _STEPS.get(mark[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False
