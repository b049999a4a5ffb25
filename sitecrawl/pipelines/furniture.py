"""Remove from a page the lines that the pages of its template share."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from sitecrawl.crawl.visit import Stripping
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.furniture import (
    STRIPPED_TYPES,
    encoded_lines,
    is_gone,
    names_of,
    own_headings,
    page_keys,
)
from sitecrawl.policy.documents.sections import kept_blocks
from sitecrawl.policy.documents.site_names import edge_mark, title_edges
from sitecrawl.web.html.main_content import left_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from sitecrawl.items import Document
    from sitecrawl.policy.documents.furniture import OriginFurniture
    from sitecrawl.web.html.page import Page


class FurniturePipeline(DocumentPipeline):
    """Strip pages of the lines that their templates share, as far as the crawl knows them."""

    def __init__(
        self, known: Callable[[str], OriginFurniture], *, strips: bool, names_site: bool
    ) -> None:
        self._known = known
        self._strips = strips
        self._names_site = names_site

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FurniturePipeline:
        """Ask the frontier for the known furniture of the origin."""
        spider: Any = crawler.spider
        params = spider.configuration.params
        frontier = crawl_of(crawler).owner.frontier
        strips = params.remove_templates and params.content != "all"
        names_site = params.site_name_in_title == "remove"
        return cls(frontier.furniture, strips=strips, names_site=names_site)

    def process_document(self, document: Document) -> None:
        """Strip the page; keep the keys of its lines if it belongs to a sample."""
        page, visit = document.page, document.visit
        lines, version = None, 0

        def page_headings() -> frozenset[str]:
            return own_headings((each.text for each in page.headings), page.title)

        if self._strips and page.text and page.content_type in STRIPPED_TYPES:
            text = encoded_lines(page.text)
            known, names = self._known(visit.due.origin), names_of(visit.due.url)
            if known.samples(visit.due.fingerprint, names):
                edges = title_edges(page.title) if self._names_site else ()
                lines = page_keys(text, map(edge_mark, edges))
            if known.version:
                version = known.version
                if self._names_site:
                    page.site_names = known.shared_edges(page.title)
                kept = known.kept(text, names, page_headings)
                if kept is not None:
                    page.whole_text = page.stable_text or page.text
                    strip(page, kept)
                    if page.stable_text:
                        stable = page.stable_text.split("\n")
                        rest = known.kept(encoded_lines(page.stable_text), names, page_headings)
                        page.stable_text = "\n".join(compress(stable, rest) if rest else stable)
        visit.stripped(Stripping(lines, version, "\n".join(map(str, page.left_out))))


def strip(page: Page, kept: bytearray) -> None:
    """Remove lines from a page's text, and adjust what refers to them elsewhere."""
    lines = page.text.split("\n")
    gone = [line for line, keep in zip(lines, kept, strict=True) if not keep]
    if page.heading_at >= 0:
        before = page.text.count("\n", 0, page.heading_at)
        removed = (
            len(line) + 1 for line, keep in zip(lines[:before], kept, strict=False) if not keep
        )
        page.heading_at -= sum(removed)
    page.text = "\n".join(compress(lines, kept))
    texts = frozenset(gone)
    page.headings = tuple(each for each in page.headings if not is_gone(each._asdict(), texts))
    if len(page.pieces) == len(kept):
        page.pieces = tuple(compress(page.pieces, kept))
    page.content = kept_blocks(page.content, lines, kept)
    page.left_out += (left_out("templates", gone),)
