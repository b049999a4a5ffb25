"""Crawls of one natural site in all its runs, and their marks against its truth."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.real_sites.measure import finish_reason, python_of, run_bounded
from fixtures.server import Answer, Request, Server

MAX_PAGES = 5000
LONGEST = 240  # seconds that a crawl may take
ALWAYS = ("delay=0", "politeness=0", "force=yes", "purge_404_after=1", f"max_pages={MAX_PAGES}")
MAX_REDIRECTS = 5
PLAIN = Path(__file__).parent / "plain.py"
_PUNCTUATION = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Crawler:
    """Way to crawl: the product of a checkout with options, or plain Scrapy without a checkout."""

    name: str
    checkout: Path | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """Result of one crawl of a site.

    ``words`` is the share of the lines of the found pages that stand in their documents.
    ``missing`` maps the pages without document to True if a URL of theirs was requested.
    """

    site: str
    crawler: str
    run: int
    is_endless: bool
    pages: int
    words: float
    wrong: int
    requests: int
    ended: bool
    seconds: float
    missing: Mapping[str, bool] = field(default_factory=dict)
    lost_lines: tuple[str, ...] = ()
    wrong_urls: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """Number of true pages that are documents."""
        return self.pages - len(self.missing)

    @property
    def recall(self) -> float:
        """Share of the true pages that are documents."""
        return self.found / self.pages

    @property
    def cost(self) -> float:
        """Requests for each true page."""
        return self.requests / self.pages


def normalized(text: str) -> str:
    """The words of a text, to be compared without case, punctuation and white space."""
    return f" {_PUNCTUATION.sub(' ', text.casefold()).strip()} "


class ServedSite:
    """A site on loopback addresses, one for each of its hosts, as it is in ``run``."""

    def __init__(self, site: NaturalSite, server: Server) -> None:
        self.site = site
        self.run = 0
        self.server = server
        self.origins: dict[str, str] = {}
        self._shown: dict[tuple[int, str, str], str] = {}
        for number, host in enumerate(("", *site.hosts)):
            pages = {"*": partial(self._answer, host)}
            self.origins[host] = server.serve(pages, address=f"127.0.0.{10 + number}")

    @property
    def addresses(self) -> list[str]:
        """The address of each host, the main one first."""
        return [str(urlsplit(each).hostname) for each in self.origins.values()]

    def requested_pages(self) -> set[str]:
        """Names of the pages that were served in this run."""
        return {page for (run, _, _), page in self._shown.items() if run == self.run}

    def page_of(self, url: str) -> str:
        """The name of the page that a URL shows in this run, at the end of its redirects."""
        hosts = {origin: host for host, origin in self.origins.items()}
        for _ in range(MAX_REDIRECTS):
            parts = urlsplit(url)
            host = hosts.get(f"{parts.scheme}://{parts.netloc}")
            if host is None:
                return ""
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            if (self.run, host, target) in self._shown:
                return self._shown[self.run, host, target]
            reply = self.site.reply(Visit(self.run, target, host, self.origins))
            if reply.status == 200:
                return reply.page
            location = {name.lower(): value for name, value in reply.headers.items()}
            if "location" not in location:
                return ""
            url = urljoin(url, location["location"])
        return ""

    def _answer(self, host: str, request: Request) -> Answer:
        visit = Visit(self.run, request.target, host, self.origins, request.headers)
        reply = self.site.reply(visit)
        if visit.path == "/robots.txt" and not _is_text(reply):
            reply = MISSING
        if reply.status == 200:
            self._shown[self.run, host, request.target] = reply.page
        return Answer(reply.body, reply.status, dict(reply.headers))


def _is_text(reply: Reply) -> bool:
    headers = {name.lower(): value for name, value in reply.headers.items()}
    return reply.status == 200 and headers.get("content-type", "").startswith("text/plain")


@contextmanager
def served(site: NaturalSite) -> Iterator[ServedSite]:
    """A site while it is served."""
    with Server() as server:
        yield ServedSite(site, server)


def crawl(
    site: NaturalSite,
    crawler: Crawler,
    folder: Path,
    runs: int,
    report: Callable[[Marks], None],
    *,
    longest: float = LONGEST,
) -> list[Marks]:
    """Crawl a site in a new folder, once a run, and report the marks of each run."""
    folder.mkdir(parents=True)
    standing: dict[str, Mapping[str, object]] = {}
    marks = []
    with served(site) as at:
        for at.run in range(runs):
            at.server.log.clear()
            command, environment = _command(at, crawler)
            began = time.monotonic()
            in_time = run_bounded(command, folder, environment, longest)
            seconds = time.monotonic() - began
            requests = len(at.server.log.exchanges)
            (folder / "crawl.log").rename(folder / f"crawl-{at.run}.log")
            fold(standing, folder / f"documents-{at.run}.jsonl")
            by_itself = crawler.checkout is None or finish_reason(folder) == "finished"
            each = _marks(
                at,
                crawler.name,
                list(standing.values()),
                requests=requests,
                ended=in_time and by_itself and requests < MAX_PAGES,
                seconds=seconds,
            )
            report(each)
            marks.append(each)
    return marks


def _command(at: ServedSite, crawler: Crawler) -> tuple[list[str], dict[str, str]]:
    output = ["-O", f"documents-{at.run}.jsonl"]
    start = at.origins[""] + at.site.start
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if crawler.checkout is None:
        environment |= {"PYTHONPATH": str(PLAIN.parents[2]), "SCRAPY_SETTINGS_MODULE": ""}
        command = [sys.executable, "-m", "scrapy", "runspider", str(PLAIN), *output]
        command += ["-a", f"start={start}", "-a", f"hosts={' '.join(at.addresses)}"]
        settings = (f"CLOSESPIDER_PAGECOUNT={MAX_PAGES}", "ROBOTSTXT_OBEY=1", "LOG_LEVEL=INFO")
        return [*command, *(word for each in settings for word in ("-s", each))], environment
    environment |= {
        "PYTHONPATH": str(crawler.checkout),
        "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings",
    }
    command = [python_of(crawler.checkout), "-m", "scrapy", "crawl", "site", *output]
    hosts = at.addresses[1:]
    allowed = [f"allowed_domains={' '.join(hosts)}", "allow_private=yes"] if hosts else []
    options = (f"start={start}", *ALWAYS, *allowed, *at.site.options, *crawler.options)
    return [*command, *(word for each in options for word in ("-a", each))], environment


def fold(standing: dict[str, Mapping[str, object]], file: Path) -> None:
    """Apply the lines of a crawl's output to the documents that stood before it."""
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        change = json.loads(line)
        name = change.get("id", change["url"])
        if change.get("op") == "delete":
            standing.pop(name, None)
        else:
            standing[name] = change


