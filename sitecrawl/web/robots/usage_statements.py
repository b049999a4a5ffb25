"""Statements of a site about the use of its content: one parser for each notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from sitecrawl.web.robots.directives import for_agent

PURPOSES = ("search", "ai-input", "ai-train")
RSL_TYPE = "application/rsl+xml"
MAX_TEXT = 500  # characters of a statement, as shown and stored
MAX_LICENSES = 5  # of a page, and of an origin

TDM = ("tdm-reservation", "tdm-policy")

_KEY = r"[a-z*][a-z0-9_.*-]*"
_TEXT = r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_BARE = rf"{_TEXT}|:[A-Za-z0-9+/=]*:|\?[01]|@?-?\d+(?:\.\d+)?|[A-Za-z*][!#$%&'*+.^_`|~:/\w-]*"
_PARAMETERS = rf"(?:; *{_KEY}(?:=(?:{_BARE}))?)*"
_LIST = rf"\( *(?:(?:{_BARE}){_PARAMETERS} *)*\)"
_COMMA = re.compile(r"[ \t]*(?:,[ \t]*|$)")
_USAGE_LABELS = {"search": "search", "train-ai": "ai-train"}  # aipref-vocab-08
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
HEADERS = ("Content-Usage", "Content-Signal", *TDM)


class Statement(NamedTuple):
    """A statement: its place, its text, and whether it permits each of the purposes it names.

    ``place`` is ``robots.txt``, ``header``, ``meta``, ``tdmrep.json``, ``license`` for the terms of
    a licence, or ``link`` for a page that names one; ``line`` is a number of robots.txt.
    ``license`` is the URL of a licence (RSL 1.0).
    """

    place: str
    text: str
    permits: tuple[tuple[str, bool], ...] = ()
    line: int = 0
    license: str = ""


@cache
def _member() -> re.Pattern[str]:
    """Compile the pattern of a member on first use: it takes milliseconds of every start."""
    return re.compile(rf"({_KEY})(?:=({_BARE}|{_LIST}))?{_PARAMETERS}", re.ASCII)


def content_signal(value: str) -> dict[str, bool]:
    """Read a Content-Signal (contentsignals.org); a purpose named twice is permitted by neither."""
    permits: dict[str, bool] = {}
    for entry in re.split(r"[,;]", value.lower()):
        name, _, answer = map(str.strip, entry.partition("="))
        if name in PURPOSES and answer in {"yes", "no"}:
            permits[name] = answer == "yes" and permits.get(name, True)
    return permits


def content_usage(value: str) -> dict[str, bool]:
    """Read a Content-Usage, a dictionary of RFC 9651; one that cannot be parsed says nothing."""
    members, at, text = {}, 0, value.strip(" ")
    while at < len(text):
        member = _member().match(text, at)
        comma = _COMMA.match(text, member.end()) if member else None
        if member is None or comma is None or ("," in comma[0] and comma.end() == len(text)):
            return {}
        members[member[1]] = member[2]
        at = comma.end()
    known = ((name, members.get(label)) for label, name in _USAGE_LABELS.items())
    return {name: answer == "y" for name, answer in known if answer in {"y", "n"}}


def reservation(value: str) -> dict[str, bool]:
    """Read a tdm-reservation (TDMRep): 1 reserves text and data mining, 0 does not."""
    known = {"0": True, "1": False}.get(value.strip())
    return {} if known is None else {"ai-input": known, "ai-train": known}


PARSERS: dict[str, Callable[[str], dict[str, bool]]] = {
    "content-signal": content_signal,
    "content-usage": content_usage,
    "tdm-reservation": reservation,
    "tdm-policy": lambda _: {},
}


def page_statements(
    headers: Mapping[str, Sequence[str]], metas: Mapping[str, Sequence[str]], agent: str
) -> Iterator[Statement]:
    """Yield the statements of a page's headers and metas.

    A meta named ``tdm-reservation`` precedes the headers of TDMRep (TDMRep, 6).
    """
    for name in HEADERS:
        values = headers.get(name, ())
        if values and not (name in TDM and "tdm-reservation" in metas):
            yield statement("header", name, ", ".join(values))
    for name in TDM:
        for value in metas.get(name, ()):
            yield statement("meta", name, value)
    tags = [part for each in headers.get("X-Robots-Tag", ()) for part in for_agent(each, agent)]
    contents = [*metas.get("robots", ()), *metas.get(agent.lower(), ())]
    yield from _no_ai("header", "X-Robots-Tag", tags)
    yield from _no_ai("meta", "robots", contents)


def statement(place: str, name: str, value: str, *, line: int = 0, text: str = "") -> Statement:
    """Read the value of a named line, header or meta."""
    permits = tuple(PARSERS[name.lower()](value).items())
    return Statement(place, shown(text or f"{name}: {value}"), permits, line)


def shown(text: str) -> str:
    """Return a text as it is shown and stored: without control characters, and bounded."""
    return _CONTROL.sub("\ufffd", text)[:MAX_TEXT]


def _no_ai(place: str, name: str, values: Iterable[str]) -> Iterator[Statement]:
    """Yield the values with noai; noimageai, which is about images only, permits and forbids nothing."""
    for value in values:
        words = set(re.split(r"[\s,;]+", value.lower()))
        if words & {"noai", "noimageai"}:
            no = (("ai-input", False), ("ai-train", False)) if "noai" in words else ()
            yield Statement(place, shown(f"{name}: {value.strip()}"), no)
