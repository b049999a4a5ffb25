"""A breadth-first walk of a natural site without any network, and the check of its truth."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from benchmarks.natural_sites.measure import normalized
from benchmarks.natural_sites.site import NEUTRAL, RUNS, NaturalSite, Reply, Visit

MAX_FETCHES = 5000
LONGEST_REPLY = 0.01  # seconds, on a busy machine
_LINKS = (
    ("a[href]", "href"),
    ("area[href]", "href"),
    ("iframe[src]", "src"),
    ("frame[src]", "src"),
)


@dataclass(slots=True)
class Walk:
    """URLs of each page found, number of fetches, seconds of the replies, and true replies."""

    urls: dict[str, list[str]] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    fetches: int = 0
    seconds: float = 0.0


def walk(site: NaturalSite, run: int, *, until_all: bool = False) -> Walk:
    """Follow all links of a site in one run, as far as ``MAX_FETCHES``.

    With ``until_all`` the walk ends as soon as every true page was seen.
    """
    origins = {name: f"http://{name or 'main'}.test" for name in ("", *site.hosts)}
    hosts = {urlsplit(origin).netloc: name for name, origin in origins.items()}
    done = Walk()
    missing = set(site.truth(run))
    waiting = deque([origins[""] + site.start])
    known = set(waiting)
    while waiting and done.fetches < MAX_FETCHES and not (until_all and not missing):
        url = waiting.popleft()
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        began = time.perf_counter()
        reply = site.reply(Visit(run, target, hosts[parts.netloc], origins))
        done.seconds += time.perf_counter() - began
        done.fetches += 1
        if reply.status == 200:
            done.urls.setdefault(reply.page, []).append(url)
            done.replies.setdefault(reply.page, reply)
            missing.discard(reply.page)
        for link in _links(url, reply):
            if link not in known and urlsplit(link).netloc in hosts:
                known.add(link)
                waiting.append(link)
    return done


def _links(url: str, reply: Reply) -> Iterator[str]:
    headers = {name.lower(): value for name, value in reply.headers.items()}
    if "location" in headers:
        yield urljoin(url, headers["location"])
    if reply.status != 200 or "html" not in headers.get("content-type", "text/html"):
        return
    tree = LexborHTMLParser(reply.body)
    base = tree.css_first("base[href]")
    if base is not None:
        url = urljoin(url, base.attributes["href"] or "")
    for selector, name in _LINKS:
        for node in tree.css(selector):
            yield urldefrag(urljoin(url, (node.attributes[name] or "").strip())).url


def faults(site: NaturalSite, run: int) -> tuple[Walk, list[str]]:
    """The walk of a run, and what is wrong with the site and its truth."""
    truth = site.truth(run)
    done = walk(site, run, until_all=site.is_endless)
    found = [f"page {page} is not reached" for page in truth if page not in done.urls]
    strange = [page for page in done.urls if page not in truth and page not in ("", NEUTRAL)]
    found += [f"page {page} is shown but not true: {done.urls[page][0]}" for page in strange]
    texts = {page: frozenset(map(normalized, lines)) for page, lines in truth.items()}
    uses = Counter(texts.values())
    found += [f"page {page} has the lines of another" for page in truth if uses[texts[page]] > 1]
    for page, lines in truth.items():
        if page not in done.replies:
            continue
        text = normalized(LexborHTMLParser(done.replies[page].body).text(separator=" "))
        found += [f"page {page} lacks: {x}" for x in lines if normalized(x) not in text]
    if done.seconds / done.fetches > LONGEST_REPLY:
        found.append(f"{1000 * done.seconds / done.fetches:.1f} ms a reply")
    return done, found


def check(site: NaturalSite) -> bool:
    """Print the pages and fetches of each run of a site, and its faults; True without any."""
    is_sound = True
    for run in range(RUNS):
        done, found = faults(site, run)
        pages = len(site.truth(run))
        repeats = sum(
            len(urls) - 1 for page, urls in done.urls.items() if page not in ("", NEUTRAL)
        )
        print(
            f"| {site.name} | {run} | {pages} | {done.fetches} | {done.fetches / pages:.2f} "
            f"| {repeats} | {len(done.urls.get(NEUTRAL, ()))} | {len(done.urls.get('', ()))} "
            f"| {1000 * done.seconds / done.fetches:.2f} |",
            *found[:10],
            sep="\n    ",
            flush=True,
        )
        is_sound = is_sound and not found
    return is_sound