def _marks(
    at: ServedSite,
    crawler: str,
    documents: Iterable[Mapping[str, object]],
    *,
    requests: int,
    ended: bool,
    seconds: float,
) -> Marks:
    truth = at.site.truth(at.run)
    texts: dict[str, str] = {}
    wrong = []
    for document in documents:
        url = str(document["url"])
        page = at.page_of(url)
        if page == NEUTRAL:
            continue
        if page not in truth or page in texts:
            wrong.append(url)
        if page in truth:
            texts[page] = texts.get(page, " ") + _text(document)
    lines = [(page, line) for page in texts for line in truth[page]]
    lost = [f"{page}: {line}" for page, line in lines if normalized(line) not in texts[page]]
    requested = at.requested_pages()
    return Marks(
        at.site.name,
        crawler,
        at.run,
        at.site.is_endless,
        pages=len(truth),
        words=1 - len(lost) / len(lines) if lines else 0.0,
        wrong=len(wrong),
        requests=requests,
        ended=ended,
        seconds=seconds,
        missing={page: page in requested for page in truth if page not in texts},
        lost_lines=tuple(lost),
        wrong_urls=tuple(wrong),
    )


def _text(document: Mapping[str, object]) -> str:
    headings = document.get("headings")
    parts: Sequence[object] = headings if isinstance(headings, list) else ()
    texts = [str(part["text"]) for part in parts if isinstance(part, dict)]
    texts += [str(document.get(name) or "") for name in ("title", "body", "comments")]
    return "".join(normalized(each) for each in texts)
