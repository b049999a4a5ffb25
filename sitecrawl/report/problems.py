"""Problems of a site, in the order of their importance: what, why, what to do, and where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitecrawl.policy.outcomes import PLACEHOLDERS, REDIRECTS, Outcome
from sitecrawl.report.facts import BROKEN, Facts, Row
from sitecrawl.report.near_pages import near_pages
from sitecrawl.report.report_list import SITE_PROBLEMS, ReportList, word

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


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem, with the list of the places where it is; the first column is the URL."""

    importance: str
    of: ReportList
    why: str
    remedy: str


def _problem(
    importance: str,
    name: str,
    title: str,
    *,
    what: str,
    why: str,
    remedy: str,
    columns: Sequence[str],
    rows: Callable[[Facts], Iterable[Row]],
) -> Problem:
    found = ReportList(name, title, SITE_PROBLEMS, what, "None.", columns, rows)
    return Problem(importance, found, why, remedy)


def _dead_links(facts: Facts) -> Iterator[Row]:
    broken = [each for each in facts.urls.values() if each.outcome in BROKEN]
    inlinks = facts.inlinks(each.id for each in broken)
    for each in broken:
        found = inlinks.get(each.id)
        pages = tuple(facts.address(page) for page in found.pages) if found else ()
        if not pages and each.referrer_url:
            pages = (each.referrer_url,)
        number = found.total if found else len(pages)
        yield each.url, word(each.outcome), each.status, each.reason, number, pages
    for other in facts.broken_outside:
        linking = facts.outside_pages[other.id]
        pages = tuple(facts.address(page) for page in linking.pages)
        yield other.url, word(other.outcome), other.status, other.reason, linking.total, pages


def _broken_redirects(facts: Facts) -> Iterator[Row]:
    for each in facts.urls.values():
        if each.outcome in REDIRECTS:
            way = facts.chain(each)
            if way.loops or way.outcome in BROKEN:
                end = "loop" if way.loops else word(way.outcome)
                yield each.url, end, each.status, facts.inlink_counts[each.id], tuple(way.urls)


def _redirect_chains(facts: Facts) -> Iterator[Row]:
    for each in facts.urls.values():
        if each.outcome in REDIRECTS:
            way = facts.chain(each)
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
        if each.id in inlinks:
            pages = tuple(facts.address(page) for page in inlinks[each.id].pages)
            yield each.url, each.detail, inlinks[each.id].total, pages


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
    if facts.stores_links and not facts.waiting:  # a page that waits may have the link
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
    sketches = {row: each.sketch for row, each in facts.heads.items() if each.sketch}
    for page, other in near_pages(sketches):
        yield facts.address(page), "nearly equal", facts.address(other)


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


