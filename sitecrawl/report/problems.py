"""Problems of a site, in the order of their importance: what, why, what to do, and where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from sitecrawl.policy.outcomes import PLACEHOLDERS, REDIRECTS, Outcome
from sitecrawl.report.facts import BROKEN, Facts, ReportList, Row
from sitecrawl.report.report_list import read_lists, word

LONG_TITLE, LONG_DESCRIPTION = 70, 170
"""Characters from which search engines cut the text."""
THIN = 50  # words
SLOW = 2.0  # seconds
DEEP = 4  # clicks
EXAMPLES = 3
HIGH, MEDIUM, LOW = "high", "medium", "low"
NO_CONTENT = frozenset(
    {Outcome.NOINDEX, Outcome.NON_CANONICAL, Outcome.DUPLICATE, *REDIRECTS, *BROKEN}
)
"""Outcomes of URLs that search engines should not be sent to."""


def _dead_links(facts: Facts) -> Iterator[Row]:
    broken = [each for each in facts.urls.values() if each.outcome in BROKEN]
    inlinks = facts.inlinks(each.id for each in broken)
    for each in broken:
        found = inlinks.get(each.id)
        pages = facts.addresses(found.pages) if found else ()
        if not pages and each.referrer_url:
            pages = (each.referrer_url,)
        number = found.total if found else len(pages)
        yield each.url, word(each.outcome), each.status, each.reason, number, pages
    for other in facts.broken_outside:
        linking = facts.outside_pages[other.id]
        pages = facts.addresses(linking.pages)
        yield other.url, word(other.outcome), other.status, other.reason, linking.total, pages


def _broken_redirects(facts: Facts) -> Iterator[Row]:
    for each, way in facts.redirects:
        if way.loops or way.outcome in BROKEN:
            end = "loop" if way.loops else word(way.outcome)
            yield each.url, end, each.status, facts.inlink_counts[each.id], tuple(way.urls)


def _redirect_chains(facts: Facts) -> Iterator[Row]:
    for each, way in facts.redirects:
        if len(way.urls) > 1 and not way.loops:
            yield each.url, len(way.urls), facts.inlink_counts[each.id], tuple(way.urls)


def _sitemap(facts: Facts) -> Iterator[Row]:
    wrong = NO_CONTENT | {Outcome.BLOCKED_BY_ROBOTS_TXT}
    for each in facts.listed:
        if each.outcome in wrong and each.id not in facts.current:
            yield each.url, word(each.outcome), each.status, each.reason


def _canonicals(facts: Facts) -> Iterator[Row]:
    for each in facts.urls.values():
        if each.canonical is None:
            continue
        target = facts.by_address.get(each.canonical)
        if target is not None and (fault := _fault_of(target.outcome)):
            yield each.url, fault, each.canonical, target.status


def _fault_of(outcome: Outcome | None) -> str:
    """Return why a URL is no page that others should declare; empty if it is one."""
    wrong = (NO_CONTENT - {Outcome.DUPLICATE}) | {Outcome.BLOCKED_BY_ROBOTS_TXT}
    return word(outcome) if outcome in wrong else ""


def _translations(facts: Facts) -> Iterator[Row]:
    declared = {facts.address(row): dict(each.languages) for row, each in facts.audits.items()}
    for row, audit in facts.read.items():
        url = facts.address(row)
        counts = Counter(language.lower() for language, _ in audit.languages)
        for language, target in dict.fromkeys(audit.languages):
            found = facts.by_address.get(target)
            fault = _fault_of(found.outcome) if found else ""
            if counts[language.lower()] > 1:
                yield url, "several pages for one language", language, target
            elif fault:
                yield url, fault, language, target
            elif target != url and target in declared and url not in declared[target].values():
                yield url, "no link back", language, target


def _blocked(facts: Facts) -> Iterator[Row]:
    rows = [each for each in facts.urls.values() if each.outcome is Outcome.BLOCKED_BY_ROBOTS_TXT]
    inlinks = facts.inlinks(each.id for each in rows)
    for each in rows:
        if found := inlinks.get(each.id):
            yield each.url, each.detail, found.total, facts.addresses(found.pages)


def _nofollow(facts: Facts) -> Iterator[Row]:
    for reason, _, examples in facts.refusals:
        for each in examples if reason == "rel" else ():
            if "rel=nofollow" in each.get("rule", ""):
                yield each.get("url"), each.get("referrer")


def _empty_pages(facts: Facts) -> Iterator[Row]:
    for each in facts.urls.values():
        if each.outcome in PLACEHOLDERS:
            yield each.url, word(each.outcome), each.detail


def _orphans(facts: Facts) -> Iterator[Row]:
    if facts.inlink_counts and not facts.waiting:  # a page that waits may have the link
        for each in facts.listed:
            is_linked = facts.inlink_counts[each.id] or each.via == "seed"
            if each.id in facts.current and not is_linked:
                yield each.url, facts.heads[each.id].title


def _unlisted(facts: Facts) -> Iterator[Row]:
    listed = {each.id for each in facts.listed}
    origins = {each.origin for each in facts.listed}
    for each in facts.urls.values():
        if each.origin in origins and each.id not in listed and each.id in facts.current:
            yield each.url, facts.inlink_counts[each.id], each.depth


def _texts(facts: Facts, texts: Mapping[int, str], longest: int) -> Iterator[Row]:
    counts = Counter(texts.values())
    for row, text in texts.items():
        length = len(text)
        if not text:
            yield facts.address(row), "missing", None, None, None
        elif counts[text] > 1:
            yield facts.address(row), "double", counts[text], length, text
        elif length > longest:
            yield facts.address(row), "long", 1, length, text


def _titles(facts: Facts) -> Iterator[Row]:
    return _texts(facts, {row: each.title for row, each in facts.read.items()}, LONG_TITLE)


def _descriptions(facts: Facts) -> Iterator[Row]:
    texts = {row: each.description for row, each in facts.read.items()}
    return _texts(facts, texts, LONG_DESCRIPTION)


def _h1(facts: Facts) -> Iterator[Row]:
    counts = Counter(each.h1[0] for each in facts.read.values() if len(each.h1) == 1)
    for row, audit in facts.read.items():
        if not audit.h1:
            yield facts.address(row), "missing", None, ()
        elif len(audit.h1) > 1:
            yield facts.address(row), "several", 1, audit.h1
        elif counts[audit.h1[0]] > 1:
            yield facts.address(row), "double", counts[audit.h1[0]], audit.h1


def _duplicates(facts: Facts) -> Iterator[Row]:
    for row, document in facts.documents.items():
        if document.target is not None and document.because not in ("canonical", "redirect"):
            yield facts.address(row), document.because, facts.address(document.target)


def _thin(facts: Facts) -> Iterator[Row]:
    for row in facts.read:
        if row in facts.heads and facts.heads[row].words < THIN:
            yield facts.address(row), facts.heads[row].words, facts.inlink_counts[row]


def _no_alt(facts: Facts) -> Iterator[Row]:
    for row, audit in facts.read.items():
        if audit.no_alt:
            yield facts.address(row), audit.no_alt


def _insecure(facts: Facts) -> Iterator[Row]:
    for row, audit in facts.read.items():
        if audit.insecure:
            yield facts.address(row), len(audit.insecure), audit.insecure


def _unprotected(facts: Facts) -> Iterator[Row]:
    lacking: dict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
    for row, audit in facts.read.items():
        if audit.unprotected:
            lacking[facts.urls[row].origin, audit.unprotected].append(row)
    for (_, headers), rows in lacking.items():
        yield facts.address(rows[0]), len(rows), headers


def _structured_data(facts: Facts) -> Iterator[Row]:
    for row, audit in facts.read.items():
        if audit.broken_json_ld:
            yield facts.address(row), audit.broken_json_ld


def _slow(facts: Facts) -> Iterator[Row]:
    slow = [each for each in facts.transfers.items() if each[1].seconds >= SLOW]
    for row, transfer in sorted(slow, key=lambda each: -each[1].seconds):
        yield facts.address(row), round(transfer.seconds, 3), transfer.size


def _deep(facts: Facts) -> Iterator[Row]:
    for row in sorted(facts.current, key=lambda row: -facts.clicks.get(row, 0)):
        if (clicks := facts.clicks.get(row, 0)) > DEEP:
            yield facts.address(row), clicks, facts.inlink_counts[row]


@cache
def all_problems() -> Sequence[ReportList]:
    """Return all problems, the most important first; their texts are in ``problems.toml``."""
    return list(read_lists("problems", globals()))


def summary(facts: Facts) -> Iterator[Row]:
    """Yield a row for each problem that the site has."""
    for each in all_problems():
        rows = facts.rows(each)
        if rows:
            examples = tuple(str(row[0]) for row in rows[:EXAMPLES])
            told = (each.about, each.why, each.remedy)
            yield each.importance, each.title, len(rows), *told, examples, each.name
