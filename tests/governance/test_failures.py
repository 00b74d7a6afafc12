"""What a traceback on record tells: its class to anybody, its end to the owner, and none of its words."""

import traceback
from collections.abc import Callable

import pytest

from governance.failures import failure_class, failure_cut
from governance.masking import MAX_STRING, masked
from governance.pages.withholding import facts_of

pytestmark = pytest.mark.django_db

CANARY = "canary text"


class TripError(Exception):
    """What a site's own tool may raise."""


def plain() -> None:
    raise TripError(f"{CANARY}\nAlice: {CANARY}\n  indented: {CANARY}")


def caused() -> None:
    try:
        plain()
    except TripError as error:
        raise KeyError(CANARY) from error


def noted() -> None:
    error = ValueError(CANARY)
    error.add_note(f"Bob: {CANARY}")
    raise error


def silent() -> None:
    raise RuntimeError


def grouped() -> None:
    raise ExceptionGroup(CANARY, [ValueError(CANARY)])


def misspelt() -> None:
    compile(CANARY, "file", "exec")


def deep(left: int = 400) -> None:
    if left:
        return odd(left - 1)
    return plain()


def odd(left: int) -> None:
    # Not the same line again and again, which Python would count only.
    return deep(left)


def wordy() -> None:
    raise TripError(CANARY * 1000)


def detail_of(raising: Callable[[], None]) -> str:
    """As the loop makes it of a tool's exception."""
    try:
        raising()
    except Exception as error:
        return "".join(traceback.format_exception(error))
    raise AssertionError(raising)


KINDS = {
    plain: f"{__name__}.TripError",
    caused: "KeyError",
    noted: "ValueError",
    silent: "RuntimeError",
    grouped: "ExceptionGroup",
    misspelt: "SyntaxError",
    deep: f"{__name__}.TripError",
    wordy: f"{__name__}.TripError",
}


@pytest.mark.parametrize("raising", KINDS)
def test_anybody_reads_the_class_of_a_stored_traceback_and_nothing_that_it_says(raising: Callable[[], None]) -> None:
    stored = masked({"detail": detail_of(raising)})
    (fact,) = facts_of(stored, may_read=False)
    assert (fact.text, fact.length) == (KINDS[raising], len(stored["detail"]))


@pytest.mark.parametrize(
    "detail", ["Alice: hello", CANARY, "", "[{'path': 'a', 'problem': 'b'}]", f"Traceback\n{CANARY}"]
)
def test_what_is_no_traceback_has_no_class(detail: str) -> None:
    assert failure_class(detail) == ""


@pytest.mark.parametrize("raising", KINDS)
def test_a_stored_traceback_ends_with_what_was_raised(raising: Callable[[], None]) -> None:
    detail = detail_of(raising)
    stored = masked({"detail": detail})["detail"]
    assert len(stored) <= MAX_STRING
    if len(detail) <= MAX_STRING:
        assert stored == detail
    else:
        assert stored.startswith(f"Traceback (most recent call last):\n  … ({len(detail)} characters)\n")
        assert f"\n{KINDS[raising]}: {CANARY}" in stored
        assert "in plain" in stored or raising is wordy


def test_a_long_traceback_of_a_group_keeps_its_class() -> None:
    frames = "".join(f'  |   File "a.py", line {number}, in a\n' for number in range(500))
    detail = f"  + Exception Group Traceback (most recent call last):\n{frames}  | ExceptionGroup: {CANARY}\n"
    assert failure_class(failure_cut(detail, MAX_STRING)) == "ExceptionGroup"
