"""Main content of a page: choice of its lines among those of the walk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import compress, islice, takewhile
from operator import and_, gt, not_, or_
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.web.html.comments import OF_COMMENTS, take_comments
from sitecrawl.web.html.furniture import (
    ENDS,
    ByKind,
    Furniture,
    Parts,
    copies,
    may_hold_furniture,
    prose,
    repeated,
)
from sitecrawl.web.html.page import LeftOut
from sitecrawl.web.html.page_types import DOCUMENTATION, LISTING, PRODUCT
from sitecrawl.web.html.part_names import COMMENTS, FOOT, PAGE_FOOT, name_of_item, name_of_part
from sitecrawl.web.html.regions import (
    ARTICLE,
    BLOCK,
    CONTENT,
    CONTROL,
    COOKIES,
    ENTRY,
    FORM,
    LANDMARK,
    LIST,
    MAIN,
    NOTE,
    TOLD,
    Region,
    merged,
    sums,
)
from sitecrawl.web.html.text import cleaned
from sitecrawl.web.html.walk import Enter, Leave, Walk, enter_block, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.html.page import Heading
    from sitecrawl.web.read_options import ReadOptions


SKIP_LINKS = "skip_links"
# HTML-AAM 1.0, 3.4: only the header and footer of the page are banner and contentinfo.
LANDMARK_ELEMENTS = ("nav", "aside", "dialog", "search")
PAGE_LANDMARKS = ("header", "footer")
DIVISIONS = ("div", "section")
DATA = ("table", "dl")
ROLES = {
    "main": MAIN,
    **dict.fromkeys(("navigation", "banner", "complementary", "contentinfo"), LANDMARK),
    **dict.fromkeys(("search", "dialog", "alertdialog"), LANDMARK),
    "button": CONTROL,
}
ROLE_SELECTOR = "[role]"
ENTRY_SELECTOR = "input[type=email], input[type=tel], input[type=password], textarea"
# docutils writes footnotes, topics and sidebars as asides; they are part of the text.
_NOTES = frozenset({"footnote", "footnotes", "footnote-list", "topic", "sidebar", "admonition"})
_CONSENT = (
    r"cookie[-_]?s?[-_]?(?:banner|bar|consent|notice|notification|law|popup|modal|overlay|dialog"
    r"|message|warning|disclaimer|hint|alert|layer|info|wrap|text|footer|container|box|settings|choice)"
    r"|(?:consent|gdpr|dsgvo|rgpd)[-_]?(?:banner|bar|popup|modal|overlay|dialog|layer|notice)"
    r"|cookiebot|onetrust|cookiebanner|cmplz|borlabs-?cookie|usercentrics|didomi|cc-window"
    r"|fc-consent-root|sp_message_container|truste_|qc-cmp|cky-consent|iubenda-cs"
)
_CONSENT_WORDS = ("ookie", "onsent")  # without the initial, which may be a capital
_CONSENT_BYTES = tuple(word.encode() for word in _CONSENT_WORDS)
CONSENT_SELECTOR = ", ".join(
    f'[{attribute}*="{word}"]' for word in _CONSENT_WORDS for attribute in ("id", "class")
)
_BLOCKS_OF_CONSENT = frozenset({"div", "section", "aside", "dialog", "form", "p", "ul", "footer"})
_HIDDEN_CLASSES = ("visually-hidden", "visuallyhidden", "sr-only", "screen-reader-text")
HIDDEN_SELECTOR = ", ".join(f'[class*="{word}"]' for word in _HIDDEN_CLASSES)
_NEVER_LABELS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "a", "body"})
_QUOTES = str.maketrans("‘’‚“”„«»", '\'\'\'"""""')
_SKIP = re.compile(
    r"(?:(?:skip|jump|go)\s+(?:directly\s+|straight\s+|ahead\s+|over\s+)?to\s+(?:the\s+)?"
    r"(?:main\s+|page\s+|primary\s+)?(?:content|navigation|menu|search|footer|body|text|article"
    r"|section|sidebar|nav)s?\b|skip\s+(?:navigation|nav|links?|header|menu)\b"
    r"|(?:direkt\s+)?zu[mr]?\s+(?:haupt)?(?:inhalt|navigation|menü|suche)\b|navigation überspringen"
    r"|springe\s+zum\s+inhalt|aller\s+(?:directement\s+)?au\s+(?:contenu|menu)|passer\s+au\s+contenu"
    r"|(?:saltar|ir)\s+al\s+contenido|pular\s+para\s+o\s+conteúdo|ir\s+para\s+o\s+conteúdo"
    r"|vai\s+al\s+contenuto|(?:ga|spring|door)\s+naar\s+(?:de\s+)?(?:hoofd)?inhoud"
    r"|przejdź\s+do\s+treści|hoppa\s+till\s+innehåll|перейти\s+к\s+содержанию)",
    re.IGNORECASE,
)
SKIP_LINES, SKIP_LENGTH = 12, 60  # skip links are short, and among the first lines of a page
AROUND_CHAPTERS = frozenset({"navheader", "navfooter"})  # of DocBook
MIN_CONTENT = 250  # characters from which a main element always counts
MIN_CONTENTS = 3  # links of a table of contents that may be the page
MIN_SHARE = 0.3  # of the prose without landmarks, or of the text, for a main element
MAX_HIDDEN_LABEL, MAX_LABEL_NODES = 80, 64  # characters, nodes
MAX_CONSENT_SHARE = 0.5  # of the text; an element around the whole page is not a banner
AROUND_SHARE = 0.7  # of the lines of an article that the element around it holds
LONG_LINE = 200  # characters of a line that is kept beside an article
FOUND_SHARE = 0.8  # of the long lines that an article extractor holds where it found the text
MAX_TITLE_LINE = 300
SAMPLE = 200  # characters of omitted text


