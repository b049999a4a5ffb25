"""HTML that file readers write: escaped, bounded, in one piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import NamedTuple

MAX_MARKUP = 8_000_000  # characters; a novel has 1 million
MAX_HEADING = 300
MAX_LINKS = 10_000
END_OF_LISTING = "</pre>\n"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SCHEMES = ("http://", "https://")
# Program names in front of file names, and default titles of untitled documents.
_PROGRAM = re.compile(
    r"^(?:microsoft\s+)?(?:word|powerpoint|excel|publisher|outlook)\s*-\s*", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"""(?:untitled|title|no\s?title|(?:document|presentation|slide|powerpoint\spresentation|
    workbook|book|sheet|page|dokument|pr[äa]sentation)[\s_-]?\d*|\(?anonymous\)?|null|none|test|
    .*\.(?:docx?|dotx?|rtf|odt|pdf|ps|eps|dvi|tex|indd|qxd|qxp|pptx?|odp|xlsx?|ods|wpd|fm|pmd|p65|
    cdr|ai|html?|txt|tmp|jpe?g|png|tiff?)|[\W\d_]*|[0-9a-f-]{16,})""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_AUTHOR = re.compile(
    r"""(?:user|admin|administrator|root|owner|author|unknown|guest|default|test|anonymous|none|
    null|microsoft(?:\soffice)?(?:\suser)?|utente|benutzer|utilisateur|hp|dell|pc|lenovo|
    python-(?:docx|pptx)|openpyxl|apache\spoi|[\W\d_]*)""",
    re.IGNORECASE | re.VERBOSE,
)


class UnreadableFileError(Exception):
    """A file that gives no document: ``fault`` is the reason, ``detail`` a sentence."""

    def __init__(self, fault: str, detail: str = "") -> None:
        super().__init__(fault)
        self.fault = fault
        self.detail = detail


class Run(NamedTuple):
    """Words within a paragraph, and where they link to; empty for nowhere."""

    text: str
    link: str = ""


class FileMarkup(NamedTuple):
    """A file as an HTML document, with a word in ``cuts`` for each kind of content left out."""

    html: str
    cuts: tuple[str, ...] = ()


