"""Files of a site about the use of its content: tdmrep.json (TDMRep) and licences (RSL 1.0)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from sitecrawl.web.feeds.xml_stream import read_elements, read_text
from sitecrawl.web.html.page import Page
from sitecrawl.web.robots.robots_txt import Rule, names_other_host, read_rule, spellings
from sitecrawl.web.robots.usage_statements import PURPOSES, Statement, reservation, shown

TDMREP = "/.well-known/tdmrep.json"
MAX_TERMS = 1000  # of a file
_USES = {
    "all": (*PURPOSES,),
    "ai-all": ("ai-input", "ai-train"),
    **{purpose: (purpose,) for purpose in PURPOSES},
}
_FREE = frozenset({"free", "attribution"})
_ELEMENTS = frozenset({"permits", "prohibits", "payment", "license", "content"})


class Terms(NamedTuple):
    """The statement of a file about the pages that a pattern matches."""

    rule: Rule
    said: Statement


def terms_of(terms: Iterable[Terms], url: str) -> Iterator[Statement]:
    """Yield the statements about a resolved URL: those with the longest pattern that matches it."""
    paths = spellings(url)
    matching = [each for each in terms if any(map(each.rule.matches, paths))]
    longest = max((each.rule.length for each in matching), default=0)
    yield from (each.said for each in matching if each.rule.length == longest)


def read_tdmrep(body: bytes, url: str) -> Iterator[Terms]:
    """Yield the terms of a tdmrep.json; what is not as TDMRep defines it says nothing."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return
    for each in entries if isinstance(entries, list) else ():
        if not isinstance(each, Mapping):
            continue
        place, reserved = str(each.get("location", "")), str(each.get("tdm-reservation"))
        if permits := tuple(reservation(reserved).items()):
            policy = f"; tdm-policy: {each['tdm-policy']}" if "tdm-policy" in each else ""
            text = shown(f"{place}: tdm-reservation: {reserved}{policy}")
            yield from _terms(place, url, Statement("tdmrep.json", text, permits))


def read_license(body: bytes, url: str) -> Iterator[Terms]:
    """Yield the terms of an RSL document; one that cannot be parsed says what was read of it.

    A use is permitted by a licence that names it and asks no payment. It is forbidden if no licence
    permits it, and one prohibits it, permits only others, or permits it for a payment or by a server
    that has to be asked. A prohibition counts beside a permission that is not more precise.
    """
    licenses: list[_License] = [_License()]
    for element in read_elements(read_text([body]), _ELEMENTS, []):
        if element.name == "content":
            place, server = (element.attributes.get(name, "") for name in ("url", "server"))
            answers = {use: _answer(licenses[:-1], use, server) for use in PURPOSES}
            permits = tuple((use, said) for use, said in answers.items() if said is not None)
            words = "; ".join(", ".join(each.said) for each in licenses[:-1] if each.said)
            text = shown(f"{url}: {words}{' (from a server)' if server else ''}")
            yield from _terms(place or "/", url, Statement("license", text, permits))
            licenses = [_License()]
        elif element.parent == "content":
            licenses.append(_License())
        elif element.parent == "license":
            licenses[-1].read(element.name, element.attributes.get("type", ""), element.text)


def page_licenses(page: Page) -> Iterator[Statement]:
    """Yield the licences that a page names, and the terms of those that are written in it."""
    for url in page.licenses:
        yield Statement("link", shown(f"license: {url}"), license=url)
    for text in page.embedded_licenses:
        terms = islice(read_license(text.encode("utf-8", "replace"), page.url), MAX_TERMS)
        yield from terms_of(terms, page.url)


def read_terms(body: bytes, url: str) -> tuple[Terms, ...]:
    """Return the terms of a file, which its URL distinguishes."""
    reader = read_tdmrep if url.endswith(TDMREP) else read_license
    return tuple(islice(reader(body, url), MAX_TERMS))


@dataclass(slots=True)
class _License:
    """The words of one licence about usage, and the type of payment that it asks for."""

    permits: tuple[str, ...] | None = None
    prohibits: tuple[str, ...] = ()
    payment: str = "free"
    said: list[str] = field(default_factory=list)

    def read(self, name: str, kind: str, text: str) -> None:
        """Take an element of the licence; only what is about usage or payment counts."""
        words = tuple(re.split(r"[\s,]+", text.strip().lower()))
        if name == "payment":
            self.payment = kind.lower()
        elif kind == "usage" and name == "permits":
            self.permits = (*(self.permits or ()), *words)
        elif kind == "usage":
            self.prohibits += words
        if name == "payment" or kind == "usage":
            self.said.append(f"{name} {kind if name == 'payment' else ' '.join(words)}")


def _answer(licenses: Iterable[_License], use: str, server: str) -> bool | None:
    answers = [_of_license(each, use, server) for each in licenses]
    return max((each for each in answers if each is not None), default=None)


def _of_license(terms: _License, use: str, server: str) -> bool | None:
    permitted, prohibited = _precision(terms.permits or (), use), _precision(terms.prohibits, use)
    if permitted > prohibited:
        return not server and terms.payment in _FREE
    return False if prohibited or terms.permits is not None else None


def _precision(words: Iterable[str], use: str) -> int:
    """Return 0 if no word covers the use, 1 if only ``all`` does, 2 if a word about it does."""
    return max((1 + (word != "all") for word in words if use in _USES.get(word, ())), default=0)


def _terms(place: str, url: str, said: Statement) -> Iterator[Terms]:
    if place and not names_other_host(place, url):
        for rule in read_rule(place, allow=False):
            yield Terms(rule, said)
