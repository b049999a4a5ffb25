"""Advice on fetches that brought no content: a reason in words, and a remedy, for each reason."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sitecrawl.policy.outcomes import PAGE_FAULTS

OTHER_FILE = "leave it out, or give a start that leads to pages"


class Advice(NamedTuple):
    """A reason in words, and the remedy; a remedy that is empty depends on rules of the crawl."""

    words: str
    remedy: str = ""


@cache
def all_advice() -> Mapping[str, Advice]:
    """Return the advice for each reason; the texts are in ``advice.toml``."""
    table = tomllib.loads(files(__package__).joinpath("advice.toml").read_text("utf-8"))
    told = {
        reason: Advice(words, remedy.format_map(table["words"]))
        for reason, (words, remedy) in table["advice"].items()
    }
    faults = PAGE_FAULTS.items()
    return told | {n: Advice(each.meaning.replace("`", ""), OTHER_FILE) for n, each in faults}


def in_words(reason: str) -> str:
    """Return a reason in words; that of a rule is its name."""
    known = all_advice().get(reason)
    return known.words if known else reason.replace("_", " ")
