"""Handling of Ctrl-C while a command loads."""

from __future__ import annotations

import sys
from types import TracebackType


def install() -> None:
    """Report an unhandled interrupt in one line, unless the program has its own hook.

    Python then ends by the signal, which is status 130 in a shell.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
