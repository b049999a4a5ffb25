"""Lists of a report: each a name, a table, and the reads that fill it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from heapq import nlargest

from sitecrawl.console.terminal import stamp
from sitecrawl.policy.documents.usage_permissions import USES, cited, unread_licenses
from sitecrawl.policy.outcomes import REDIRECTS, Outcome
from sitecrawl.policy.urls.templates import url_template
from sitecrawl.report import problems
from sitecrawl.report.facts import BROKEN, Facts, ReportList, Row
from sitecrawl.report.report_list import read_lists, word
from sitecrawl.web.urls.url import origin, split

MAX_EXTREMES = 1000
"""Rows of the list of the largest pages."""
MAX_FOLDERS = 6
"""Levels of the tree of folders."""
BAR = 40
"""Characters of the longest bar of a histogram."""
MAX_SAID = 20
"""Statements of a site about the use of its pages."""
PERMITTED = {True: "yes", False: "no", None: "unknown"}
LEFT_OUT = frozenset({Outcome.BLOCKED_BY_ROBOTS_TXT, Outcome.BLOCKED_URL_BY_LOCAL_POLICY})


def _changes(facts: Facts) -> Iterator[Row]:
    for each in facts.survey.changes(facts.against):
        kind = "deleted" if each.op == "delete" else each.change
        yield kind, each.url, each.reason, each.moved_to, stamp(each.made_at)


def _runs(facts: Facts) -> Iterator[Row]:
    changes = facts.survey.change_counts()
    for run in reversed(facts.runs):
        counts = (changes[run.id][kind] for kind in ("new", "changed", "deleted"))
        yield run.id, stamp(run.started_at), stamp(run.finished_at), run.finish_reason, *counts


def _outside(facts: Facts) -> Iterator[Row]:
    pages = facts.outside_pages
    found = sorted(facts.outside, key=lambda each: -(each.outcome or 0))
    for each in found:
        outcome = "not checked" if each.outcome is None else word(each.outcome)
        checked = (outcome, each.status, each.reason, stamp(each.checked_at))
        linking = facts.addresses(pages[each.id].pages)
        yield each.url, each.kind, *checked, pages[each.id].total, linking


def _redirects(facts: Facts) -> Iterator[Row]:
    for each, way in facts.redirects:
        last = "loop" if way.loops else word(way.outcome) if way.outcome else None
        target = way.urls[-1] if way.urls else each.redirect_to
        pages, hops = facts.inlink_counts[each.id], tuple(way.urls[:-1])
        yield each.url, each.status, target, len(way.urls), last, pages, hops


def _anchors(facts: Facts) -> Iterator[Row]:
    counts = Counter(anchor for audit in facts.audits.values() for anchor in audit.anchors)
    for (url, text), number in sorted(counts.items(), key=lambda each: (each[0][0], -each[1])):
        yield url, text, number


def _noindex(facts: Facts) -> Iterator[Row]:
    for each in facts.urls.values():
        if each.outcome is Outcome.NOINDEX:
            yield each.url, each.reason, each.detail, facts.address(each.referrer)


def _permissions(facts: Facts) -> Iterator[Row]:
    pages: Counter[tuple[str, ...]] = Counter()
    said: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for row, audit in facts.audited.items():
        site = origin(facts.urls[row].url)
        key = site, *(PERMITTED[audit.usage.get(use)] for use in USES)
        pages[key] += 1
        said[key] |= dict.fromkeys(map(cited, audit.usage.get("sources", ())))
        said[key] |= dict.fromkeys(unread_licenses(audit.usage))
    for key, number in sorted(pages.items()):
        yield *key, number, tuple(said[key])[:MAX_SAID]


def _refused(facts: Facts) -> Iterator[Row]:
    for reason, number, examples in facts.refusals:
        for each in examples or [{}]:
            yield reason, number, each.get("url"), each.get("rule"), each.get("referrer")
    for url in facts.urls.values():
        if url.outcome in LEFT_OUT:
            yield url.reason, None, url.url, url.detail, facts.address(url.referrer)


def _pages(facts: Facts) -> Iterator[Row]:
    links = facts.survey.links.pages(facts.survey.realm)
    outlinks = {page: sum(1 for _ in targets) for page, targets in links}
    for each in facts.urls.values():
        transfer, head = facts.transfers.get(each.id), facts.heads.get(each.id)
        yield (
            each.url,
            word(each.outcome),
            each.status,
            each.depth,
            facts.clicks.get(each.id),
            facts.inlink_counts[each.id],
            outlinks.get(each.id),
            round(transfer.seconds, 3) if transfer else None,
            transfer.size if transfer else None,
            head.words if head else None,
            head.language if head else None,
            head.title if head else None,
            each.via,
            stamp(each.visited_at),
        )


def _large(facts: Facts) -> Iterator[Row]:
    largest = nlargest(MAX_EXTREMES, facts.transfers.items(), key=lambda each: each[1].size)
    for row, transfer in largest:
        yield facts.address(row), transfer.size, round(transfer.seconds, 3)


def _languages(facts: Facts) -> Iterator[Row]:
    counts = Counter(head.language or "unknown" for head in facts.heads.values())
    for language, number in counts.most_common():
        yield language, number, round(100 * number / len(facts.heads), 1)


def _templates(facts: Facts) -> Iterator[Row]:
    counts: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    examples: dict[tuple[int, str], str] = {}
    for each in facts.urls.values():
        key = (each.origin, str(url_template(each.url)))
        examples.setdefault(key, each.url)
        counts[key]["urls"] += 1
        counts[key][_fate(facts, each.id)] += 1
    keys = {each.id: each.key for each in facts.survey.origins()}
    for key, number in sorted(counts.items(), key=lambda each: -each[1]["urls"]):
        share = round(100 * number["document"] / number["urls"], 1)
        fates = (number[fate] for fate in FATES)
        yield keys.get(key[0], ""), key[1], number["urls"], *fates, share, examples[key]


FATES = ("document", "waiting", "duplicate", "redirect", "left out", "failed")


def _fate(facts: Facts, row: int) -> str:
    return "document" if row in facts.current else _fate_of(facts.urls[row].outcome)


def _fate_of(outcome: Outcome | None) -> str:
    if outcome in (Outcome.FILE_INGESTED, Outcome.FILE_DID_NOT_CHANGE):
        return "document"
    if outcome is None:
        return "waiting"
    if outcome in REDIRECTS:
        return "redirect"
    if outcome in (Outcome.DUPLICATE, Outcome.NON_CANONICAL):
        return "duplicate"
    return "failed" if outcome >= Outcome.SERVER_BLAMED_CLIENT or outcome < 0 else "left out"


LEFT_OUT_COLUMNS = ("reason", "urls", "tried", "new", "example", "always_fetch")


def _left_out(facts: Facts) -> Iterator[Row]:
    for kind, left in (facts.run.counters.get("left_out") or {}).items():
        yield kind, *(left[name] for name in LEFT_OUT_COLUMNS)


def _held(facts: Facts) -> Iterator[Row]:
    for each in facts.survey.held():
        yield each.url, each.reason, each.moved_to, stamp(each.seen_at)


def _starts(facts: Facts) -> Iterator[Row]:
    brought: Counter[int] = Counter()
    documents: Counter[int] = Counter()
    for row, start in facts.start_of.items():
        brought[start] += 1
        documents[start] += row in facts.current
    for each in facts.urls.values():
        if each.via == "seed":
            detail = each.detail or each.reason
            number = brought[each.id]
            yield each.url, word(each.outcome), each.status, number, documents[each.id], detail


def _politeness(facts: Facts) -> Iterator[Row]:
    for key, read in facts.receipts:
        kept = None if read.spare is None else "yes" if read.spare >= -EARLY else "no"
        gaps = (read.promised, _rounded(read.smallest), _rounded(read.median))
        yield key, read.requests, *gaps, kept, read.limited, read.unavailable


EARLY = 0.001
"""Seconds by which timers may be early."""


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _pauses(facts: Facts) -> Iterator[Row]:
    for key, read in facts.receipts:
        for pause in read.pauses:
            yield key, stamp(pause.at), pause.status, pause.asked, _rounded(pause.waited)


def _robots(facts: Facts) -> Iterator[Row]:
    for each in facts.survey.origins():
        if each.robots_status is not None or each.robots_text is not None:
            yield each.key, each.robots_status, each.delay, each.robots_text


def _outcomes(facts: Facts) -> Iterator[Row]:
    counts = Counter((each.outcome, each.reason) for each in facts.urls.values())
    for (outcome, reason), number in counts.most_common():
        yield word(outcome), reason, number


def _differences(facts: Facts) -> Iterator[Row]:
    before = dict(facts.survey.outcomes_after(facts.against)) if facts.against else {}
    rows = [each for each in facts.urls.values() if each.outcome is not None]
    for each in sorted(rows, key=lambda each: each.outcome not in BROKEN):
        was = before.get(each.id)
        if was is not None and each.outcome is not None and _fate_of(was) != _fate_of(each.outcome):
            yield each.url, word(was), word(each.outcome), each.reason, stamp(each.visited_at)


def _indexability(facts: Facts) -> Iterator[Row]:
    listed = {each.id for each in facts.listed}
    for each in facts.urls.values():
        audit, document = facts.audits.get(each.id), facts.documents.get(each.id)
        is_current = each.id in facts.current
        replaced = document.because if document and not is_current else None
        reason = None if is_current else replaced or each.reason or word(each.outcome)
        yield (
            each.url,
            "yes" if is_current else "unknown" if each.outcome is None else "no",
            reason,
            each.status,
            each.canonical or (facts.address(document.target) if replaced and document else None),
            "yes" if each.id in listed else "no",
            facts.inlink_counts[each.id],
            facts.clicks.get(each.id),
            len(audit.title) if audit else None,
            len(audit.description) if audit else None,
            len(audit.h1) if audit else None,
            facts.heads[each.id].words if each.id in facts.heads else None,
        )


def _folders(facts: Facts) -> Iterator[Row]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for each in facts.urls.values():
        *folders, _ = split(each.url).path.split("/")
        fate = _fate(facts, each.id)
        for level in range(1, min(len(folders), MAX_FOLDERS) + 1):
            folder = f"{origin(each.url)}{'/'.join(folders[:level])}/"
            counts[folder].update(("urls", fate))
    for folder, number in sorted(counts.items()):
        fates = (number[fate] for fate in FATES)
        yield folder, number["urls"], *fates, round(100 * number["urls"] / len(facts.urls), 1)


def _depths(facts: Facts) -> Iterator[Row]:
    counts = Counter(facts.clicks.get(row) for row in facts.current)
    most = max(counts.values(), default=1)
    for clicks, number in sorted(counts.items(), key=lambda each: (each[0] is None, each[0] or 0)):
        share = round(100 * number / len(facts.current), 1)
        yield clicks, number, share, "▇" * (BAR * number // most)


_problems = problems.summary


@cache
def all_lists() -> Mapping[str, ReportList]:
    """Return all lists by name, in their order, first that of the kinds of problems.

    Their texts are in ``lists.toml`` and ``problems.toml``.
    """
    first, *others = read_lists("lists", globals())
    return {each.name: each for each in (first, *problems.all_problems(), *others)}
