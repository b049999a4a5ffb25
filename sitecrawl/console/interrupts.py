"""Ctrl-C while a command loads is one line, as it is later."""

from __future__ import annotations

import sys
from types import TracebackType


def install() -> None:
    """Report an interrupt that nobody handles in one line, unless a program does so itself.

    Python ends with the signal then, which is status 130 in a shell.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
