"""A conversation's title, cut from the first thing that a person wrote."""

import unicodedata
from itertools import accumulate

# Columns, not characters: a Chinese character is as wide as two Latin ones.
WIDTH = 60
ELLIPSIS = "…"
# Marks that combine have no width, and a column of the database is full all the same.
LONGEST = 199


def title_of(text: str, width: int = WIDTH) -> str:
    """The first line of ``text`` that says something, at most ``width`` columns; empty when none does."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    if len(line) > LONGEST:
        line = line[:LONGEST]
    elif _columns(line) <= width:
        return line
    return _cut(line, width - 1) + ELLIPSIS


def _columns(text: str) -> int:
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(line: str, width: int) -> str:
    """The start of ``line`` that fits, ending with a whole word unless that would lose more than half of it."""
    end = sum(used <= width for used in accumulate(map(_width, line)))
    head = line[:end]
    space = head.rfind(" ")
    in_word = end < len(line) and line[end] != " " and _width(line[end]) == 1
    return (head[:space] if in_word and space > len(head) // 2 else head).rstrip()
