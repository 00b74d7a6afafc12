"""What make runs. A Ctrl-C ends each of them quietly, also while its modules load."""

import sys
from types import TracebackType


def _told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Python's own last words, unless somebody has just stopped it."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = _told
