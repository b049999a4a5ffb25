"""The one form in which the crawler says yes or no."""

from __future__ import annotations

from typing import NamedTuple


class Decision(NamedTuple):
    """Whether something may happen, and why not.

    ``reason`` is one snake_case word that serves as the stat's name, the log's
    word, the database's word and what ``scrapy explain`` prints. ``rule`` names
    what decided, in the words of the person who wrote it: the option or robots.txt
    line with its value, and where that came from.
    """

    allowed: bool
    reason: str = ""
    rule: str = ""


ALLOWED = Decision(allowed=True)


def refuse(reason: str, rule: str = "") -> Decision:
    """A refusal under ``reason``, decided by ``rule``."""
    return Decision(allowed=False, reason=reason, rule=rule)
