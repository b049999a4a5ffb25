"""HTML documents: one parse, one walk, and the assembly of the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from sitecrawl.web.article_text import ArticleLines, article_text
from sitecrawl.web.html.actions import Wrapper, action_tables, enter_named, marked_actions
from sitecrawl.web.html.assets import insecure_assets, read_assets
from sitecrawl.web.html.comments import comment_lines
from sitecrawl.web.html.custom_fields import read_fields
from sitecrawl.web.html.exclusions import close_sections, removed
from sitecrawl.web.html.frames import read_dropped_links
from sitecrawl.web.html.generators import generators
from sitecrawl.web.html.head import Head, body_of, read_head
from sitecrawl.web.html.json_ld import load, read_json_ld
from sitecrawl.web.html.main_content import (
    CONSENT_SELECTOR,
    HIDDEN_SELECTOR,
    ROLE_SELECTOR,
    choose_article,
    choose_content,
    drop_hidden_label,
    has_consent,
    in_region,
    region_wrappers,
)
from sitecrawl.web.html.marked_items import (
    BYLINE_MARKS,
    ITEM_MARKS,
    Marked,
    read_bylines,
    read_items,
)
from sitecrawl.web.html.outgoing import Outgoing
from sitecrawl.web.html.outline import MarkedText
from sitecrawl.web.html.page import Page
from sitecrawl.web.html.page_types import ARTICLE, page_type
from sitecrawl.web.html.part_names import COMMENTS
from sitecrawl.web.html.regions import CONTENT, sums
from sitecrawl.web.html.text import cleaned
from sitecrawl.web.html.text_elements import in_language, useful_start
from sitecrawl.web.html.walk import Walk, first_node
from sitecrawl.web.languages import read_language
from sitecrawl.web.media_type import is_html, is_xml
from sitecrawl.web.urls.url import Base, resolve, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

    from sitecrawl.web.read_options import ReadOptions


# Without events, no copies of selected options are made in their select; parsing is 3 % faster.
AS_WRITTEN = LexborDocumentOptions.WO_EVENTS
# One search for what cookie banners (ookie, onsent) and items (itemprop=, typeof=) have in common:
# 40 µs, because it begins with a single letter. Other patterns take 300 µs.
_MAY_MARK = re.compile(rb"o(?:okie|nsent|[pf]\s*+=)")
# Searches for literals take 10 µs a page, one for a pattern of all spellings 1.5 ms.
_INSECURE = (b'src="http://', b"src='http://", b"src=http://")
# The extractor takes 0.8 s for an element with as many attributes as half a megabyte holds, and
# quadratic time for the options of a form: 0.1 s for 5,000.
MAX_ARTICLE_MARKUP, MAX_ARTICLE_OPTIONS = 500_000, 2_000
LANGUAGES = "[lang]"
XML_LANGUAGES = "[xml\\:lang]"
LANGUAGE_METAS = ("content-language", "language", "dc.language", "dcterms.language", "og:locale")


class Reading(NamedTuple):
    """Rest of the reading of a page: its outgoing references, and a function that fills its text.

    The references hold the tree. It is freed with them before the text is made, which takes as
    much memory in a large page.
    """

    outgoing: Outgoing
    fill_text: Callable[[], None]


NO_READING = Reading(Outgoing(), lambda: None)


def read_html(page: Page, markup: bytes, options: ReadOptions) -> Reading:
    """Fill ``page`` from an HTML document, except for its references and its text."""
    root = LexborHTMLParser(markup, scripting=True, options=AS_WRITTEN).root
    if root is None:
        return NO_READING
    walk = Walk(action_tables(options), enter_named, options)
    walk.host = split(page.url)[1]
    head = read_head(root, walk)
    page.metas = {name: tuple(contents) for name, contents in head.metas.items()}
    body = body_of(root)
    ids = (each.attributes.get("id") or "" for each in (root, body) if each is not None)
    page.generators = generators(head, ids, markup)
    page.language, page.language_source = page_language(root, page)
    walk.language = page.language
    if isinstance(walk.text, MarkedText):
        walk.text.has_pages = not (is_html(page.content_type) or is_xml(page.content_type))
        walk.text.base = Base(resolve(walk.base or "", page.url) or page.url, "utf-8")
    marked = _mark_elements(walk, root, markup)
    walk.read(first_node(root))
    walk.text.close()
    close_sections(walk)
    _fill_json_ld(page, walk)
    page.no_alt = walk.no_alt
    page.embedded_licenses = tuple(walk.licenses)
    if page.url.startswith("https:"):
        shows = any(each in markup for each in _INSECURE)
        page.insecure = tuple(insecure_assets(root if shows else None, head.links))
    if marked.has_items:
        page.json_ld = {**read_items(root), **page.json_ld}
    page.page_type = page_type(page, walk.json_ld)
    page.images = tuple(dict.fromkeys(walk.images))
    page.bylines = read_bylines(marked)
    page.fields = read_fields(root, options.fields) if options.fields else {}
    own = head.metas.get(options.agent.lower(), ())
    robots = [*head.metas.get("robots", ()), *own, *walk.robots]
    leading = read_dropped_links(markup, walk) if "frames" in options.repair_links else walk
    found, leading.found, walk.found = leading.found, [], []
    outgoing = Outgoing(
        walk.base or "",
        head.links,
        found,
        robots,
        head.refresh or walk.refresh,
        banners=leading.banners,
        image_maps=leading.image_maps,
        hrefs=leading.addresses,
        assets=read_assets(root, page.images) if options.assets else (),
    )
    return Reading(outgoing, partial(_fill_text, page, head, walk, markup))


def _fill_json_ld(page: Page, walk: Walk) -> None:
    values = []
    for script in walk.json_ld:
        try:
            values.append(load(script))
        except ValueError:
            page.broken_json_ld += 1
    page.json_ld = read_json_ld(values) if values else {}


def page_language(root: LexborNode, page: Page) -> tuple[str, str]:
    """The language of a page, and the place that declares it.

    The order is: root element, body, metas, HTTP header.
    """
    elements = _languages_of(root) or _languages_of(body_of(root))  # word processors set the body's
    metas = [content for name in LANGUAGE_METAS for content in page.metas.get(name, ())]
    declared = (("html", elements), ("meta", metas), ("header", [page.language]))
    found = ((read_language(tag), place) for place, tags in declared for tag in tags if tag)
    return next((pair for pair in found if pair[0]), ("", ""))


def _languages_of(node: LexborNode | None) -> list[str]:
    """The languages that an element declares."""
    attributes = node.attributes if node is not None else {}
    return [tag for name in ("lang", "xml:lang") if (tag := attributes.get(name))]


def _mark_elements(walk: Walk, root: LexborNode, markup: bytes) -> Marked:
    """Set additional actions on single elements: other languages, regions, removed classes.

    Return the marked items and bylines of the page.
    """
    marked = Marked()
    options = walk.options
    wrappers: dict[int, list[Wrapper]] = {}
    may_mark = _MAY_MARK.search(markup) is not None
    selector = _marking(
        options,
        has_items=may_mark and (b"itemprop" in markup or b"typeof" in markup),
        has_consent=may_mark and has_consent(markup),
    )
    hides = options.hides_labels
    tags: set[int] = set()
    for node in root.css(selector):
        attributes = node.attributes
        marked.add(node, attributes)
        if hides and "class" in attributes:
            drop_hidden_label(node, attributes)
        wraps = _wrappers(node, attributes, root, options)
        if wraps:
            wrappers[node.mem_id] = wraps
            tags.add(node.tag_id)
    for wrapper, own in _own_selectors(options):
        for node in root.css(own):
            wrappers.setdefault(node.mem_id, []).append(wrapper)
            tags.add(node.tag_id)
    if wrappers:
        walk.actions = marked_actions(walk.names, wrappers, tags)
        walk.plain -= tags
        walk.runs = {tag: enter for tag, enter in walk.runs.items() if tag not in tags}
    return marked


@lru_cache(maxsize=64)
def _marking(options: ReadOptions, *, has_items: bool, has_consent: bool) -> str:
    """One selector for all elements that may be marked: a query takes 75 µs a page, a part of it 10.

    A search for a word in the markup takes 30, so only the parts for items and cookie banners depend
    on one.
    """
    names = (name.replace("\\", "\\\\").replace('"', '\\"') for name in options.remove_classes)
    parts = [LANGUAGES, XML_LANGUAGES, *(f'[class~="{name}"]' for name in names), *BYLINE_MARKS]
    parts += ITEM_MARKS if has_items else ()
    if options.content != "all":
        parts.append(ROLE_SELECTOR)
        parts += [CONSENT_SELECTOR] * (has_consent and "cookie_banners" not in options.keep_parts)
    parts += [HIDDEN_SELECTOR] * options.hides_labels
    return ", ".join(parts)


def _own_selectors(options: ReadOptions) -> Iterator[tuple[Wrapper, str]]:
    """The user's selectors, each with its wrapper."""
    for selector in options.remove_selectors:
        yield removed, selector
    if options.content_selector and options.content != "all":
        yield in_region(CONTENT), options.content_selector


