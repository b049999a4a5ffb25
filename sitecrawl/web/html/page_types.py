"""Kind of a page by its metadata or address: article, documentation, listing, product or thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


ARTICLE, DOCUMENTATION, LISTING = "article", "documentation", "listing"
PRODUCT, THREAD = "product", "thread"
_MANUALS = (
    *(
        "antora",
        "asciidoctor",
        "bookdown",
        "docbook",
        "doxygen",
        "docusaurus",
        "docutils",
        "gitbook",
    ),
    *("javadoc", "jsdoc", "mdbook", "mintlify", "mkdocs", "pdoc", "readme", "rustdoc", "sphinx"),
    *("starlight", "typedoc", "vitepress", "vuepress", "yard"),
)
_FORUMS = (
    "discourse",
    "flarum",
    "invision",
    "mybb",
    "nodebb",
    "phpbb",
    "smf",
    "vbulletin",
    "xenforo",
)
_SOFTWARE = {**dict.fromkeys(_MANUALS, DOCUMENTATION), **dict.fromkeys(_FORUMS, THREAD)}
_TYPES = (
    (re.compile(r"(?:DiscussionForumPosting|QAPage)$"), THREAD),
    (re.compile(r"(?:CollectionPage|ItemList|SearchResultsPage|OfferCatalog)$"), LISTING),
    (re.compile(r"(?:TechArticle|APIReference)$"), DOCUMENTATION),
)
_OG_PRODUCT = re.compile(r"(?:.*[:_])?(?:product(?:\.item)?|item)$")
_OG_LISTING = re.compile(r"(?:.*[:_])?product\.group$")
_PRODUCT = re.compile(r"(?:Product|ProductGroup|ProductModel|IndividualProduct|Vehicle|Car)$")
_JSON_ARTICLE = re.compile(
    r'"@type"\s*:\s*\[?\s*"(?:(?!Tech)[A-Z][a-z]+)?(?:Article|BlogPosting|Report)"'
)
_OF_ARTICLES = frozenset(
    ["blog", "blogs", "news", "article", "articles", "post", "posts", "story", "stories"]
)
"""Folders of articles."""
_OF_PRODUCTS = frozenset(["dp", "pdp"])  # detail page
MIN_TITLE_WORDS = 3  # of the address of an article; dates and numbers of pages are none
_OFFERS = '"offers"'
_TECHNICAL = '"TechArticle"'


def page_type(page: Page, scripts: Sequence[str]) -> str:
    """The kind of a page, empty if nothing tells it; ``scripts`` are those of JSON-LD."""
    types = page.json_ld.get("@type", ())
    for pattern, kind in _TYPES:
        if any(map(pattern.search, types)):
            return kind
    software = next((_SOFTWARE[name] for name in page.generators if name in _SOFTWARE), "")
    if software:
        return software
    declared = next(iter(page.metas.get("og:type", ())), "").strip().lower()
    if _OG_LISTING.match(declared):
        return LISTING
    if _OG_PRODUCT.match(declared) or _is_offered(types, scripts):
        return PRODUCT
    if _is_article(page, declared, scripts):
        return ARTICLE
    folders = page.url.partition("#")[0].partition("?")[0].split("/")[3:-1]
    return PRODUCT if not _OF_PRODUCTS.isdisjoint(folders) else ""


def _is_offered(types: Sequence[str], scripts: Sequence[str]) -> bool:
    """Return True for a product with an offer; services have products with ratings only."""
    is_product = any(map(_PRODUCT.match, types))
    return is_product and (not scripts or any(_OFFERS in script for script in scripts))


def _is_article(page: Page, declared: str, scripts: Sequence[str]) -> bool:
    """Return True if the metadata or the address says that the page is an article of a newspaper or blog.

    Articles of manuals (TechArticle) do not count: extractors lose a tenth of their text. Nor does
    microdata: a theme of Sphinx marks each page of a manual as an article.
    """
    return (
        declared == "article"
        or "article:published_time" in page.metas
        or any(map(_JSON_ARTICLE.search, scripts))
        or _has_title(page.url)
    ) and not any(_TECHNICAL in script for script in scripts)


def _has_title(url: str) -> bool:
    """Return True for the address of an article in a folder of such: its last part is made of a title."""
    *folders, title = url.partition("#")[0].partition("?")[0].rstrip("/").split("/")
    words = sum(word[:1].isalpha() for word in title.split("-"))
    return words >= MIN_TITLE_WORDS and not _OF_ARTICLES.isdisjoint(folders[3:])