ALL: tuple[Problem, ...] = (
    _problem(
        HIGH,
        "dead_links",
        "Broken links",
        what="URLs that failed when they were last visited, with the pages that link to them; those "
        "of other sites if they were checked.",
        why="Readers end nowhere, and search engines spend their visits there.",
        remedy="Correct the link on the pages named, or redirect the URL to its successor.",
        columns=("url", "outcome", "status", "reason", "pages", "linked_from"),
        rows=_dead_links,
    ),
    _problem(
        HIGH,
        "broken_redirects",
        "Redirects that end nowhere",
        what="Redirects that come back to themselves, or lead to a URL that fails.",
        why="No browser shows a page.",
        remedy="Redirect to a page that answers 200, or answer 410 if there is none.",
        columns=("url", "ends_as", "status", "pages", "on_the_way"),
        rows=_broken_redirects,
    ),
    _problem(
        HIGH,
        "insecure",
        "Mixed content",
        what="HTTPS pages that load images, scripts, styles or media by HTTP.",
        why="Browsers block them or warn, and anybody on the way can change them.",
        remedy="Write https:// in the addresses.",
        columns=("url", "number", "assets"),
        rows=_insecure,
    ),
    _problem(
        HIGH,
        "empty_pages",
        "Pages without content of their own",
        what="Soft 404s, login and consent walls, script shells, parked and error pages.",
        why="They answer 200 and are indexed in place of a page.",
        remedy="Answer 404 for what is missing, and serve the text without scripts.",
        columns=("url", "outcome", "detail"),
        rows=_empty_pages,
    ),
    _problem(
        HIGH,
        "canonicals",
        "Canonicals that contradict",
        what="Pages whose canonical URL redirects, fails, is not indexed or names another one.",
        why="Search engines ignore it and choose for themselves.",
        remedy="Name the URL at which the page is, with status 200.",
        columns=("url", "problem", "target", "status"),
        rows=_canonicals,
    ),
    _problem(
        HIGH,
        "sitemap",
        "Wrong URLs in sitemaps",
        what="URLs in a sitemap that are noindex, redirect, fail, are blocked or copies of others.",
        why="A sitemap promises pages for the index; wrong entries make it less trusted.",
        remedy="Remove the entry, or the noindex.",
        columns=("url", "outcome", "status", "reason"),
        rows=_sitemap,
    ),
    _problem(
        MEDIUM,
        "translations",
        "Translations that contradict",
        what="hreflang links to pages that do not link back, fail, or share their language.",
        why="Search engines ignore hreflang that is not mutual.",
        remedy="Let each translation name all others and itself, by their final URLs.",
        columns=("url", "problem", "language", "target"),
        rows=_translations,
    ),
    _problem(
        MEDIUM,
        "redirect_chains",
        "Chains of redirects",
        what="URLs that redirect more than once until their page.",
        why="Each step costs readers a request, and search engines stop after a few.",
        remedy="Redirect, and link, to the last URL.",
        columns=("url", "hops", "pages", "on_the_way"),
        rows=_redirect_chains,
    ),
    _problem(
        MEDIUM,
        "titles",
        "Titles",
        what=f"Documents without a title of their own, or with more than {LONG_TITLE} characters.",
        why="The title is the first line of a search result.",
        remedy="Give each page a short title that no other page has.",
        columns=("url", "problem", "pages", "length", "title"),
        rows=_titles,
    ),
    _problem(
        MEDIUM,
        "duplicates",
        "Equal and nearly equal pages",
        what="Pages whose text another URL has as well.",
        why="They compete with each other in search results.",
        remedy="Redirect one to the other, or name one as canonical.",
        columns=("url", "because", "kept"),
        rows=_duplicates,
    ),
    _problem(
        MEDIUM,
        "h1",
        "First headings",
        what="Documents without a heading of level 1, with several, or with one that others have.",
        why="It tells readers and screen readers where they are.",
        remedy="Give each page one h1 of its own.",
        columns=("url", "problem", "pages", "headings"),
        rows=_h1,
    ),
    _problem(
        MEDIUM,
        "orphans",
        "Orphans",
        what="Documents in a sitemap to which no page links.",
        why="Readers do not find them, and search engines take them for unimportant.",
        remedy="Link to them, or remove them from the sitemap.",
        columns=("url", "title"),
        rows=_orphans,
    ),
    _problem(
        MEDIUM,
        "no_alt",
        "Images without ALT",
        what="Pages with images that have no attribute alt; an empty one is right for decoration.",
        why="Screen readers read the file name, and image search has no words.",
        remedy='Describe the image in alt, or write alt="".',
        columns=("url", "images"),
        rows=_no_alt,
    ),
    _problem(
        MEDIUM,
        "structured_data",
        "Structured data that does not parse",
        what="Pages with JSON-LD that is no JSON.",
        why="Search engines ignore all of it.",
        remedy="Correct the JSON: quotes, commas and line ends in texts.",
        columns=("url", "scripts"),
        rows=_structured_data,
    ),
    _problem(
        MEDIUM,
        "slow",
        "Slow pages",
        what=f"Pages that took {SLOW:.0f} seconds or more to answer when they were last read.",
        why="Readers leave, and search engines visit less.",
        remedy="Look for slow queries, and cache what is the same for all readers.",
        columns=("url", "seconds", "bytes"),
        rows=_slow,
    ),
    _problem(
        LOW,
        "descriptions",
        "Descriptions",
        what="Documents without a meta description of their own, or with more than "
        f"{LONG_DESCRIPTION} characters.",
        why="Search results show it below the title, or a piece of the page in its place.",
        remedy="Say in two lines what the page has.",
        columns=("url", "problem", "pages", "length", "description"),
        rows=_descriptions,
    ),
    _problem(
        LOW,
        "thin",
        "Thin pages",
        what=f"Documents of fewer than {THIN} words.",
        why="Search engines rank pages with little text low.",
        remedy="Write more, or join them with another page.",
        columns=("url", "words", "pages"),
        rows=_thin,
    ),
    _problem(
        LOW,
        "deep",
        "Deep pages",
        what=f"Documents more than {DEEP} links from a start.",
        why="What is deep is read and visited seldom.",
        remedy="Link to them from a page nearer to the start.",
        columns=("url", "clicks", "pages"),
        rows=_deep,
    ),
    _problem(
        LOW,
        "unprotected",
        "Missing security headers",
        what="Origins whose pages lack headers, with the number of pages and one of them.",
        why="Other sites may frame the pages, or run scripts in them.",
        remedy="Have the server send them with every page.",
        columns=("url", "pages", "headers"),
        rows=_unprotected,
    ),
    _problem(
        LOW,
        "blocked",
        "Links to what robots.txt forbids",
        what="URLs that pages link to and that robots.txt forbids.",
        why="They may appear in search results without a text.",
        remedy="Right for what nobody should find; else allow them.",
        columns=("url", "rule", "pages", "linked_from"),
        rows=_blocked,
    ),
    _problem(
        LOW,
        "nofollow",
        "Links left out by nofollow",
        what="Links of the last run that a page or link marks nofollow, the first of them.",
        why="What is linked only in this way is not found.",
        remedy="Use nofollow only for links that are not yours.",
        columns=("url", "linked_from"),
        rows=_nofollow,
    ),
    _problem(
        LOW,
        "unlisted",
        "Not in the sitemap",
        what="Documents of origins with a sitemap that does not list them.",
        why="New pages are found later.",
        remedy="Add them to the sitemap.",
        columns=("url", "pages", "depth"),
        rows=_unlisted,
    ),
)
"""All problems, the most important first."""


def summary(facts: Facts) -> Iterator[Row]:
    """Yield a row for each problem that the site has."""
    for each in ALL:
        rows = facts.rows(each.of)
        if rows:
            examples = tuple(str(row[0]) for row in rows[:EXAMPLES])
            told = (each.of.about, each.why, each.remedy)
            yield each.importance, each.of.title, len(rows), *told, examples, each.of.name
