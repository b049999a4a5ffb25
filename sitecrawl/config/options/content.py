"""Options of reading pages, and of the fields of documents."""

from __future__ import annotations

from typing import Annotated, Literal

from parsel import Selector
from pydantic import AfterValidator, ValidationInfo

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import (
    Duration,
    Lines,
    OptionGroup,
    Pairs,
    Selectors,
    Words,
    among,
    each,
    matching,
)
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
from sitecrawl.policy.outcomes import PLACEHOLDER_KINDS, Outcome
from sitecrawl.web.html.custom_fields import check_selector, is_xpath
from sitecrawl.web.html.main_content import PAGE_LANDMARKS
from sitecrawl.web.read_options import LINK_PATTERNS, PARTS, REPAIRS, ReadOptions

LINK_PATTERN = matching("[^@]+@.+", "{!r} is not of the form tag@attribute")
MARKER = matching(r"\s*[^|\s][^|]*\|\s*\S.*", "{!r} is not of the form opening|closing")


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

    title_order: Words = option(TITLE_ORDER, Effect.READING)
    """Where the title comes from, best first: title, json_ld, heading, url, or the name of a meta
    element."""
    title_length: int = option(0, Effect.READING, ge=0)
    """Characters of a title, cut at a word; 0 for no limit."""
    title_repairs: Annotated[Words, among(TITLE_REPAIRS)] = option(
        TITLE_REPAIRS[:1], Effect.READING
    )
    """Repairs of titles: site_name removes the name of the site from the title element where the
    page names it, or where what is left stands elsewhere on the page as its title or heading (it
    has a field of its own, site_name); capitals writes titles that are all in capitals in small
    letters. If empty titles stay as they are written."""
    description_order: Annotated[Words, among(sorted(SOURCES))] = option(
        DESCRIPTION_ORDER, Effect.READING
    )
    """Where the description comes from, best first: meta, dublin_core, opengraph, json_ld, heading
    (text from the first heading on), top (of the text), summary (sentences with the most frequent
    words)."""
    extra_fields: Annotated[Pairs, AfterValidator(check_extra_fields)] = option({}, Effect.READING)
    """The extra fields that metadata may fill, as field:type, the type being keyword, text,
    integer, float, boolean or date; names of built-in fields are refused."""
    metadata: Annotated[Pairs, AfterValidator(check_mapping)] = option({}, Effect.READING)
    """Metadata to extra fields, as name:field; json_ld.NAME and field.NAME reach structured data
    and own fields. Several names to one field accumulate."""
    more_fields: Annotated[Words, among(MORE_FIELDS)] = option((), Effect.READING)
    """Further fields of documents: markdown is the text with headings, lists, tables, listings,
    admonitions, images with their ALT and absolute links; sections lists the text between headings,
    with the headings above it, an address and an id that stays when other sections change; metas
    has all metadata; links lists the links; anchors has the texts of the links that lead to the
    page; elements makes fields of the elements of XML documents."""
    field_map: Pairs = option({}, Effect.NAMING)
    """Names of fields in the output, as name:new_name."""
    preset: Literal["full", "elastic", "minimal", "rag"] = option("full", Effect.NAMING)
    """Shape of the output: full has every field, elastic gives those that Elastic's Open Crawler
    writes its types, minimal has the few that a search needs, and deletions, rag those that
    retrieval for a language model needs: it adds markdown and sections. field_map renames what is
    left."""
    split: Literal["pages", "sections"] = option("pages", Effect.READING)
    """Unit of the lines of the output: a page, or a section of one. Of a changed page only the
    sections that changed are written again."""
    section_min: int = option(200, Effect.READING, ge=0)
    """Characters of its Markdown below which a section without subsections is merged with the one
    above it or the small ones beside it."""
    section_max: int = option(4_000, Effect.READING, ge=0)
    """Characters of its Markdown above which a section is cut between paragraphs, in the last
    resort between words; 0 for no limit."""

    binary_guard: bool = option(False, Effect.READING)
    """Make no document of a text with fewer than 128 characters, or with less than 1 % of white
    space, as binary content has; scripts without spaces are exempt."""
    pipeline_version: str = option("", Effect.READING)
    """Any text; another one than in the last run says that a project's own item pipelines make
    something else of the same page: all pages are read and written again."""

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


def check_css(selector: str) -> str:
    """Check that a selector is valid or empty."""
    if selector and not check_selector(selector):
        raise ValueError(f"{selector!r} is no CSS selector")
    return selector


def check_selectors(fields: dict[str, str]) -> dict[str, str]:
    """Check that every field has a valid selector."""
    for name, selector in fields.items():
        by_path = is_xpath(selector)
        if not (check_xpath(selector) if by_path else check_selector(selector)):
            kind = "XPath expression" if by_path else "CSS selector"
            raise ValueError(f"{selector!r} of the field {name!r} is no {kind}")
    return fields


def check_xpath(expression: str) -> bool:
    """Return True if an XPath expression can be evaluated."""
    try:
        Selector(text="<p>", type="html").xpath(expression)
    except ValueError:
        return False
    return True


