"""Ground truth of others, fetched from the registries into a cache outside the tree."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

TRAFILATURA = "github.com/markusmobius/go-trafilatura@v1.12.2"
HTMLDATE = "github.com/markusmobius/go-htmldate@v1.10.1"
READABILITY = "codeberg.org/readeck/go-readability@v0.0.0-20251125211941-0f57a445e5f1"
NEWSPAPER = "newspaper4k==0.9.6"
PAGES_OF_A_SET = 40


def cache_folder() -> Path:
    """The folder for what is fetched, unless an option names another."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sitecrawl" / "extraction"


@dataclass(frozen=True, slots=True)
class Passages:
    """A page of trafilatura's evaluation: passages that belong to its text, and that do not.

    ``metadata`` holds what the evaluation knows of title, date and authors.
    """

    url: str
    path: Path
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]
    metadata: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Dated:
    """A page whose date of publication is known."""

    url: str
    path: Path
    date: str


@dataclass(frozen=True, slots=True)
class FullText:
    """A page whose whole main text is known."""

    url: str
    path: Path
    text: str
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentationSet:
    """Pages of one generator, whose content elements are known.

    ``content`` selects the elements of the content, ``without`` what is navigation within them.
    """

    package: str
    folder: str
    content: str
    without: str = ""
    skip: str = r"genindex|search|py-modindex|404"


DOCUMENTATION = (
    DocumentationSet(
        "postgresql-doc-15",
        "usr/share/doc/postgresql-doc-15/html",
        "body > div:not(.navheader):not(.navfooter)",
    ),
    DocumentationSet("python3.11-doc", "usr/share/doc/python3.11/html", "div.body"),
    DocumentationSet("python-django-doc", "usr/share/doc/python-django-doc/html", "#yui-main"),
    DocumentationSet("python-flask-doc", "usr/share/doc/python-flask-doc/html", "div.body"),
    DocumentationSet(
        "python-scrapy-doc", "usr/share/doc/python-scrapy-doc/html", "[itemprop=articleBody]"
    ),
    DocumentationSet("cmake-doc", "usr/share/doc/cmake-data/html", "div.body"),
    DocumentationSet(
        "python-sqlalchemy-doc", "usr/share/doc/python-sqlalchemy-doc/html", "#docs-body"
    ),
    DocumentationSet("rust-doc", "usr/share/doc/rust-doc/html/book", "main", skip="edition"),
    DocumentationSet("nodejs-doc", "usr/share/doc/nodejs/api", "#apicontent"),
    DocumentationSet(
        "libgtk-4-doc", "usr/share/doc/libgtk-4-doc/gtk4", "#main", "#toc, #search, footer"
    ),
    DocumentationSet("libglib2.0-doc", "usr/share/gtk-doc/html/gio", "body > div:not(.footer)"),
    DocumentationSet(
        "doxygen-doc", "usr/share/doc/doxygen/html", "#doc-content .header, #doc-content .contents"
    ),
    DocumentationSet("libjsoup-java-doc", "usr/share/doc/libjsoup-java/api", "main"),
    DocumentationSet(
        "libghc-aeson-doc",
        "usr/share/doc/libghc-aeson-doc/html",
        "#content",
        skip="doc-index|/src/",
    ),
    DocumentationSet(
        "exim4-doc-html", "usr/share/doc/exim4-doc-html/spec_html", "#content > .chapter"
    ),
    DocumentationSet("git-doc", "usr/share/doc/git-doc", "#header, #content"),
    DocumentationSet("mkdocs-doc", "usr/share/doc/mkdocs/html", "[role=main]"),
    DocumentationSet(
        "zsh-doc",
        "usr/share/doc/zsh-common/html",
        "body > div, body > h1",
        "table.header",
        skip=r"genindex|search|404|FAQ",
    ),
)


