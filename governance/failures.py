"""Tracebacks on record: whose class may be told to anybody, and of which the end says most."""

import re

# The last line of frames that stands before the exception itself. A frame's lines are indented; of a group they have a
# bar before them.
_FRAMES = re.compile(
    r"^(?:(?P<opening>Traceback \(most recent call last\):\n)(?: .*\n)*"
    r"|(?P<group>  \+ Exception Group Traceback \(most recent call last\):\n)(?:  \|  .*\n)*  \| )",
    re.MULTILINE,
)
_CLASS = re.compile(r"[A-Za-z_][\w.<>]{0,120}(?=:|\n|\Z)")


def failure_class(detail: str) -> str:
    """The class of the exception that a traceback ends with; empty of any other text."""
    frames = _last_frames(detail)
    found = _CLASS.match(detail, frames.end()) if frames else None
    return found[0] if found else ""


def failure_cut(detail: str, most: int) -> str:
    """A traceback of at most ``most`` characters: its oldest frames go, then the end of what the exception says."""
    frames = _last_frames(detail)
    if len(detail) <= most or frames is None:
        return detail
    said = detail[frames.end() :]
    if len(said) > most // 2:
        said = f"{said[: most // 2]}… ({len(said)} characters)"
    is_group = frames["group"] is not None
    opening = f"{frames['group'] or frames['opening']}{'  |   ' if is_group else '  '}… ({len(detail)} characters)\n"
    room = most - len(opening) - len(said)
    # From a whole line on.
    newest = detail[: frames.end()][-room:].partition("\n")[2]
    return f"{opening}{newest}{said}"


def _last_frames(detail: str) -> "re.Match[str] | None":
    found = list(_FRAMES.finditer(detail))
    return found[-1] if found else None