class ContentParams(DocumentParams):
    """Links, text and metadata: what is read on a page, how, and what documents it makes."""

    link_patterns: Annotated[Words, each(LINK_PATTERN)] = option(LINK_PATTERNS, Effect.READING)
    """The attributes that hold links, as tag@attribute; +tag@attribute adds to the table, such as
    +object@data for the documents of objects."""
    base_element: Literal["anywhere", "head"] = option("anywhere", Effect.READING)
    """Where a base element counts of which relative links start: anywhere, as browsers have it, or
    in the head alone. The first one with an address is the page's."""
    longdesc: Literal["follow", "ignore"] = option("follow", Effect.READING)
    """The page that describes an image at length: follow makes it a document, ignore leaves it."""
    script_output: bool = option(True, Effect.READING)
    """Read the text and follow the links that scripts write with document.write, and follow the
    options of menus whose change handler navigates. Scripts are never run."""
    image_maps: Literal["ignore", "sample", "mapfile"] = option("ignore", Effect.READING)
    """Server-side image maps: ignore them, sample asks for some of their points whatever query
    says, mapfile fetches the map file and reads its targets."""
    repair_links: Annotated[Words, among(REPAIRS)] = option((), Effect.READING)
    """Repairs of links that browsers do not make: quotes removes every quotation mark, not only
    those that wrap or break a link; spaces removes white space as an editor's line break; frames
    reads frames outside a frameset, and links beside one."""
    image_text: Literal["none", "alt", "title"] = option("alt", Effect.READING)
    """Text of images: alt is their ALT, title is their TITLE, too."""
    content: Literal["page", "article", "all"] = option("page", Effect.READING)
    """The text that documents have: page is the page's own content, without navigation and what
    else keep_parts names; article is what article_extractor takes for the article, for news and
    blogs; all is everything but header and footer elements."""
    article_extractor: Literal["trafilatura", "resiliparse"] = option("trafilatura", Effect.READING)
    """The extractor of content=article: trafilatura is precise and takes 20 ms a page (extra
    `extract`), resiliparse keeps more beside the article and takes 2 ms."""
    keep: Literal["", "html"] = option("", Effect.READING)
    """html keeps each page itself beside its document, as it was last read, in the crawl database:
    `scrapy export --format html` writes it."""
    keep_parts: Annotated[Words, among(PARTS)] = option((), Effect.READING)
    """Parts of pages that stay in the text though they are not their own content: outside_main,
    landmarks, beside_article, skip_links, cookie_banners, furniture; comments, those of readers,
    otherwise have a field of their own."""
    content_selector: Annotated[str, AfterValidator(check_css)] = option("", Effect.READING)
    """CSS selector of the elements that hold the content; a page without any is read as others
    are."""
    remove_selectors: Annotated[Lines, each(check_css)] = option((), Effect.READING)
    """CSS selectors of elements whose text is left out; their links are still found."""
    remove_elements: Words | None = option(None, Effect.READING)
    """Elements whose text is left out wherever they stand; their links are still found. Without it
    none, or with content=all header and footer."""
    remove_classes: Words = option(("noindex",), Effect.READING)
    """Classes of elements whose text is left out; their links are still found."""
    noindex_markers: Annotated[Lines, each(MARKER)] = option((), Effect.READING)
    """Further comments between which text is left out, as opening|closing, beside noindex, robots,
    googleoff, htdig_noindex and the like."""
    fields: Annotated[Selectors, AfterValidator(check_selectors)] = option({}, Effect.READING)
    """Own fields by CSS selector, as name:selector; selector@attribute takes an attribute in place
    of the text. A selector that begins with / or ( is XPath, for which each page is parsed a second
    time; write those in a TOML file."""
    placeholder_pages: Annotated[Words, among(PLACEHOLDER_KINDS)] = option(
        tuple(PLACEHOLDER_KINDS), Effect.READING
    )
    """Kinds of pages that make no document because they have neither a text nor links of the site:
    soft_404, login_wall, consent_wall, script_shell, parked, error_page; empty keeps all. For
    soft_404 an origin with a page that looks like one is asked once for a URL that does not
    exist."""
    refresh_delay: Duration = option(10.0, Effect.READING)
    """Time below which a refresh to another page is a redirect, its page being no document; 0 makes
    none a redirect."""
    refresh_min_text: int = option(0, Effect.READING, ge=0)
    """Characters of text from which a refreshing page is a document nevertheless; 0 for however
    many."""

    def read_options(self, agent: str = ReadOptions().agent) -> ReadOptions:
        """Return the options for reading pages, with the robots directives of ``agent``."""
        same = {name: getattr(self, name) for name in _SAME}
        if self.remove_elements is None:
            same["remove_elements"] = PAGE_LANDMARKS if self.content == "all" else ()
        fields = tuple(each for each in self.fields.items() if not is_xpath(each[1]))
        return ReadOptions(
            agent=agent,
            link_text="anchors" in self.more_fields,
            xml_fields="elements" in self.more_fields,
            fields=fields,
            outline=self.needs_outline,
            **same,
        )

    @property
    def placeholder_outcomes(self) -> frozenset[Outcome]:
        """The outcomes of pages that are recognised as placeholders."""
        return frozenset(PLACEHOLDER_KINDS[kind] for kind in self.placeholder_pages)

    @property
    def xpath_fields(self) -> tuple[tuple[str, str], ...]:
        """The custom fields that are found by XPath."""
        return tuple(each for each in self.fields.items() if is_xpath(each[1]))


_SAME = (ReadOptions.__dataclass_fields__.keys() & ContentParams.model_fields.keys()) - {"fields"}
"""Options that ReadOptions has under the same name."""