class MarkupWriter:
    """Writer of the HTML document that represents a file.

    Markup beyond ``MAX_MARKUP`` is dropped; ``is_full`` tells the reader to stop. ``has_text``
    needs a letter or digit: a file of pictures alone has none.
    """

    def __init__(self) -> None:
        self.title = ""
        self.language = ""
        self.metas: list[tuple[str, str]] = []
        self.has_text = False
        self.cuts: set[str] = set()
        self._parts: list[str] = []
        self._size = 0
        self._links: dict[str, None] = {}
        self._shown: set[str] = set()

    @property
    def is_full(self) -> bool:
        """True once ``MAX_MARKUP`` characters are written."""
        return self._size >= MAX_MARKUP

    def meta(self, name: str, *contents: str | None) -> None:
        """Add metadata, unless it is empty."""
        self.metas += [(name, clean(each)[:1000]) for each in contents if clean(each)]

    def raw(self, markup: str) -> None:
        """Write markup as it is."""
        if self.is_full:
            self.cuts.add("too_long")
            return
        self._parts.append(markup)
        self._size += len(markup)

    def text(self, text: str) -> None:
        """Write escaped text."""
        if text:
            self.has_text = self.has_text or any(map(str.isalnum, text))
            self.raw(escape(_CONTROL.sub("", text), quote=False))

    def block(self, tag: str, words: str | Iterable[Run]) -> None:
        """Write an element of text and links, unless it is empty."""
        runs = [Run(words)] if isinstance(words, str) else list(words)
        if any(run.text.strip() for run in runs):
            self.raw(f"<{tag}>")
            self._runs(runs)
            self.raw(f"</{tag}>\n")

    def listing(self, text: str) -> None:
        """Write a listing, or continue the one that ends here."""
        if self._parts and self._parts[-1] == END_OF_LISTING:
            self._parts[-1] = "\n"
        else:
            self.raw("<pre>")
        self.text(text)
        self.raw(END_OF_LISTING)

    def heading(self, level: int, words: str | Iterable[Run], anchor: str = "") -> None:
        """Write a heading; its level is limited to the range from 1 to 6."""
        runs = [Run(words)] if isinstance(words, str) else list(words)
        text = clean("".join(run.text for run in runs))[:MAX_HEADING]
        if text:
            level = min(max(level, 1), 6)
            identity = f' id="{escape(anchor)}"' if anchor else ""
            self.raw(f"<h{level}{identity}>")
            self.text(text)
            self.raw(f"</h{level}>\n")
            for run in runs:
                self.link(run.link)

    def _runs(self, runs: Iterable[Run]) -> None:
        for link, group in groupby(runs, key=lambda run: run.link):
            words = "".join(run.text for run in group)
            address = self._admitted(link)
            if address and words.strip():
                self._shown.add(address)
                self.raw(f'<a href="{escape(address)}">')
                self.text(words)
                self.raw("</a>")
            else:
                self.link(link)
                self.text(words)

    def link(self, address: str) -> None:
        """Record a link that has no position in the text."""
        if address := self._admitted(address):
            self._links[address] = None

    def _admitted(self, address: str) -> str:
        """Return the address of a link to the web, empty for any other."""
        address = address.strip()
        is_full = len(self._links) + len(self._shown) >= MAX_LINKS
        return "" if is_full or not address.lower().startswith(_SCHEMES) else address[:2083]

    def metadata(self, values: Callable[[str], list[str]], **names: str) -> None:
        """Add the metadata of a file, whose ``values`` are found by their names.

        ``names`` are those of title, author, description and the like, several parted by blanks, of
        which the first with a value counts.
        """
        found = {
            name: next(
                filter(None, ([*filter(None, map(clean, values(each)))] for each in own.split())),
                [],
            )
            for name, own in names.items()
        }
        self.title = real_title(next(iter(found.pop("title")), ""))
        self.language = next(iter(found.pop("language")), "")
        self.meta("author", *real_authors(found.pop("author")))
        self.meta("keywords", ", ".join(found.pop("keywords")))
        for name, texts in found.items():
            self.meta(name.replace("_", "."), *texts[:1])

    def document(self) -> FileMarkup:
        """Return the whole document; raise UnreadableFileError if it has no text."""
        if not self.has_text:
            raise UnreadableFileError("file_without_text", "no text in it")
        language = f' lang="{escape(self.language)}"' if self.language else ""
        metas = "".join(
            f'<meta name="{escape(name)}" content="{escape(content)}">\n'
            for name, content in self.metas
        )
        hidden = (each for each in self._links if each not in self._shown)
        links = "".join(f'<a href="{escape(each)}"></a>' for each in hidden)
        title = escape(clean(self.title)[:1000], quote=False)
        html = (
            f"<!DOCTYPE html>\n<html{language}><head><title>{title}</title>\n{metas}</head>\n"
            f"<body>\n{''.join(self._parts)}\n{links}</body></html>\n"
        )
        return FileMarkup(html, tuple(sorted(self.cuts)))


def clean(text: str | None) -> str:
    """Return text in one line without control characters."""
    return " ".join(_CONTROL.sub(" ", text or "").split())


def real_title(title: str | None) -> str:
    """Return a title written by a person; empty for file names and default titles."""
    words = _PROGRAM.sub("", clean(title))
    return "" if _NO_TITLE.fullmatch(words) else words


def real_authors(names: Iterable[str | None]) -> list[str]:
    """Return the names of people, without the default names that programs store."""
    found = [each for name in names for each in re.split(r"\s*;\s*", clean(name))]
    return [name for name in dict.fromkeys(found) if not _NO_AUTHOR.fullmatch(name)]
