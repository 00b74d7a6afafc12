"""Titles."""

import pytest

from conversations.titles import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Hello   there \nworld", "Hello there"),
        ("", ""),
        (" \n\t\n", ""),
        ("one two three four five", "one two three…"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmno…"),
        ("北京到上海的航班有哪些", "北京到上海的航…"),
        ("北京到上海的航班", "北京到上海的航班"),
        ("Fly 北京到上海的航班有", "Fly 北京到上海…"),
        ("exactly sixteen.", "exactly sixteen."),
        ("e\u0301" * 16, "e\u0301" * 16),
    ],
)
def test_title_is_the_first_line_cut_to_its_width(text, title):
    assert title_of(text, width=16) == title