def region_action(kind: str, *, sectioning: bool) -> Enter:
    """An action that records the lines of an element as a region."""

    def enter_region(walk: Walk, node: LexborNode) -> Leave | None:
        return _begin(walk, node, kind, enter_block, sectioning=sectioning)

    return enter_region


def enter_section(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a section, whose header and footer are part of the content."""
    enter_container(walk, node)
    walk.sections += 1
    return leave_section


def leave_section(walk: Walk, node: LexborNode) -> None:
    """End a section."""
    leave_container(walk, node)
    walk.sections -= 1


def enter_page_landmark(walk: Walk, node: LexborNode) -> Leave | None:
    """Record the lines of a header or footer, unless it is within a section or article."""
    if walk.sections:
        is_foot = name_of_part("", node.attributes.get("id") or "") == PAGE_FOOT
        return (enter_container if is_foot else enter_block)(walk, node)
    return _begin(walk, node, LANDMARK, enter_block, sectioning=False)


def enter_aside(walk: Walk, node: LexborNode) -> Leave | None:
    """Record the lines of an aside, unless it is a footnote or topic of the text."""
    names = node.attributes.get("class") or ""
    if walk.sections and not _NOTES.isdisjoint(names.split()):
        return enter_block(walk, node)
    kind = NOTE if walk.sections and not name_of_part(names) else LANDMARK
    return _begin(walk, node, kind, enter_block, sectioning=False)


def enter_form(walk: Walk, node: LexborNode) -> Leave | None:
    """Record the lines of a form, apart if it asks for what only a reader can say of himself."""
    kind = FORM if node.css_first(ENTRY_SELECTOR) is None else ENTRY
    return _begin(walk, node, kind, enter_block, sectioning=False)


def enter_container(walk: Walk, node: LexborNode) -> Leave | None:
    """Record the lines and links of a block."""
    text = walk.text
    if text.pieces or text.muted:
        text.flush()
    attributes = node.attributes
    name = classes = ""
    if attributes:
        classes, identity = attributes.get("class") or "", attributes.get("id") or ""
        if node.tag in DATA:  # its name says what the data are
            name = name_of_part("", f"{classes} {identity}")
        else:
            name = name_of_part(classes, identity)
        if not name and "itemtype" in attributes:
            name = name_of_item(attributes["itemtype"] or "")
    walk.blocks.append((len(text.lines), walk.anchors, name, classes))
    return leave_container


def leave_container(walk: Walk, node: LexborNode) -> None:
    """End a block."""
    text = walk.text
    if text.pieces or text.muted:
        text.flush()
    start, anchors, name, classes = walk.blocks.pop()
    end = len(text.lines)
    if end > start:
        kind = name or (BLOCK if node.tag in DIVISIONS else LIST)
        walk.regions.append(Region(kind, start, end, walk.anchors - anchors, classes))


def in_region(kind: str) -> Callable[[Enter | None], Enter]:
    """A wrapper for the actions of single elements that records their lines."""

    def wrap(inner: Enter | None) -> Enter:
        def enter_marked_region(walk: Walk, node: LexborNode) -> Leave | None:
            return _begin(walk, node, kind, inner, sectioning=kind == MAIN)

        return enter_marked_region

    return wrap


def _begin(
    walk: Walk, node: LexborNode, kind: str, inner: Enter | None, *, sectioning: bool
) -> Leave | None:
    walk.text.flush()
    outer = walk.sections
    leave = inner(walk, node) if inner is not None else None
    if leave is skip:
        return skip
    walk.sections += sectioning
    start, anchors = len(walk.text.lines), walk.anchors

    def leave_region(walk: Walk, node: LexborNode) -> None:
        if leave is not None:
            leave(walk, node)
        walk.text.flush()
        walk.sections = outer
        if len(walk.text.lines) > start:
            links = walk.anchors - anchors
            walk.regions.append(Region(kind, start, len(walk.text.lines), links))

    return leave_region


def has_consent(markup: bytes) -> bool:
    """Return True if a page may have a cookie banner."""
    return any(word in markup for word in _CONSENT_BYTES)


def region_wrappers(
    node: LexborNode, attributes: Mapping[str, str | None], options: ReadOptions
) -> list[Callable[[Enter | None], Enter]]:
    """The wrappers of an element, by its role or as a cookie banner."""
    kind = ROLES.get((attributes.get("role") or "").strip().lower())
    if kind == CONTROL and ("aria-controls" in attributes or _is_in_words(node)):
        return []  # the title of what it opens, or a word
    if kind is not None and (kind == MAIN or "landmarks" not in options.keep_parts):
        return [in_region(kind)]
    if "cookie_banners" not in options.keep_parts and is_consent(node, attributes):
        return [in_region(COOKIES)]
    return []


def _is_in_words(node: LexborNode) -> bool:
    """Return True for an element right before or after words, as within a sentence."""
    return any(
        each is not None and each.is_text_node and (each.text_content or "").strip()
        for each in (node.prev, node.next)
    )


def drop_hidden_label(node: LexborNode, attributes: Mapping[str, str | None]) -> None:
    """Remove a short text for screen readers only, such as "opens in a new window".

    Headings, cells of tables, names of links and longer texts are content although no style sheet
    shows them.
    """
    classes = attributes.get("class") or ""
    parent = node.parent
    if (
        not any(word in classes for word in _HIDDEN_CLASSES)
        or node.tag in _NEVER_LABELS
        or parent is None
        or parent.tag in _NEVER_LABELS
        or len(node.text()) > MAX_HIDDEN_LABEL
    ):
        return
    for inner in list(islice(node.traverse(include_text=True), MAX_LABEL_NODES)):
        if inner.is_text_node:
            inner.decompose()


@cache
def _consent() -> re.Pattern[str]:
    return re.compile(_CONSENT, re.IGNORECASE)


def is_consent(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    """Return True for the element of a cookie banner, recognised by its id or class."""
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    return node.tag in _BLOCKS_OF_CONSENT and _consent().search(names) is not None


Ranked = tuple[int, int, "Heading"]


class Choice(NamedTuple):
    """The lines of the content, and of comments, a byte for each line, and the omitted parts."""

    kept: bytearray
    left_out: tuple[LeftOut, ...]
    comments: bytearray


def choose_content(walk: Walk, title: str, page_type: str) -> Choice | None:
    """Choose the lines of the page's own content; None if all lines belong to it."""
    lines, options = walk.text.lines, walk.options
    if options.content == "all":
        return None
    count = len(lines)
    kept_parts = options.keep_parts
    skips = _skip_links(lines) if "skip_links" not in kept_parts else []
    if not (walk.regions or skips) or not count:
        return None
    by_kind = _by_kind(walk.regions)
    main = _main(by_kind, kept_parts)
    kept = bytearray(b"\1" * count)
    left: list[LeftOut] = []
    for part, regions in (*_landmarks(lines, by_kind, main), (SKIP_LINKS, skips)):
        left += _drop(lines, kept, part, regions)
    comments = take_comments(walk, by_kind, page_type, kept)
    if main and CONTENT not in by_kind and not _is_enough(lines, main, kept):
        main = []
    parts = _furniture(walk, by_kind, main, page_type)
    left += [
        each for part in parts if part[0] in OF_COMMENTS for each in _drop(lines, comments, *part)
    ]
    outside: Parts = [("outside_main", _outside(main, count))] if main else []
    left += [each for part in (*parts, *outside) for each in _drop(lines, kept, *part)]
    if "furniture" not in kept_parts:
        left += _drop_repeated(walk, by_kind, kept, page_type)
    if not any(map(cleaned, compress(lines, kept))):
        return None
    _rescue(walk, kept, title)
    return Choice(kept, tuple(left), comments) if left or any(comments) else None


def _furniture(walk: Walk, by_kind: ByKind, main: Sequence[Region], page_type: str) -> Parts:
    lines, labels, kept = walk.text.lines, walk.text.alt_lines, walk.options.keep_parts
    titles = (lines[start] for start, end, _ in walk.headings if start < end)
    if "furniture" in kept:
        return []
    if not (labels or may_hold_furniture(by_kind, main, page_type, titles)):
        return []
    parts = Furniture(lines, by_kind, main, page_type).parts(_headings(walk), labels)
    return [part for part in parts if part[0] not in kept]


def _drop_repeated(walk: Walk, by_kind: ByKind, kept: bytearray, page_type: str) -> list[LeftOut]:
    """Drop blocks and lines that stand on the page before, by its type."""
    lines = walk.text.lines
    left: list[LeftOut] = []
    if page_type != DOCUMENTATION:
        sections = () if page_type else sorted(start for start, _, _ in walk.headings)
        left += _drop(lines, kept, "repeated", copies(lines, by_kind, kept, sections))
    if page_type in {LISTING, PRODUCT}:
        found = repeated(lines, by_kind, kept, _headings(walk))
        left += _drop(lines, kept, "repeated", found)
    return left


def _headings(walk: Walk) -> list[Region]:
    return [Region("", start, end) for start, end, _ in walk.headings if start < end]


def _by_kind(regions: Iterable[Region]) -> dict[str, list[Region]]:
    found: dict[str, list[Region]] = {}
    for region in regions:
        found.setdefault(region.kind, []).append(region)
    return found


def _landmarks(lines: Sequence[str], by_kind: ByKind, main: Sequence[Region]) -> Parts:
    """The landmarks of a page, unless its content has hardly more text, and its cookie banners.

    A banner has a button or a link; an element about cookies to eat has none.
    """

    def is_page(each: Region) -> bool:
        if each.links < MIN_CONTENTS:
            return False
        whole, size = _length(lines, main), _length(lines, [each])
        return max(whole - size, whole - MIN_CONTENT) < size

    landmarks = merged(
        each
        for each in by_kind.get(LANDMARK, ())
        if not any(_holds(each, part) for part in main)
        and not (any(_holds(part, each) for part in main) and is_page(each))
    )
    banners = [
        each
        for each in by_kind.get(COOKIES, ())
        if each.links or any(_holds(each, control) for control in by_kind.get(CONTROL, ()))
    ]
    return [("landmarks", landmarks), ("cookie_banners", _small(lines, merged(banners)))]


def choose_article(
    walk: Walk, choice: Choice | None, is_own: Callable[[str], bool], title: str
) -> Choice | None:
    """Narrow a choice to the lines of an article, and to long ones.

    ``is_own`` tells the lines that an article extractor finds. What stands beside an article
    (teasers, share bars) consists of short lines. Where the extractor misses long lines, it has not
    found the text, and the choice stays; headings stay, and sentences, captions, lists and tables of its
    article or main element, else of the element around it, and comments that are not taken apart.
    """
    lines = walk.text.lines
    count = len(lines)
    kept, left, comments = choice or Choice(bytearray(b"\1" * count), (), bytearray(count))
    own = bytearray(map(is_own, lines))
    long = bytearray(len(line) >= LONG_LINE for line in lines)
    both = bytes(map(and_, long, kept))
    if _size(lines, bytes(map(and_, own, both))) < FOUND_SHARE * _size(lines, both):
        return choice
    if _size(lines, bytes(map(and_, own, kept))) < MIN_CONTENT:
        return choice
    sizes = sums(len(line) * mine for line, mine in zip(lines, own, strict=True))
    least = AROUND_SHARE * sizes[-1]
    holding = (
        each
        for each in walk.regions
        if each.kind != TOLD and sizes[each.end] - sizes[each.start] >= least
    )
    around = min(holding, key=_count, default=Region("", 0, count))
    elements = (
        each for each in walk.regions if each.kind in {ARTICLE, MAIN} and _holds(each, around)
    )
    whole = min(elements, key=_count, default=around)
    titles = [slice(start, end) for start, end, _ in walk.headings]
    parts = [each for each in titles if each.start < around.end]
    if len(parts) * 2 < len(titles):  # a list of titles
        parts = titles
    parts += [
        slice(each.start, each.end)
        for each in walk.regions
        if (each.kind in {LIST, TOLD} and _holds(whole, each))
        or (each.kind == COMMENTS and any(map(prose, lines[each.start : each.end])))
    ]
    found = bytearray(map(or_, own, long))
    alts = frozenset(walk.text.alt_lines)
    for number in range(whole.start, whole.end):
        found[number] |= lines[number][-1] in ENDS and number not in alts
    for part in parts:
        found[part] = b"\1" * (part.stop - part.start)
    narrowed = bytearray(map(and_, found, kept))
    _rescue(walk, narrowed, title)
    beside = [
        line for line, was, keep in zip(lines, kept, narrowed, strict=True) if was and not keep
    ]
    left = (*left, left_out("beside_article", beside))
    return Choice(narrowed, left, comments) if beside else choice


def _main(by_kind: dict[str, list[Region]], kept_parts: Sequence[str]) -> list[Region]:
    """The selected elements of the content, the main elements, a chapter, or the only outermost article."""
    if CONTENT in by_kind:
        return merged(by_kind[CONTENT])
    if "outside_main" in kept_parts:
        return []
    if MAIN in by_kind:
        return merged(by_kind[MAIN])
    bars = [each for each in by_kind.get(FOOT, ()) if each.classes in AROUND_CHAPTERS]
    if len(bars) > 1:
        return [Region(MAIN, min(bars).end, max(bars).start)]
    articles = merged(by_kind.get(ARTICLE, ()))
    return articles if len(articles) == 1 else []


def _count(each: Region) -> int:
    return each.end - each.start


def _holds(outer: Region, inner: Region) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _outside(regions: Sequence[Region], count: int) -> list[Region]:
    """The lines between disjoint regions."""
    starts = [0, *(each.end for each in regions)]
    ends = [*(each.start for each in regions), count]
    return [Region("", start, end) for start, end in zip(starts, ends, strict=True) if end > start]


def _small(lines: Sequence[str], regions: Sequence[Region]) -> list[Region]:
    """The regions that are not most of the text."""
    limit = sum(map(len, lines)) * MAX_CONSENT_SHARE if regions else 0
    return [each for each in regions if _length(lines, [each]) < limit]


def _length(lines: Sequence[str], regions: Iterable[Region]) -> int:
    return sum(len(line) for each in regions for line in lines[each.start : each.end])


def _size(lines: Sequence[str], kept: bytes | bytearray) -> int:
    return sum(map(len, compress(lines, kept)))


def _is_enough(lines: Sequence[str], main: Sequence[Region], kept: bytearray) -> bool:
    """Return True if a main element holds the text: on some pages it is empty, or one part of many."""
    inside = bytearray(len(lines))
    for each in main:
        inside[each.start : each.end] = kept[each.start : each.end]
    size = _size(lines, inside)
    if size < MIN_CONTENT and size <= MIN_SHARE * _size(lines, kept):
        return False
    apart = sum(map(prose, compress(lines, map(gt, kept, inside))))  # few lines: most are inside
    if apart < MIN_CONTENT:
        return True
    told = sum(map(prose, compress(lines, inside)))
    return told >= MIN_SHARE * (apart + told)


def _drop(
    lines: Sequence[str], kept: bytearray, part: str, regions: Iterable[Region]
) -> list[LeftOut]:
    """Drop the lines of disjoint regions, and return a summary of them."""
    dropped: list[str] = []
    for region in regions:
        span = slice(region.start, region.end)
        dropped += compress(lines[span], kept[span])
        kept[span] = bytes(region.end - region.start)
    return [left_out(part, dropped)] if dropped else []


def left_out(part: str, dropped: Sequence[str]) -> LeftOut:
    """Summary of omitted lines."""
    sample = " | ".join(line[:SAMPLE] for line in dropped[:SKIP_LINES])
    return LeftOut(part, len(dropped), sum(map(len, dropped)), sample[:SAMPLE])


def _skip_links(lines: Sequence[str]) -> list[Region]:
    return [
        Region("", number, number + 1)
        for number, line in enumerate(lines[:SKIP_LINES])
        if len(line) <= SKIP_LENGTH and _SKIP.match(line)
    ]


def _rescue(walk: Walk, kept: bytearray, title: str) -> None:
    """Keep a heading of level 1 with its standfirst, and the line that the page's title contains.

    Below the site's name, with which titles end, stands its motto.
    """
    lines = walk.text.lines
    first = kept.find(1)
    folded = _plain(title)
    ranked = [each for each in walk.headings if each[2].level == 1]
    if ranked and not any(kept[start] for start, _, _ in ranked):
        start, end, heading = _best(ranked, title, first)
        name = _plain(heading.text)
        if folded == name or not folded.endswith(name):
            end += len(list(takewhile(prose, lines[end:first])))
        kept[start:end] = b"\1" * (end - start)
    longest, shortest = min(MAX_TITLE_LINE, len(title) * 3), max(3, len(title) // 2)
    dropped = compress(range(len(lines)), map(not_, kept))
    named = [
        (len(lines[number]), -number)
        for number in dropped
        if shortest <= len(lines[number]) <= longest and _names(lines[number], folded)
    ]
    if named:
        number = max(named)[1]
        line = _plain(lines[-number])
        if not any(line in _plain(each) for each in compress(lines, kept)):
            kept[-number] = 1


def _names(line: str, title: str) -> bool:
    """Return True if a line is more than half of a title; less is usually the site's name."""
    return len(line) * 2 > len(title) and len(line) > 3 and _plain(line) in title


def _plain(text: str) -> str:
    """A text in the form for comparison with a title: case-folded, with plain quotation marks."""
    return text.casefold() if text.isascii() else text.casefold().translate(_QUOTES)


def _best(ranked: Sequence[Ranked], title: str, first: int) -> Ranked:
    """The heading in the title, else the last one before the content, else the first."""
    folded = title.casefold()
    named = [each for each in ranked if each[2].text.casefold() in folded]
    if named:
        return max(named, key=lambda each: len(each[2].text))
    return next((each for each in reversed(ranked) if each[0] < first), ranked[0])
