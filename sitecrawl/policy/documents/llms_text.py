"""The files llms.txt and llms-full.txt of a site, in the format of https://llmstxt.org.

llms.txt has the site's name (H1), a summary (blockquote), and sections (H2) of links with descriptions,
one section for each folder. It is short enough to be read as a whole: pages farther from the start are in
the section Optional without descriptions, and the farthest in llms-full.txt alone. That file has the text
of every page, each below its title and source.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from sitecrawl.policy.documents.text_fields import TEXT_SOURCES
from sitecrawl.web.languages import primary_language

MAX_DESCRIPTION = 200  # characters
MAX_TITLE = 200
ROOT_SECTION = "Pages"
MAIN_BYTES, MAX_BYTES = 30_000, 48_000  # of the sections before Optional, of the whole file
INDEX_PAGE = re.compile(
    r"/(?:gen|py-mod|mod|book|np-mod)index(?:-\w+)?(?:\.x?html?)?/?$|/(?:ix01|index-all|allclasses|search)\.x?html?$",
    re.IGNORECASE,
)
"""Pages of Sphinx, DocBook and Javadoc that list the words of the others."""
INDEX_NAMES = frozenset({"", "index.html", "index.htm", "index.php"})
_ESCAPED = {sign: f"\\{sign}" for sign in "\\`*[]<>&"}
_AS_TEXT = str.maketrans(_ESCAPED)
# The reference parser ends a link's text at any bracket, escaped or not.
_LINK_TEXT = str.maketrans({**_ESCAPED, "[": "(", "]": ")"})
_FIRST_SIGN = re.compile(r"\A(?=[#>+=~|-])|\A(\d+)(?=[.)])")
_LINK_TARGET = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})


@dataclass(slots=True)
class ListedDocument:
    """A page of llms.txt; ``seqs`` are the changes that hold its text, each with its order."""

    url: str
    title: str
    description: str
    site_name: str
    depth: int
    language: str = ""
    seqs: list[tuple[int, int]] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """First folder of the URL's path, empty for pages at the root."""
        first, slash, _ = urlsplit(self.url).path.lstrip("/").partition("/")
        return first if slash else ""

    @property
    def is_index(self) -> bool:
        """True for the page that stands for its first folder, or for the site."""
        rest = urlsplit(self.url).path.lstrip("/").removeprefix(self.folder).lstrip("/")
        return rest in INDEX_NAMES


def listed_documents(
    records: Iterable[Mapping[str, Any]], language: str = ""
) -> dict[str, list[ListedDocument]]:
    """Return the pages of documents by origin; the sections of a page become one entry.

    Indexes of words are left out, and pages in other languages than the given one, else than that of
    most pages of the site.
    """
    pages: dict[str, ListedDocument] = {}
    for record in records:
        url = str(record["url"]).partition("#")[0]
        if INDEX_PAGE.search(url):
            continue
        page = pages.get(url)
        if page is None:
            title = _one_line(record.get("title"), MAX_TITLE)
            page = pages[url] = ListedDocument(
                url,
                title or url,
                _description(record, title),
                _one_line(record.get("site_name"), MAX_TITLE),
                int(record.get("depth") or 0),
                primary_language(record.get("language")),
            )
        page.seqs.append((int(record.get("order") or 0), int(record["seq"])))
    sites: dict[str, list[ListedDocument]] = defaultdict(list)
    for page in pages.values():
        parts = urlsplit(page.url)
        page.seqs.sort()
        sites[f"{parts.scheme}://{parts.netloc}"].append(page)
    return {
        origin: kept
        for origin, found in sites.items()
        if (kept := _in_language(found, primary_language(language)))
    }


def _in_language(pages: Sequence[ListedDocument], language: str) -> list[ListedDocument]:
    known = Counter(page.language for page in pages if page.language)
    wanted = language or next((name for name, _ in known.most_common(1)), "")
    return [page for page in pages if page.language in (wanted, "")]


def site_sections(pages: Sequence[ListedDocument]) -> dict[str, list[ListedDocument]]:
    """Return the pages by section, those of the root first, nearer ones first."""
    folders: dict[str, list[ListedDocument]] = defaultdict(list)
    for page in sorted(pages, key=lambda each: (each.depth, each.url)):
        folders[page.folder].append(page)
    nearest_first = sorted(
        folders.items(), key=lambda each: (each[0] != "", each[1][0].depth, each[0])
    )
    found: dict[str, list[ListedDocument]] = {}
    for folder, members in nearest_first:
        index = next((page.title for page in members if folder and page.is_index), "")
        name = index or _named(folder) or ROOT_SECTION
        found.setdefault(name, []).extend(members)
    return found


