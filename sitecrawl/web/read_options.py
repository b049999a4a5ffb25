"""Options of the page reader, as plain values with defaults."""

from __future__ import annotations

from dataclasses import dataclass

# Tags and attributes that contain links; ``link_patterns`` sets the name in ``Link.via``.
LINK_PATTERNS = (
    "a@href",
    "area@href",
    "frame@src",
    "iframe@src",
    "iframe@href",
    "link@href",
    "img@longdesc",
    "frame@longdesc",
    "iframe@longdesc",
    "object@longdesc",
)
PARTS = (
    *("outside_main", "landmarks", "beside_article"),
    *("skip_links", "cookie_banners", "furniture", "comments"),
)
"""Parts of pages that are not their own content."""
REPAIRS = ("quotes", "spaces", "frames")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the page reader. Hashable, so that tables built from them can be cached."""

    agent: str = "sitecrawl"
    link_patterns: tuple[str, ...] = LINK_PATTERNS
    base_element: str = "anywhere"
    longdesc: str = "follow"
    script_output: bool = True
    image_maps: str = "ignore"
    repair_links: tuple[str, ...] = ()
    link_text: bool = False
    image_text: str = "alt"
    content: str = "page"
    article_extractor: str = "trafilatura"
    keep_parts: tuple[str, ...] = ()
    content_selector: str = ""
    remove_selectors: tuple[str, ...] = ()
    remove_elements: tuple[str, ...] = ()
    remove_classes: tuple[str, ...] = ("noindex",)
    noindex_markers: tuple[str, ...] = ()
    outline: bool = False
    xml_fields: bool = False
    assets: bool = False
    fields: tuple[tuple[str, str], ...] = ()
    max_bytes: int = 10_000_000
    max_links: int = 50_000
    max_depth: int = 512  # as Blink

    @property
    def hides_labels(self) -> bool:
        """True if short texts for screen readers only are left out."""
        return self.content != "all" and "furniture" not in self.keep_parts