def _wrappers(
    node: LexborNode,
    attributes: dict[str, str | None],
    root: LexborNode,
    options: ReadOptions,
) -> list[Wrapper]:
    """The wrappers of an element, its language first; the root's language has been read."""
    own = (attributes.get("class") or "").split()
    wraps: list[Wrapper] = [removed for name in options.remove_classes if name in own]
    if options.content != "all":
        wraps += region_wrappers(node, attributes, options)
    if ("lang" in attributes or "xml:lang" in attributes) and node.mem_id != root.mem_id:
        wraps.insert(0, in_language)
    return wraps


def _leave_out(page: Page, walk: Walk, markup: bytes) -> None:
    """Reduce the walk's text and headings to the page's own content."""
    choice = choose_content(walk, page.title, page.page_type)
    options = walk.options
    if (
        options.content == "page"
        and "beside_article" not in options.keep_parts
        and not options.content_selector
        and len(markup) <= MAX_ARTICLE_MARKUP
        and page.page_type == ARTICLE
        and markup.count(b"<option") <= MAX_ARTICLE_OPTIONS
    ):
        article = article_text(
            markup, page.url, "resiliparse", comments=COMMENTS in options.keep_parts
        )
        if article:
            choice = choose_article(walk, choice, ArticleLines(article).holds, page.title)
    if choice is None:
        return
    kept, page.left_out, comments = choice
    if any(comments):
        page.comments = walk.text.without_foreign_alt(comment_lines(walk, comments))
    numbers = sums(kept)
    walk.text.keep(kept)
    walk.headings = [
        (numbers[start], numbers[end], each) for start, end, each in walk.headings if kept[start]
    ]
    walk.definitions = [(numbers[start], each) for start, each in walk.definitions if kept[start]]


def _fill_text(page: Page, head: Head, walk: Walk, markup: bytes) -> None:
    """Copy the text, headings and other results of the walk to the page."""
    text = walk.text
    title = head.title or next((title for title in walk.titles if title), "")
    page.title = cleaned(title).strip()
    page.h1 = tuple(each.text for _, _, each in walk.headings if each.level == 1)
    _leave_out(page, walk, markup)
    page.text, page.stable_text = text.finished(text.lines)
    page.headings = tuple(heading for _, _, heading in walk.headings)
    page.definitions = tuple(definition for _, definition in walk.definitions)
    start = useful_start(walk)
    if start >= 0:
        before = text.finished(text.lines[:start])[1 if page.stable_text else 0]
        page.heading_at = len(before) + 1 if before else 0
    page.blocks = text.blocks()
    if isinstance(text, MarkedText):
        page.content = text.content()
        page.cuts += ("outline",) if text.is_cut else ()
    page.times = walk.times
    page.cuts += tuple(each for each in walk.cuts if each not in page.cuts)
