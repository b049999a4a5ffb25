"""The line in which slow commands show what they are doing."""

from __future__ import annotations

import io
import sys

import pytest

from sitecrawl.console import terminal


class Screen(io.StringIO):
    """A terminal that remembers what was written."""

    def isatty(self) -> bool:
        return True


@pytest.mark.behaviour("REP-12")
def test_it_is_shown_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "FIRST_SECONDS", 0.0)
    for output, shown in ((Screen(), "\r\x1b[KReading\r\x1b[K"), (io.StringIO(), "")):
        monkeypatch.setattr(sys, "stderr", output)
        with terminal.status_line() as show:
            show("Reading")
        assert output.getvalue() == shown


@pytest.mark.behaviour("REP-12")
def test_a_quick_command_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.status_line() as show:
        show("Reading")
    assert screen.getvalue() == ""
