"""Options of the fields of documents: plain values with their defaults."""

from __future__ import annotations

from dataclasses import dataclass

TITLE_ORDER = ("title", "dcterms.title", "dc.title", "og:title", "json_ld", "heading", "url")
DESCRIPTION_ORDER = ("meta", "dublin_core", "opengraph", "json_ld", "heading", "top")
TITLE_REPAIRS = ("site_name", "capitals")
OUTLINED = ("markdown", "sections")
"""Fields that need more of a page's structure than its text."""
MORE_FIELDS = (*OUTLINED, "metas", "links", "anchors", "elements")


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """Options that shape the fields of a document."""

    title_order: tuple[str, ...] = TITLE_ORDER
    title_length: int = 0
    title_repairs: tuple[str, ...] = TITLE_REPAIRS[:1]
    description_order: tuple[str, ...] = DESCRIPTION_ORDER
    metadata: tuple[tuple[str, str], ...] = ()
    extra_fields: tuple[tuple[str, str], ...] = ()
    more_fields: tuple[str, ...] = ()
    field_map: tuple[tuple[str, str], ...] = ()
    preset: str = "full"
    split: str = "pages"
    section_min: int = 200
    section_max: int = 4_000
    binary_guard: bool = False
    pipeline_version: str = ""