class Truth:
    """The cache of ground truth; each part is fetched when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def module(self, name: str) -> Path:
        """The folder of a Go module."""
        environment = {
            **os.environ,
            "GOMODCACHE": str(self.folder / "go"),
            "GOFLAGS": "-modcacherw",
        }
        path = self.folder / "go" / name
        if not path.is_dir():
            subprocess.run(["go", "mod", "download", name], env=environment, check=True)
        return path

    def passages(self) -> list[Passages]:
        """The evaluation pages of trafilatura."""
        folder = self.module(TRAFILATURA)
        source = (folder / "scripts/comparison/data.go").read_text()
        return [
            Passages(
                url,
                path,
                tuple(entry.get("With", ())),
                tuple(entry.get("Without", ())),
                {name: entry[name] for name in ("Title", "Date", "Authors") if name in entry},
            )
            for url, entry in go_entries(source)
            if (path := _found(folder / "test-files", entry["File"][0])) is not None
        ]

    def dates(self) -> list[Dated]:
        """The pages of htmldate's two evaluations."""
        folder = self.module(HTMLDATE)
        pages: list[Dated] = []
        for name in ("data-default.go", "data-mediacloud.go"):
            source = (folder / "scripts/comparison" / name).read_text()
            for entry in re.split(r"\n\t\}", source):
                told = {key: _go_string(value) for key, value in _VALUE.findall(entry)}
                path = _found(folder / "test-files", told.get("File", ""))
                if "URL" in told and path is not None:
                    pages.append(Dated(told["URL"], path, told["Date"]))
        return pages

    def readability(self) -> list[FullText]:
        """The test pages of Mozilla's Readability."""
        folder = self.module(READABILITY) / "test-pages"
        return [
            FullText(
                "http://fakehost/test/page.html",
                each / "source.html",
                plain_text((each / "expected.html").read_bytes()),
                (json.loads((each / "expected-metadata.json").read_text()).get("title") or "",),
            )
            for each in sorted(folder.iterdir())
            if (each / "expected.html").is_file()
        ]

    def newspaper(self) -> list[FullText]:
        """The articles of newspaper4k's tests."""
        folder = self.folder / NEWSPAPER.replace("==", "-") / "tests" / "data"
        if not folder.is_dir():
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary"]
            subprocess.run([*pip, "newspaper4k", NEWSPAPER, "-d", str(self.folder)], check=True)
            with tarfile.open(next(self.folder.glob("newspaper4k-*.tar.gz"))) as archive:
                archive.extractall(self.folder, filter="data")
        return [
            FullText("https://example.org/article", page, text.read_text())
            for text in sorted((folder / "txt").glob("*.txt"))
            if (page := folder / "html" / f"{text.stem}.html").is_file()
        ]

    def documentation(self, of: DocumentationSet) -> list[FullText]:
        """A sample of the pages of a documentation package."""
        unpacked = self.folder / "debian" / of.package
        if not unpacked.is_dir():
            unpacked.parent.mkdir(exist_ok=True)
            subprocess.run(["apt-get", "download", "-q", of.package], cwd=self.folder, check=True)
            [package] = self.folder.glob(f"{of.package}_*.deb")
            subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
        root = unpacked / of.folder
        files = [
            each
            for each in sorted(root.rglob("*.html"))
            if each.is_file()
            and not each.is_symlink()
            and not re.search(of.skip, str(each.relative_to(root)))
            and 500 < each.stat().st_size < 1_000_000
        ]
        pages: list[FullText] = []
        for path in random.Random(1).sample(files, len(files)):
            body = path.read_bytes()
            text = plain_text(body, of.content, of.without)
            if text:
                url = f"https://example.org/{path.relative_to(root)}"
                titles = headings(body, of.content)
                pages.append(FullText(url, path, text, titles))
            if len(pages) == PAGES_OF_A_SET:
                break
        return sorted(pages, key=lambda page: page.url)


def headings(body: bytes, content: str) -> tuple[str, ...]:
    """The first-rank headings of the content, else those of the page."""
    parser = LexborHTMLParser(body)
    within = [node for part in parser.css(content) for node in part.css("h1")]
    return tuple(node.text() for node in within or parser.css("h1"))


def _found(folder: Path, name: str) -> Path | None:
    paths = (folder / part / name for part in ("comparison", "mock", "mediacloud"))
    return next((path for path in paths if path.is_file()), None)


_STRING = r'"(?:[^"\\\n]|\\.)*"|`[^`]*`'
_ENTRY = re.compile(rf"^\t({_STRING}): \{{\n(.*?)^\t\}},", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(rf"(\w+):\s+({_STRING})")
_FIELD = re.compile(rf"^\t\t(\w+):\s+(\[\]string\{{(?:\s|,|{_STRING})*\}}|{_STRING})", re.MULTILINE)


def go_entries(source: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """The entries of a Go map of structures, each with its fields as lists of strings."""
    for entry in _ENTRY.finditer(source):
        fields = {
            field[1]: [_go_string(each) for each in re.findall(_STRING, field[2])]
            for field in _FIELD.finditer(entry[2])
        }
        yield _go_string(entry[1]), fields


def _go_string(literal: str) -> str:
    return literal[1:-1] if literal[0] == "`" else str(json.loads(literal, strict=False))


_SILENT = frozenset({"script", "style", "template", "noscript", "head", "iframe", "svg", "math"})
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
        *("font", "i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span"),
        *("strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)


def plain_text(markup: bytes, content: str = "", without: str = "") -> str:
    """The words of the elements that ``content`` selects, parted at blocks."""
    parser = LexborHTMLParser(markup)
    if without:
        for removed in parser.css(without):
            removed.decompose()
    parts: list[str] = []
    nodes = parser.css(content) if content else [parser.body]
    for node in nodes:
        if node is not None and not any(_holds(other, node) for other in nodes):
            _gather(node, parts)
    return "".join(parts).strip()


def _holds(outer: LexborNode | None, node: LexborNode) -> bool:
    parent: LexborNode | None = node.parent
    while parent is not None:
        if outer is not None and parent.mem_id == outer.mem_id:
            return True
        parent = parent.parent
    return False


def _gather(root: LexborNode, parts: list[str]) -> None:
    stack: list[LexborNode | str | None] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if isinstance(node, str):
            parts.append(node)
        elif node.is_text_node:
            parts.append(node.text_content or "")
        elif node.is_element_node and node.tag not in _SILENT:
            edge = "" if node.tag in _INLINE else "\n"
            children = list(node.iter(include_text=True))
            stack += [edge, *reversed(children), edge]
