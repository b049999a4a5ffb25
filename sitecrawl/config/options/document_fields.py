"""Options of the fields of documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationInfo

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import OptionGroup, Pairs, Words, among
from sitecrawl.policy.documents.document_options import (
    DESCRIPTION_ORDER,
    MORE_FIELDS,
    OUTLINED,
    TITLE_ORDER,
    TITLE_REPAIRS,
    DocumentOptions,
)
from sitecrawl.policy.documents.metadata_mapping import mapping_problems
from sitecrawl.policy.documents.text_fields import SOURCES


def check_extra_fields(fields: dict[str, str]) -> dict[str, str]:
    """Check that names and types of the extra fields are valid."""
    if problems := mapping_problems((), fields.items()):
        raise ValueError("; ".join(problems))
    return fields


def check_mapping(metadata: dict[str, str], model: ValidationInfo) -> dict[str, str]:
    """Check that every target field of the mapping is declared."""
    fields = model.data.get("extra_fields")
    if fields is None:  # invalid; reported separately
        return metadata
    if problems := mapping_problems(metadata.items(), fields.items()):
        raise ValueError("; ".join(problems))
    return metadata


class DocumentParams(OptionGroup):
    """Titles, descriptions, metadata: the fields of the documents."""

    title_order: Words = option(
        default=TITLE_ORDER,
        effect=Effect.READING,
        description="Where the title comes from, best first: title, json_ld, heading, url, or the "
        "name of a meta element.",
    )
    title_length: int = option(
        default=0,
        ge=0,
        effect=Effect.READING,
        description="Characters of a title, cut at a word; 0 for no limit.",
    )
    title_repairs: Annotated[Words, among(TITLE_REPAIRS)] = option(
        default=TITLE_REPAIRS[:1],
        effect=Effect.READING,
        description="Repairs of titles: site_name removes the name of the site from the title element "
        "where the page names it, or where what is left stands elsewhere on the page as its title or "
        "heading (it has a field of its own, site_name); capitals writes titles that are all in "
        "capitals in small letters. If empty titles stay as they are written.",
    )
    description_order: Annotated[Words, among(sorted(SOURCES))] = option(
        default=DESCRIPTION_ORDER,
        effect=Effect.READING,
        description="Where the description comes from, best first: meta, dublin_core, opengraph, "
        "json_ld, heading (text from the first heading on), top (of the text), summary "
        "(sentences with the most frequent words).",
    )
    extra_fields: Annotated[Pairs, AfterValidator(check_extra_fields)] = option(
        default={},
        effect=Effect.READING,
        description="The extra fields that metadata may fill, as field:type, the type being "
        "keyword, text, integer, float, boolean or date; names of built-in fields are refused.",
    )
    metadata: Annotated[Pairs, AfterValidator(check_mapping)] = option(
        default={},
        effect=Effect.READING,
        description="Metadata to extra fields, as name:field; json_ld.NAME and field.NAME reach "
        "structured data and own fields. Several names to one field accumulate.",
    )
    more_fields: Annotated[Words, among(MORE_FIELDS)] = option(
        default=(),
        effect=Effect.READING,
        description="Further fields of documents: markdown is the text with headings, lists, tables, "
        "listings, admonitions, images with their ALT and absolute links; sections lists the text "
        "between headings, with the headings above it, an address and an id that stays when other "
        "sections change; metas has all metadata; links lists the links; anchors has the texts of "
        "the links that lead to the page; elements makes fields of the elements of XML documents.",
    )
    field_map: Pairs = option(
        default={},
        effect=Effect.NAMING,
        description="Names of fields in the output, as name:new_name.",
    )
    preset: Literal["full", "elastic", "minimal", "rag"] = option(
        default="full",
        effect=Effect.NAMING,
        description="Shape of the output: full has every field, elastic gives those that "
        "Elastic's Open Crawler writes its types, minimal has the few that a search needs, and "
        "deletions, rag those that retrieval for a language model needs: it adds markdown and "
        "sections. field_map renames what is left.",
    )
    split: Literal["pages", "sections"] = option(
        default="pages",
        effect=Effect.READING,
        description="What a line of the output holds: a page, or a section of one. Of a changed "
        "page only the sections that changed are written again.",
    )
    section_min: int = option(
        default=200,
        ge=0,
        effect=Effect.READING,
        description="Characters of its Markdown below which a section without subsections is merged "
        "with the one above it or the small ones beside it.",
    )
    section_max: int = option(
        default=4_000,
        ge=0,
        effect=Effect.READING,
        description="Characters of its Markdown above which a section is cut between paragraphs, in the "
        "last resort between words; 0 for no limit.",
    )

    binary_guard: bool = option(
        default=False,
        effect=Effect.READING,
        description="Make no document of a text with fewer than 128 characters, or with less than "
        "1 % of white space, as binary content has; scripts without spaces are exempt.",
    )
    pipeline_version: str = option(
        default="",
        effect=Effect.READING,
        description="Any text; another one than in the last run says that a project's own item "
        "pipelines make something else of the same page: all pages are read and written again.",
    )

    def document_options(self) -> DocumentOptions:
        """Return the options for making documents."""
        values = {name: getattr(self, name) for name in DocumentParams.model_fields}
        tables = {n: tuple(v.items()) for n, v in values.items() if isinstance(v, dict)}
        return DocumentOptions(**{**values, **tables})

    @property
    def outline_version(self) -> str:
        """A text that changes with the division and notation of content; empty if neither is used."""
        if not self.needs_outline:
            return ""
        shapes = [name in self.more_fields for name in OUTLINED]
        return f"{shapes} {self.split} {self.section_min} {self.section_max}"

    @property
    def needs_outline(self) -> bool:
        """True if documents contain more of their content's structure than its text."""
        return self.split == "sections" or any(name in self.more_fields for name in OUTLINED)
