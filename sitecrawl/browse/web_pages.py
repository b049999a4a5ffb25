"""Pages of `scrapy browse`: one function of a request for each path, rendered by templates.

Everything that a crawled page contains is hostile. Templates escape every value; control and
direction characters are removed; only http and https become links; nothing remote is loaded.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sitecrawl.browse.crawl_reader import MAX_INLINKS, CrawlReader, PageRecord
from sitecrawl.console.crawl_statistics import WORDS
from sitecrawl.console.terminal import CONTROLS, ago, stamp
from sitecrawl.frontier.base import FrontierError
from sitecrawl.search.search_index import IndexFileError
from sitecrawl.search.search_results import MAX_HITS, MAX_OFFSET, SearchFilters, SearchResults
from sitecrawl.web.urls.url import normalize

BOX = "search_box.js"
HITS = 10
SECTIONS = 3  # of a hit in /search.json
FILTERS = ("site", "under", "language", "type")
MAX_QUERY = 500  # characters
MAX_SHOWN = 300_000  # characters of a text on a page; the whole one can be downloaded
FOLDER_PAGES = 100
MAX_FOLDERS = 1_000
MAX_SUBFOLDERS = 8  # of each folder, in the tree
MAX_ORIGINS = 200
MAX_NAMED_SITES = 50
HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
VIEWS = {
    "text": "Text",
    "markdown": "Markdown",
    "fields": "Fields",
    "history": "History",
    "why": "Why here",
}


class NotWebError(Exception):
    """A parameter that should be the address of a page, and is none."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A GET request: path, first value of each parameter, headers Accept and Accept-Language."""

    path: str
    query: Mapping[str, str]
    accept: str = ""
    accept_language: str = ""

    def get(self, name: str) -> str:
        """Return a parameter without surrounding white space, empty if it is missing."""
        return self.query.get(name, "").strip()[: MAX_QUERY if name == "q" else None]

    def number(self, name: str, default: int, most: int) -> int:
        """Return a parameter as a number between 0 and ``most``, else the default."""
        text = self.get(name)
        return min(int(text), most) if text.isdecimal() and len(text) < 9 else default

    @property
    def reader(self) -> str:
        """Language of the reader: the parameter ``reader``, else the browser's first one."""
        return self.get("reader") or re.split("[,;]", self.accept_language)[0].strip()

    @property
    def wants_json(self) -> bool:
        """True if the client prefers JSON to HTML."""
        accepted = [each.partition(";")[0].strip() for each in self.accept.split(",")]
        known = [each for each in accepted if each in {"application/json", "text/html"}]
        return known[:1] == ["application/json"]


@dataclass(frozen=True, slots=True)
class PageReply:
    """Status, media type and body of a response; ``shared`` allows it to permitted origins."""

    body: bytes
    type: str = HTML
    status: int = 200
    shared: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """Name, logo and colour of the application; the standard ones where they are empty.

    ``logo`` is an image with its media type, ``color`` is written ``#rrggbb``.
    """

    name: str = "sitecrawl"
    logo: tuple[bytes, str] | None = None
    color: str = ""

    def style(self) -> bytes:
        """Return the rules that set the colour, lighter where the page is dark."""
        if not self.color:
            return b""
        red, green, blue = (int(self.color[place : place + 2], 16) for place in (1, 3, 5))
        text = "#000" if red * 299 + green * 587 + blue * 114 > 140_000 else "#fff"
        light = f"--action: {self.color}; --link: {self.color}; --on-action: {text}"
        tint = f"color-mix(in srgb, {self.color} 45%, #fff)"
        dark = f"--action: {tint}; --link: {tint}; --on-action: #14171b"
        rules = (
            f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        )
        return rules.encode()


