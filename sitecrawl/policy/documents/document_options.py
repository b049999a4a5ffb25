"""Options of the fields of documents: plain values with their defaults."""

from __future__ import annotations

from dataclasses import dataclass

TITLE_ORDER = ("title", "dcterms.title", "dc.title", "og:title", "json_ld", "heading", "url")
DESCRIPTION_ORDER = ("meta", "dublin_core", "opengraph", "json_ld", "heading", "top")


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """Options that shape the fields of a document."""

    title_order: tuple[str, ...] = TITLE_ORDER
    title_length: int = 0
    site_name_in_title: str = "remove"
    recase_titles: bool = False
    description_order: tuple[str, ...] = DESCRIPTION_ORDER
    metadata: tuple[tuple[str, str], ...] = ()
    extra_fields: tuple[tuple[str, str], ...] = ()
    keep_metas: bool = False
    output_links: bool = False
    field_map: tuple[tuple[str, str], ...] = ()
    preset: str = "full"
    markdown: bool = False
    sections: bool = False
    split: str = "pages"
    section_min: int = 200
    section_max: int = 4_000
    section_unit: str = "characters"
    binary_guard: bool = False
    pipeline_version: str = ""
