"""Control characters in the text of pages do not reach the terminal."""

from __future__ import annotations

import json
import logging

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Server
from sitecrawl.console.terminal import print_errors, print_lines, printable
from sitecrawl.extensions.log_messages import PrintableFormatter


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u00e9\u4e2d\u0627\ttext", "plain \u00e9\u4e2d\u0627\ttext"),
        ("\x1b[31mred\x1b]0;title\x07", "\\u001b[31mred\\u001b]0;title\\u0007"),
        ("over\rwritten\b\x7f", "over\\u000dwritten\\u0008\\u007f"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202egnp.exe\u2066\u200f", "\\u202egnp.exe\\u2066\\u200f"),
    ],
)
def test_controls_are_escaped(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printable(text) == shown
    print_lines([text])
    print_errors([text])
    assert capsys.readouterr() == (f"{shown}\n", f"{shown}\n")


def test_json_means_the_same() -> None:
    record = {"title": "a\u202eb\x9b\x1b\u2028"}
    assert json.loads(printable(json.dumps(record, ensure_ascii=False))) == record


def test_a_traceback_is_escaped_too() -> None:
    try:
        raise ValueError("\x1b[2J")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("x", 40, "f", 1, "%s failed", ("\x1b[1m",), info)
    shown = PrintableFormatter(logging.Formatter("%(levelname)s %(message)s")).format(record)
    assert "\x1b" not in shown
    assert "\\u001b[2J" in shown
    assert "Traceback" in shown


def test_a_crawl_logs_no_controls(server: Server, crawl: CrawlCommand) -> None:
    robots = "User-agent: *\nDisallow: /\u202e\x1b[31m"
    origin = server.serve({"*": "x", "/robots.txt": Answer(robots)})
    run = crawl(f"{origin}/%E2%80%AE%1B[31m")
    assert "Disallow: /\\u202e" in run.log
    assert "\x1b" not in run.log
    assert "\u202e" not in run.log