def llms_text(origin: str, pages: Sequence[ListedDocument]) -> Iterator[str]:
    """Yield the lines of llms.txt."""
    home = _home(pages)
    names = Counter(page.site_name for page in pages if page.site_name)
    name = next((each for each, _ in names.most_common(1)), "") or (home.title if home else "")
    yield f"# {as_text(name) or urlsplit(origin).netloc}"
    yield ""
    if home and home.description:
        yield f"> {as_text(home.description)}"
        yield ""
    # The reference parser takes a blockquote for a summary only if another text follows it.
    yield f"{len(pages)} {'page' if len(pages) == 1 else 'pages'} of {origin}."
    yield ""
    main, optional = _divided(pages)
    for section, members in site_sections(main).items():
        yield f"## {as_text(section)}"
        yield ""
        yield from map(_link, members)
        yield ""
    if optional:
        yield "## Optional"
        yield ""
        yield from (_link(page, described=False) for page in optional)
        yield ""
    if left := len(pages) - len(main) - len(optional):
        yield f"llms-full.txt has {left} more {'page' if left == 1 else 'pages'}."


def _divided(pages: Sequence[ListedDocument]) -> tuple[list[ListedDocument], list[ListedDocument]]:
    """Return the pages with descriptions and those without that there is room for, nearest first."""
    main: list[ListedDocument] = []
    optional: list[ListedDocument] = []
    used = 0
    for page in sorted(pages, key=lambda each: (each.depth, each.url)):
        line = len(_link(page).encode()) + 1
        if not optional and used + line <= MAIN_BYTES:
            main.append(page)
        else:
            line = len(_link(page, described=False).encode()) + 1
            if used + line > MAX_BYTES:
                break
            optional.append(page)
        used += line
    return main, optional


def _link(page: ListedDocument, *, described: bool = True) -> str:
    text = page.title.translate(_LINK_TEXT)
    description = f": {as_text(page.description)}" if page.description and described else ""
    return f"- [{text}]({page.url.translate(_LINK_TARGET)}){description}"


def llms_full_entry(page: ListedDocument, records: Iterable[Mapping[str, Any]]) -> str:
    """Return a page's part of llms-full.txt, from its document or its sections."""
    texts = [
        str(text or "").strip()
        for each in records
        for text in (each.get("markdown") or each.get("body"), each.get("comments"))
    ]
    text = "\n\n".join(filter(None, texts))
    first, _, rest = text.partition("\n")
    if first.lstrip("# ").strip() == page.title:
        text = rest.strip()
    return f"# {as_text(page.title)}\n\nSource: {page.url}\n\n{text}\n"


def as_text(line: str) -> str:
    """Escape what Markdown would read as markup in one line of a website's text."""
    return _FIRST_SIGN.sub(r"\1\\", line.translate(_AS_TEXT), count=1)


def _home(pages: Sequence[ListedDocument]) -> ListedDocument | None:
    """Return the page at the root, else the only start of the crawl, if it stands for its folder."""
    root = [page for page in pages if page.is_index and not page.folder]
    if root:
        return min(root, key=lambda page: (page.depth, page.url))
    starts = [page for page in pages if page.depth == 0]
    return starts[0] if len(starts) == 1 and starts[0].is_index else None


def _description(record: Mapping[str, Any], title: str) -> str:
    """Return the description of a document, without the title with which the text begins."""
    text = str(record.get("description") or "")
    if record.get("description_source") in TEXT_SOURCES:
        text = text.removeprefix(title)
    return _one_line(text, MAX_DESCRIPTION)


def _named(folder: str) -> str:
    """Return a folder's name as a heading: ``user_guide`` becomes ``User guide``."""
    words = _one_line(unquote(folder).replace("-", " ").replace("_", " "), MAX_TITLE)
    return words[:1].upper() + words[1:]


def _one_line(value: Any, length: int) -> str:
    """Return a text without line breaks and control characters, cut at a word."""
    words = "".join(sign if sign.isprintable() else " " for sign in str(value or "")).split()
    text = " ".join(words)
    return text if len(text) <= length else f"{text[:length].rpartition(' ')[0] or text[:length]} …"