class WebPages:
    """The pages of one crawl; ``base`` is the address under which browsers reach them.

    ``problem`` returns the reason why the search file is not updated, empty if it is.
    """

    def __init__(
        self,
        reader: CrawlReader,
        base: str,
        problem: Callable[[], str] = lambda: "",
        look: Look | None = None,
    ) -> None:
        self._reader = reader
        self._problem_of_index = problem
        self._base = base.rstrip("/")
        self._look = look = look or Look()
        self._environment = _environment()
        self._environment.globals |= {
            "crawl": reader.name,
            "realm": reader.realm,
            "look": look,
            "VIEWS": VIEWS,
        }
        self._routes: dict[str, Callable[[PageRequest], PageReply]] = {
            "/": self._home,
            "/search": self._search,
            "/search.json": self._search_json,
            "/document": self._document,
            "/document.json": self._document_json,
            "/document.txt": partial(self._text_of, "whole_text"),
            "/document.md": partial(self._text_of, "markdown"),
            "/site": self._site,
            "/crawl": self._crawl,
            "/crawl.json": self._crawl_json,
            "/opensearch.xml": self._opensearch,
            "/search-box.js": lambda _: _asset(BOX, "text/javascript; charset=utf-8", shared=True),
            "/style.css": lambda _: _asset("style.css", "text/css; charset=utf-8", look.style()),
            "/logo": self._logo,
            "/icon.svg": lambda _: _asset("icon.svg", "image/svg+xml"),
            "/robots.txt": lambda _: PageReply(b"User-agent: *\nDisallow: /\n", TEXT),
        }

    def reply(self, request: PageRequest) -> PageReply:
        """Answer a request; a crawl that cannot be read becomes a page with the reason."""
        try:
            return self._routes.get(request.path, self._missing)(request)
        except (FrontierError, IndexFileError) as error:
            return self._problem(503, "The crawl cannot be read now", str(error))
        except NotWebError:
            remedy = "Write it with http:// or https://."
            return self._problem(400, "This is not a web address", remedy)

    def _missing(self, _: PageRequest) -> PageReply:
        return self._problem(404, "There is no such page", "Search, or begin at the start page.")

    def _page(self, template: str, /, *, status: int = 200, **values: Any) -> PageReply:
        text = self._environment.get_template(template).render(now=time.time(), **values)
        return PageReply(text.encode("utf-8", "replace"), status=status)

    def _problem(self, status: int, title: str, detail: str) -> PageReply:
        return self._page("problem.html", status=status, title=title, detail=detail)

    def _home(self, _: PageRequest) -> PageReply:
        sites = self._reader.sites()
        names = self._reader.site_names(list(sites)[:MAX_NAMED_SITES])
        return self._page(
            "home.html", sites=sites, names=names, **self._filters(PageRequest("/", {}), sites)
        )

    def _filters(self, request: PageRequest, sites: Mapping[str, int]) -> dict[str, Any]:
        hosts = dict.fromkeys(urlsplit(site).hostname or site for site in sites)
        return {
            **{name: request.get(name) for name in ("q", *FILTERS)},
            "hosts": list(hosts)[:MAX_ORIGINS],
            "languages": self._reader.languages(),
            "behind": self._reader.behind(),
            "problem": self._problem_of_index(),
        }

    def _found(self, request: PageRequest, **options: int) -> SearchResults:
        filters = SearchFilters(*(request.get(name) for name in FILTERS))
        return self._reader.search(request.get("q"), filters, reader=request.reader, **options)

    def _search(self, request: PageRequest) -> PageReply:
        if request.wants_json:
            return self._search_json(request)
        page = max(1, request.number("page", 1, MAX_OFFSET // HITS))
        found = self._found(request, offset=(page - 1) * HITS, limit=HITS)
        last = min(-(-found.total // HITS), MAX_OFFSET // HITS)
        values = self._filters(request, self._reader.sites())
        kept = {name: str(values[name]) for name in ("q", *FILTERS) if values[name]}
        return self._page(
            "search.html", found=found, narrowings=_narrowings(found, kept), page=page, last=last, first=HITS * (page - 1) + 1,
            link=lambda number: f"/search?{urlencode({**kept, 'page': number})}", **values,
        )  # fmt: skip

    def _search_json(self, request: PageRequest) -> PageReply:
        limit = max(1, request.number("limit", HITS, MAX_HITS))
        offset = request.number("offset", 0, MAX_OFFSET)
        if "page" in request.query:
            offset = min((max(1, request.number("page", 1, MAX_OFFSET)) - 1) * limit, MAX_OFFSET)
        try:
            found = self._found(request, offset=offset, limit=limit, sections=SECTIONS)
        except IndexFileError as error:
            return _json({"error": str(error)}, status=503, shared=True)
        record = {
            "query": request.get("q"),
            "total": found.total,
            "offset": offset,
            "limit": limit,
            "any_word": found.any_word,
            "correction": found.correction or None,
            "suggestions": found.suggestions,
            "counts": found.counts,
            "hits": [hit.record() for hit in found.hits],
        }
        return _json(record, shared=True)

    def _document(self, request: PageRequest) -> PageReply:
        stored, view = self._stored(request), request.get("view")
        default = "text" if stored.documents else "why"
        return self._page(
            "document.html",
            status=200 if stored.explanation.stored else 404,
            stored=stored,
            explanation=stored.explanation,
            view=view if view in VIEWS else default,
            blocks=stored.lines(MAX_SHOWN),
            cut=max(map(len, (stored.body, stored.markdown, stored.comments))) > MAX_SHOWN,
            max_shown=MAX_SHOWN,
            max_inlinks=MAX_INLINKS,
            fields=[(name, _field(value)) for name, value in stored.fields.items()],
        )

    def _stored(self, request: PageRequest) -> PageRecord:
        url = normalize(request.get("url"))
        if not url or not is_web(url):
            raise NotWebError
        return self._reader.page(url, inlinks=request.get("view") == "why")

    def _document_json(self, request: PageRequest) -> PageReply:
        documents = self._stored(request).documents
        return _json({"documents": documents}, status=200 if documents else 404)

    def _text_of(self, name: str, request: PageRequest) -> PageReply:
        return _text(getattr(self._stored(request), name))

    def _site(self, request: PageRequest) -> PageReply:
        sites = self._reader.sites()
        prefix = request.get("prefix")
        if not prefix and len(sites) == 1:
            prefix = f"{next(iter(sites))}/"
        if not prefix:
            return self._page("sites.html", sites=sites)
        if not is_web(prefix):
            raise NotWebError
        prefix = prefix if prefix.endswith("/") else f"{prefix}/"
        folder = self._reader.folder(prefix)
        last = max(1, -(-len(folder.pages) // FOLDER_PAGES))
        page = min(max(1, request.number("page", 1, last)), last)
        numbers = folder.pages[(page - 1) * FOLDER_PAGES : page * FOLDER_PAGES]
        return self._page(
            "folder.html", status=200 if folder.total else 404, folder=folder, prefix=prefix,
            folders=sorted(folder.folders.items())[:MAX_FOLDERS], page=page, last=last,
            pages=self._reader.pages(numbers), single=len(sites) == 1, max_folders=MAX_FOLDERS, max_subfolders=MAX_SUBFOLDERS,
            under=urlsplit(prefix).path if len(sites) == 1 else prefix,
            link=lambda number: f"/site?{urlencode({'prefix': prefix, 'page': number})}",
        )  # fmt: skip

    def _crawl(self, _: PageRequest) -> PageReply:
        statistics = self._reader.statistics()
        origins = sorted(statistics.origins, key=statistics.rank)
        return self._page(
            "crawl.html", statistics=statistics, run=statistics.run, words=WORDS,
            origins=origins[:MAX_ORIGINS], more=max(0, len(origins) - MAX_ORIGINS),
            documents=sum(each.documents for each in origins),
        )  # fmt: skip

    def _crawl_json(self, _: PageRequest) -> PageReply:
        return _json({"database": self._reader.name, **self._reader.statistics().record()})

    def _logo(self, _: PageRequest) -> PageReply:
        if self._look.logo is None:
            return self._problem(404, "There is no logo", "Give one with --logo.")
        body, media_type = self._look.logo
        return PageReply(body, media_type, headers={"Cache-Control": "max-age=300"})

    def _opensearch(self, _: PageRequest) -> PageReply:
        host = urlsplit(self._base).netloc
        reply = self._page("opensearch.xml", base=self._base, name=f"Search {host}"[:16])
        return PageReply(reply.body, "application/opensearchdescription+xml; charset=utf-8")


class Narrowing(NamedTuple):
    """A link that adds a filter to a search, or removes it if it is set."""

    value: str
    pages: int
    link: str
    is_set: bool


def _narrowings(found: SearchResults, kept: Mapping[str, str]) -> dict[str, list[Narrowing]]:
    """Return the links for each filter that divides the results or is set, by its name."""
    links: dict[str, list[Narrowing]] = {}
    for label, counts in found.counts.items():
        name = "under" if label == "folder" else label
        others = {key: value for key, value in kept.items() if key != name}
        if len(counts) > 1 or name in kept:
            links[label] = [
                Narrowing(
                    value,
                    count,
                    f"/search?{urlencode(others if is_set else {**others, name: value})}",
                    is_set,
                )
                for value, count in counts.items()
                for is_set in [kept.get(name) == value]
            ]
    return links


def is_web(url: str) -> bool:
    """Return True for an address that may become a link."""
    return url[:8].lower().startswith(("http://", "https://"))


def breadcrumb(url: str) -> list[tuple[str, str]]:
    """Return host and folders of a URL as pairs of name and URL, and the last part if any."""
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}/"
    found = [(parts.netloc, address)]
    *folders, last = parts.path.lstrip("/").split("/")
    for name in folders:
        address += f"{name}/"
        found.append((name, address))
    query = f"?{parts.query}" if parts.query else ""
    return [*found, (f"{last}{query}", url)] if last or query else found


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sitecrawl.browse"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {
        "breadcrumb": breadcrumb,
        "stamp": stamp,
        "ago": lambda at: ago(at, time.time()),
        "document_link": _document_link,
        "folder_link": lambda prefix: f"/site?{urlencode({'prefix': prefix})}",
        "count": lambda number: f"{number:,}",
        "size": lambda count: f"{count / 1000:,.1f} kB" if count else "–",
    }
    environment.tests["web"] = is_web
    return environment


def _document_link(url: str, view: str = "") -> str:
    return f"/document?{urlencode({'url': url, **({'view': view} if view else {})})}"


def _shown(value: Any) -> Any:
    """Return a value without control and direction characters; None becomes a dash."""
    if value is None:
        return "–"
    if isinstance(value, str) and not isinstance(value, Markup):
        return CONTROLS.sub("", value)
    return value


def _field(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text if len(text) <= 2_000 else f"{text[:2_000]} …"


def _json(record: Mapping[str, Any], *, status: int = 200, shared: bool = False) -> PageReply:
    text = json.dumps(record, ensure_ascii=False)
    return PageReply(text.encode("utf-8", "replace"), JSON, status, shared)


def _text(text: str) -> PageReply:
    return PageReply(text.encode("utf-8", "replace"), TEXT, 200 if text else 404)


def asset(name: str) -> bytes:
    """Return a file of this package."""
    return files("sitecrawl.browse").joinpath(name).read_bytes()


def _asset(name: str, media_type: str, more: bytes = b"", *, shared: bool = False) -> PageReply:
    headers = {"Cache-Control": "max-age=300"}
    if shared:  # pages of other sites include it
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return PageReply(asset(name) + more, media_type, headers=headers)
