"""Sections of pages as targets index them, and the vectors that the user's function makes of them."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import import_module
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any

from sitecrawl.policy.documents.sections import SectionOptions, build_sections, with_comments
from sitecrawl.sync.target import SyncError, TargetUriError
from sitecrawl.web.content_blocks import ContentBlock

if TYPE_CHECKING:
    from sitecrawl.search.search_index import SearchIndex

HASH_DIGITS = 32
EMBED = "embed"  # the entry of an index that names the function of its vectors
TEXTS = 64  # in one call
Embed = Callable[[list[str]], Iterable[Iterable[float]]]


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section as stored by a target; ``url`` leads to its heading if that has an anchor.

    ``headings`` are its own and those above it, or the page's title if there are none.
    """

    id: str
    url: str
    headings: tuple[str, ...]
    text: str
    markdown: str

    @property
    def embedded_text(self) -> str:
        """Text that represents the section: the headings above it, then its own Markdown."""
        return "\n\n".join(filter(None, (" › ".join(self.headings), self.markdown or self.text)))

    @property
    def hash(self) -> str:
        """Hash of the text that represents the section."""
        return sha256(self.embedded_text.encode("utf-8", "replace")).hexdigest()[:HASH_DIGITS]


def page_sections(record: Mapping[str, Any]) -> list[PageSection]:
    """Return the sections of a document, or the one that a line of ``split=sections`` is."""
    url, id_ = str(record.get("url") or ""), str(record["id"])
    title = str(record.get("title") or "")
    if record.get("page_id"):
        return [_section({**record, "text": record.get("body")}, url, title)]
    found = record.get("sections")
    if not isinstance(found, list) or not found:
        blocks = list(content_blocks(record))
        options = SectionOptions()
        comments = str(record.get("comments") or "")
        found = with_comments(
            build_sections(blocks, id_, url, options), comments, id_, url, options
        )
    sections = {each["id"]: _section(each, url, title) for each in found}
    return [section for section in sections.values() if section.text or section.markdown]


def content_blocks(record: Mapping[str, Any]) -> Iterator[ContentBlock]:
    """Yield the blocks of a body: its headings, each a line of its own, and what is between them.

    A heading that is not found in the body, in order, is left out.
    """
    lines = [line for line in str(record.get("body") or "").split("\n") if line]
    known = record.get("headings")
    listed = known if isinstance(known, list) else []  # a project's pipeline may give it any type
    headings = _headings_by_line(lines, [each for each in listed if isinstance(each, dict)])
    for at, group in groupby(range(len(lines)), key=lambda at: at if at in headings else -1):
        text = "\n".join(lines[number] for number in group)
        heading = headings.get(at, {})
        level = heading.get("level") or 0
        yield ContentBlock(
            text,
            f"{'#' * level} {text}" if level else "",
            level=level,
            anchor=str(heading.get("anchor") or ""),
        )


def _headings_by_line(
    lines: Sequence[str], headings: Iterable[Mapping[str, Any]]
) -> dict[int, Mapping[str, Any]]:
    found: dict[int, Mapping[str, Any]] = {}
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    following = 0
    for heading in headings:
        same = places.get(str(heading.get("text")), [])
        index = bisect_left(same, following)
        if index < len(same):
            found[same[index]] = heading
            following = same[index] + 1
    return found


def _section(entry: Mapping[str, Any], url: str, title: str) -> PageSection:
    headings = entry.get("heading_path") or filter(None, [title])
    return PageSection(
        id=str(entry["id"]),
        url=str(entry.get("url") or url),
        headings=tuple(map(str, headings)),
        text=str(entry.get("text") or ""),
        markdown=str(entry.get("markdown") or ""),
    )


class Embedder:
    """Calls the function ``package.module:function`` with texts, in batches; or the model of
    sentence-transformers in a local folder, given with a slash.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def vectors(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Yield the vector of each text; raises SyncError if the function fails."""
        for start in range(0, len(texts), TEXTS):
            batch, embed = list(texts[start : start + TEXTS]), self._function
            try:
                found = [[float(number) for number in vector] for vector in embed(batch)]
            except Exception as error:
                raise SyncError(f"{self.name} failed: {type(error).__name__}: {error}.") from error
            if len(found) != len(batch):
                raise SyncError(
                    f"{self.name} returned {len(found)} vectors for {len(batch)} texts."
                )
            yield from found

    @cached_property
    def _function(self) -> Embed:
        """The user's function, also of a module in the working directory."""
        if "/" in self.name:
            return self._model()
        module, _, name = self.name.partition(":")
        if os.getcwd() not in sys.path:  # noqa: PTH109 - entries of the path are strings
            sys.path.append(os.getcwd())  # noqa: PTH109
        try:
            found: Embed = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise TargetUriError(f"embed: {self.name} cannot be imported: {error}.") from error
        return found

    def _model(self) -> Embed:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - the user's

            encode: Embed = SentenceTransformer(self.name, local_files_only=True).encode
        except (ImportError, OSError, ValueError) as error:
            raise TargetUriError(f"embed: {self.name} cannot be loaded: {error}.") from error
        return encode


def query_vector(index: SearchIndex, words: str) -> list[float] | None:
    """Return the vector of a query by the function that made those of the index, else None.

    Raises SyncError.
    """
    embed = index.meta(EMBED)
    if not embed or not words.strip():
        return None
    [vector] = _embedder(embed).vectors([words])
    return vector


@lru_cache
def _embedder(name: str) -> Embedder:
    return Embedder(name)


def vector_fault(vector: Sequence[float], dimension: int) -> str:
    """Return why a vector cannot be stored; empty if it can. ``dimension`` is 0 for any."""
    if not vector:
        return "its vector is empty"
    if dimension and len(vector) != dimension:
        return f"its vector has {len(vector)} numbers, others have {dimension}"
    return "" if all(map(isfinite, vector)) else "its vector has a number that is not finite"
