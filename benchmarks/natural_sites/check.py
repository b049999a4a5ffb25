"""Check natural sites by a plain breadth-first crawl: ``python -m benchmarks.natural_sites.check NAME``.

Prints the number of true pages in each run and the crawl's requests for a true page.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree, html

from benchmarks.natural_sites.all_sites import SITES
from benchmarks.natural_sites.site import NEUTRAL, RUNS, NaturalSite, Reply, Visit

MOST = 20_000
MOST_ENDLESS = 5_000


def origins(site: NaturalSite) -> dict[str, str]:
    """An origin for each host."""
    return {host: f"http://{host or 'main'}.example" for host in ("", *site.hosts)}


def links(body: str, url: str) -> Iterator[str]:
    """All addresses that a page names."""
    try:
        tree = html.document_fromstring(body)
    except etree.ParserError:
        return
    for address in tree.xpath("//a/@href | //area/@href | //iframe/@src | //frame/@src"):
        try:
            yield urldefrag(urljoin(url, str(address).strip())).url
        except ValueError:
            continue


def crawl(site: NaturalSite, run: int) -> Iterator[tuple[str, Reply]]:
    """Every reply that a breadth-first crawl meets, redirects too."""
    names = {origin: host for host, origin in origins(site).items()}
    queue = deque([origins(site)[""] + site.start])
    seen = set(queue)
    fetched = 0
    while queue and fetched < (MOST_ENDLESS if site.is_endless else MOST):
        url = queue.popleft()
        parts = urlsplit(url)
        host = names.get(f"{parts.scheme}://{parts.netloc}")
        if host is None:
            continue
        fetched += 1
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        reply = site.reply(Visit(run, target, host, origins(site)))
        yield url, reply
        found = [urljoin(url, reply.headers["Location"])] if "Location" in reply.headers else []
        if isinstance(reply.body, str) and reply.status == 200 and reply.body:
            found += links(reply.body, url)
        for link in found:
            if link not in seen:
                seen.add(link)
                queue.append(link)


def text_of(body: str) -> str:
    """The text of a page, its white space normalised."""
    tree = html.document_fromstring(body)
    return " ".join(" ".join(tree.itertext()).split())


def faults(site: NaturalSite, run: int) -> tuple[list[str], int, int]:
    """What is wrong with a site in a run, the number of its true pages, and the requests of a crawl."""
    truth = site.truth(run)
    found: list[str] = []
    best: dict[str, int] = {}
    requests = dead = 0
    for url, reply in crawl(site, run):
        requests += 1
        dead += reply.status >= 400
        if reply.page in {"", NEUTRAL}:
            continue
        if reply.page not in truth:
            found.append(f"{url} names the unknown page {reply.page}")
            continue
        assert isinstance(reply.body, str)
        text = text_of(reply.body)
        lacking = [line for line in truth[reply.page] if line not in text]
        best[reply.page] = min(best.get(reply.page, 999), len(lacking))
    found += [f"{page} was not reached" for page in truth if page not in best]
    found += [f"{page} lacks {count} lines" for page, count in best.items() if count]
    uses = Counter(line for lines in truth.values() for line in set(lines))
    found += [
        f"{page} has no line of its own"
        for page, lines in truth.items()
        if not any(uses[line] == 1 for line in lines)
    ]
    if dead > requests / 3:
        found.append(f"{dead} of {requests} replies are errors")
    return found, len(truth), requests


def main(names: list[str]) -> int:
    """Check the sites whose names contain one of ``names``, or all."""
    wrong = 0
    for site in SITES:
        if names and not any(name in site.name for name in names):
            continue
        start = time.perf_counter()
        counts, ratios = [], []
        for run in range(RUNS):
            found, pages, requests = faults(site, run)
            counts.append(pages)
            ratios.append(requests / max(pages, 1))
            wrong += bool(found)
            for fault in found[:6]:
                print(f"  {site.name}, run {run}: {fault}")
            if len(found) > 6:
                print(f"  … {len(found)} in all")
        changed = sum(lines != site.truth(0).get(page) for page, lines in site.truth(2).items())
        print(
            f"{site.name:24} pages {counts}, requests for a page "
            + " ".join(f"{ratio:.1f}" for ratio in ratios)
            + f", {changed} new or changed, {time.perf_counter() - start:.1f} s",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
