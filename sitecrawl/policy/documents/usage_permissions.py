"""Permitted uses of a page: the most restrictive of all statements about it counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sitecrawl.web.robots.usage_statements import PURPOSES, Statement

USES = tuple(purpose.replace("-", "_") for purpose in PURPOSES)
"""Names of the purposes in the ``usage`` field."""
NOTHING_SAID: Mapping[str, Any] = MappingProxyType({})
FORBIDDEN = "usage"
"""Reason of the deletion of a document whose use for the purpose of the crawl is forbidden."""
FORBIDDING = ("noarchive", "nosnippet")
"""Robots directives that search engines also apply to answers of their models (Google, Bing)."""


class UsageRefusal(NamedTuple):
    """A purpose that a site forbids, as a word, and the statement that forbids it."""

    purpose: str
    rule: str


def usage_field(statements: Iterable[Statement]) -> dict[str, Any]:
    """Return the ``usage`` field of a document; empty if nothing was said.

    A purpose is true if permitted, false if forbidden, and None (unknown) without a statement.
    """
    said = list(dict.fromkeys(statements))
    if not said:
        return {}
    answers = [(name, permitted) for each in said for name, permitted in each.permits]
    permits: dict[str, Any] = {
        use: min((permitted for name, permitted in answers if _word(name) == use), default=None)
        for use in USES
    }
    sources = [_source(each) for each in said]
    licenses = [*dict.fromkeys(each.license for each in said if each.license)]
    return {**permits, "sources": sources, **({"licenses": licenses} if licenses else {})}


def preceded(of_site: Iterable[Statement], of_page: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the statements of a site; a reservation of the page precedes tdmrep.json (TDMRep, 6)."""
    is_reserved = any(each.text.startswith("tdm-reservation:") for each in of_page)
    return (each for each in of_site if not (is_reserved and each.place == "tdmrep.json"))


def stated_metas(usage: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the metas of a page about usage, from the ``usage`` field of its document."""
    metas: dict[str, list[str]] = {}
    for source in usage.get("sources", ()):
        if source["from"] == "meta":
            name, _, value = source["text"].partition(": ")
            metas.setdefault(name, []).append(value)
    return metas


def stated_licenses(usage: Mapping[str, Any], url: str) -> Iterator[Statement]:
    """Yield what a page says about licences, from the ``usage`` field of its document."""
    for source in usage.get("sources", ()):
        text, named = source["text"], source["text"].removeprefix("license: ")
        if source["from"] == "link":
            yield Statement("link", text, license=named)
        elif source["from"] == "license" and text.startswith(f"{url}: "):
            forbids = ((use.replace("_", "-"), False) for use in source.get("forbids", ()))
            yield Statement("license", text, (*forbids,))


def unread_licenses(usage: Mapping[str, Any]) -> Iterator[str]:
    """Yield the licences of which no terms are among the sources, each as a citation."""
    texts = [each["text"] for each in usage.get("sources", ()) if each["from"] == "license"]
    for url in usage.get("licenses", ()):
        if not any(each.startswith(f"{url}: ") for each in texts):
            yield f"license: {url}: no terms were read"


def usage_refusal(usage: Mapping[str, Any], purposes: Sequence[str]) -> UsageRefusal | None:
    """Return the first of the purposes that is forbidden; what is unknown is not forbidden."""
    for purpose in map(_word, purposes):
        for source in usage.get("sources", ()):
            if purpose in source.get("forbids", ()):
                return UsageRefusal(purpose, cited(source))
    return None


def cited(source: Mapping[str, Any]) -> str:
    """Return the text and the place of a statement."""
    place = f"line {source['line']} of robots.txt" if "line" in source else source["from"]
    return f"{place}: {source['text']}"


def _source(said: Statement) -> dict[str, Any]:
    forbids = [_word(purpose) for purpose, permitted in said.permits if not permitted]
    return {
        "from": said.place,
        **({"line": said.line} if said.line else {}),
        "text": said.text,
        **({"forbids": forbids} if forbids else {}),
    }


def _word(purpose: str) -> str:
    return purpose.replace("-", "_")


def permits_models(record: Mapping[str, Any]) -> bool:
    """Return True if the text of a document may be given to a language model.

    This is the only place that decides it, for `scrapy export --format llms` and for the tools of
    `scrapy mcp`, by the page's robots directives and by what its site says about input to models.
    """
    robots, usage = record.get("robots"), record.get("usage")
    if isinstance(usage, Mapping) and usage.get("ai_input") is False:
        return False
    return not (isinstance(robots, Mapping) and any(robots.get(name) for name in FORBIDDING))
