"""Furniture of a page: parts that are not its content, by structure, name and page type."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import gt

from sitecrawl.web.html import page_types
from sitecrawl.web.html.part_names import (
    APART,
    AUTHOR,
    CAROUSEL,
    COMMENTS,
    ELSEWHERE,
    FOOT,
    FOOT_OF_PAGE,
    LEADING,
    NAMED,
    NAMED_KINDS,
    PAGE_FOOT,
    POSTER,
    TOOLS,
)
from sitecrawl.web.html.regions import (
    BLOCK,
    CONTROL,
    ENTRY,
    FORM,
    LABEL,
    LIST,
    MENU,
    NOTE,
    TOLD,
    Region,
    covered,
    merged,
    sums,
)

ByKind = Mapping[str, Sequence[Region]]
Parts = list[tuple[str, list[Region]]]
PROSE_LINE = 80  # characters of a line that is no label; a shorter sentence ends with a full stop
ENDS = frozenset(".!?…。！？।؟")
MIN_TEXT = 250  # characters of prose of a page whose text has a place
MIN_LINK_SHARE = 0.6  # links for each line of a list of links
MAX_LINK_TEXT = 40  # characters for each of its links
HOLDING_SHARE = 0.7  # of the prose that the element around the text holds
MANUAL_SHARE = 0.8  # the same in a manual
MAX_CONTROL = 40  # characters of the text of a button
MAX_BAR = 2  # lines
MAX_NAMED_SHARE = 0.25  # of the prose, in an element beside the text with a name, or a form
MAX_SHARE = 0.5  # of the text, of a part that is furniture
MIN_POSTS = 3  # elements of one class, each beside a post
MAX_BESIDE = 3  # times the text, in lists and furniture beside it
MIN_COPY_LINES, MIN_COPY = 2, 60  # lines, and characters of prose, of a block that comes again
MAX_TEASER = 300  # characters for each link of a box below a heading such as "Related"
MAX_GOODS = 100  # characters for each link of a carousel of goods, whose names may be sentences
MIN_LABELS = 3  # images with a label as their ALT, as in galleries and lists
# Parts that are not the content of a page of a type: those that may have sentences, and those that
# are furniture only without any.
WITH_SENTENCES: Mapping[str, tuple[str, ...]] = {
    page_types.THREAD: (APART, POSTER),
    page_types.ARTICLE: (APART, AUTHOR),
    page_types.DOCUMENTATION: (),
}
WITHOUT_SENTENCES: Mapping[str, tuple[str, ...]] = {
    page_types.PRODUCT: (CAROUSEL, TOOLS),
    page_types.DOCUMENTATION: (APART, TOOLS),
}
WRITTEN = frozenset({page_types.ARTICLE, page_types.THREAD})
_AROUND_TEXT = frozenset({NAMED, APART, FOOT, PAGE_FOOT})
_KINDS = frozenset({*NAMED_KINDS, NOTE, FORM, ENTRY, CONTROL, LABEL, MENU})


def may_hold_furniture(
    by_kind: ByKind, main: Sequence[Region], page_type: str, headings: Iterable[str]
) -> bool:
    """Return False for a page with a main element in which nothing can be furniture."""
    return (
        not main
        or page_type not in {"", page_types.DOCUMENTATION}
        or bool(by_kind.keys() & _KINDS)
        or any(map(ELSEWHERE.match, headings))
    )


def prose(line: str) -> int:
    """The characters of a line of prose, which is long, or ends as a sentence does; else 0."""
    return len(line) if len(line) >= PROSE_LINE or line[-1] in ENDS else 0


class Furniture:
    """The furniture of one page; ``main`` are the regions of its main element, if any."""

    def __init__(
        self, lines: Sequence[str], by_kind: ByKind, main: Sequence[Region], page_type: str
    ) -> None:
        self._lines = lines
        self._by_kind = by_kind
        self._main = main
        self._type = page_type
        self._sizes = sums(map(len, lines))
        self._prose = sums(map(prose, lines))
        self._blocks = [  # but for an entry of that name
            each
            for kind in (*NAMED_KINDS, BLOCK, LIST)
            for each in by_kind.get(kind, ())
            if kind != PAGE_FOOT or not FOOT_OF_PAGE.fullmatch(lines[each.start])
        ]
        self._core = self._holding()
        self._text = main or self._core

    def parts(self, headings: Sequence[Region], labels: Sequence[int]) -> Parts:
        """The parts to leave out; ``labels`` are the lines that consist of ALT alone."""
        forms = [each for each in self._of(FORM) if not self._prose_size(each)]
        most = self._prose[-1] * MAX_NAMED_SHARE
        forms += [each for each in self._of(ENTRY) if self._prose_size(each) <= most]
        menus = self._small(self._of(MENU))
        found: Parts = [
            ("furniture", self._small([*self._listed(), *self._beside()])),
            ("elsewhere", self._elsewhere(headings)),
            ("forms", self._small(forms)),
            ("controls", merged([*self._controls(headings), *menus])),
            ("image_labels", [*self._image_labels(labels), *self._drawn()]),
        ]
        found += [(APART, self._minor(self._page_foot(headings))), *self._of_type()]
        if self._type == page_types.THREAD:
            found.append((POSTER, self._of_posts()))
        return found

    def _of(self, kind: str) -> Sequence[Region]:
        return self._by_kind.get(kind, ())

    def _size(self, each: Region) -> int:
        return self._sizes[each.end] - self._sizes[each.start]

    def _prose_size(self, each: Region) -> int:
        """The characters of prose in a region."""
        return self._prose[each.end] - self._prose[each.start]

    def _is_list(self, each: Region) -> bool:
        """Return True for a list of links without sentences."""
        return (
            each.links > 1
            and each.links >= (each.end - each.start) * MIN_LINK_SHARE
            and self._is_dense(each)
            and not self._has_sentences(each)
        )

    def _has_sentences(self, each: Region) -> bool:
        """Return True for prose; a bar, whose links stand in one line, may be as long."""
        if each.end - each.start <= MAX_BAR:
            return any(line[-1] in ENDS for line in self._lines[each.start : each.end])
        return self._prose_size(each) > 0

    def _is_dense(self, each: Region) -> bool:
        """Return True if hardly more than the links stands in a region."""
        return self._size(each) <= each.links * MAX_LINK_TEXT

    def _small(self, regions: Sequence[Region]) -> list[Region]:
        """The outermost regions that are not most of the page."""
        limit = self._sizes[-1] * MAX_SHARE
        return merged(each for each in regions if self._size(each) < limit)

    def _holding(self) -> list[Region]:
        """The smallest block that holds most prose of a page, if there is enough.

        Within a main element only on pages of a known kind: a manual's lists are a part of it.
        """
        is_manual = self._type == page_types.DOCUMENTATION
        wanted = self._prose[-1] * (MANUAL_SHARE if is_manual else HOLDING_SHARE)
        if self._prose[-1] < MIN_TEXT or (self._main and (is_manual or not self._type)):
            return []
        holding = (each for each in self._blocks if self._prose_size(each) >= wanted)
        smallest = min(holding, key=lambda each: each.end - each.start, default=None)
        return [smallest] if smallest is not None else []

    def _listed(self) -> Iterator[Region]:
        """Lists of links with a name of furniture, or in an aside or nav."""
        most = (sum(map(self._size, self._text)) or self._sizes[-1]) - MIN_TEXT
        for each in (each for kind in (*NAMED_KINDS, NOTE) for each in self._of(kind)):
            if self._is_list(each) and self._size(each) <= most:
                yield each

    def _beside(self) -> list[Region]:
        """Beside the text, every list of links, and every element with a name of furniture.

        Below an article, boxes that announce other pages too. Where far more stands beside it, it is
        not the text: a paragraph below a list of goods is none.
        """
        if not self._core:
            return []
        text, most = self._core[0], self._prose[-1] * MAX_NAMED_SHARE
        found: list[Region] = []
        teasers: list[Region] = []
        for each in self._blocks:
            if each.end > text.start and each.start < text.end:
                continue
            is_below = self._type == page_types.ARTICLE and each.start >= text.end
            is_named = each.kind in _AROUND_TEXT and self._prose_size(each) < most
            if is_named or self._is_list(each):
                found.append(each)
            elif is_below and self._is_teaser(each) and self._prose_size(each) < most:
                teasers.append(each)
        teasers = merged(teasers)
        if sum(map(self._size, teasers)) <= MAX_SHARE * self._size(text):
            found += teasers
        found = self._small(found)
        is_text = sum(map(self._size, found)) <= MAX_BESIDE * self._size(text)
        return found if is_text else []

    def _is_teaser(self, each: Region) -> bool:
        """Return True for a box of links with little text for each, unless it is one of comments."""
        return (
            each.links > 1
            and self._size(each) <= each.links * MAX_TEASER
            and not self._is_in_comments(each)
        )

    def _is_in_comments(self, each: Region) -> bool:
        return any(
            each.start < other.end and other.start < each.end for other in self._of(COMMENTS)
        )

    def _elsewhere(self, headings: Sequence[Region]) -> list[Region]:
        """Boxes of links to other pages, each with the heading that says so.

        Not in manuals, where what is related is part of the subject.
        """
        if self._type == page_types.DOCUMENTATION:
            return []
        starts = {each.start for each in headings if ELSEWHERE.match(self._lines[each.start])}
        if not starts:
            return []
        return self._minor(
            each
            for each in self._blocks
            if each.start in starts and self._size(each) <= each.links * MAX_TEASER
        )

    def _minor(self, regions: Iterable[Region]) -> list[Region]:
        """The outermost regions with less than half of the text."""
        text = sum(map(self._size, self._text)) if self._text else self._sizes[-1]
        return merged(each for each in regions if self._size(each) < text * MAX_SHARE)

    def _controls(self, headings: Sequence[Region]) -> Iterator[Region]:
        """Buttons, unless they are headings, or ask a question, as those that open an answer do."""
        controls = self._of(CONTROL)
        titles = {each.start: each.end for each in headings} if controls else {}
        for each in controls:
            asks = self._lines[each.end - 1].endswith("?")
            is_title = each.start in titles and titles[each.start] <= each.end
            if self._size(each) <= MAX_CONTROL and not asks and not is_title:
                yield each

    def _image_labels(self, labels: Sequence[int]) -> list[Region]:
        """Lines of ALT that are labels; names of goods may be as long as sentences."""
        if self._type == page_types.DOCUMENTATION:
            return []
        lines, is_written = self._lines, self._type in WRITTEN
        found = [
            number
            for number in labels
            if not (prose(lines[number]) if is_written else lines[number][-1] in ENDS)
        ]
        if len(found) < MIN_LABELS:
            return []
        return [Region("", number, number + 1) for number in found]

    def _drawn(self) -> list[Region]:
        """Words of drawings that are no sentence, unless the page is hardly more."""
        found = [each for each in self._of(LABEL) if not self._prose_size(each)]
        return found if sum(map(self._size, found)) <= MAX_SHARE * self._sizes[-1] else []

    def _of_type(self) -> Iterator[tuple[str, list[Region]]]:
        """Named parts that are not the content of a page of this type."""
        most = self._prose[-1] * MAX_NAMED_SHARE
        yield APART, self._minor(self._feet())
        for kind in WITH_SENTENCES.get(self._type, (APART,)):
            named = (
                each
                for each in self._of(kind)
                if self._prose_size(each) <= most or self._is_dense(each)
                if kind != AUTHOR or self._is_about_author(each)
                if kind != APART or not (self._is_text(each) or self._is_note(each))
            )
            yield kind, self._minor(named)
        for kind in WITHOUT_SENTENCES.get(self._type, (TOOLS,)):
            named = (
                each
                for each in self._of(kind)
                if not self._prose_size(each)
                or (kind == CAROUSEL and self._size(each) <= each.links * MAX_GOODS)
            )
            yield kind, self._minor(named)

    def _is_text(self, each: Region) -> bool:
        """Return True for a text with a name of what leads to other pages, but few links."""
        has_few_links = self._size(each) > (each.links + 1) * MAX_TEASER
        return has_few_links and LEADING.search(each.classes) is not None

    def _page_foot(self, headings: Sequence[Region]) -> Iterator[Region]:
        """The foot of the page by its id, below all other sentences; an entry's id is its title."""
        feet = self._of(PAGE_FOOT)
        if not feet:  # true for most pages
            return
        starts = {each.start for each in headings}
        alike = Counter(each.classes for each in self._blocks)
        for each in feet:
            is_last = self._prose[each.start] > 0 and self._prose[each.end] == self._prose[-1]
            is_entry = each.start in starts or (each.classes and alike[each.classes] > 1)
            if is_last and not is_entry:
                yield each

    def _feet(self) -> Iterator[Region]:
        """Feet of the page; several with sentences in one class are those of cards."""
        feet = Counter(each.classes for each in self._of(FOOT))
        for each in self._of(FOOT):
            if not self._prose_size(each) or (feet[each.classes] == 1 and not self._is_note(each)):
                yield each

    def _is_note(self, each: Region) -> bool:
        """Return True for sentences without a link within the text."""
        return (
            not each.links
            and self._prose_size(each) >= PROSE_LINE
            and any(text.start <= each.start and each.end <= text.end for text in self._text)
        )

    def _is_about_author(self, each: Region) -> bool:
        """Return True for sentences in the second half of a page, not in comments."""
        return (
            self._prose_size(each) >= PROSE_LINE
            and self._prose[each.start] >= MAX_SHARE * self._prose[-1]
            and not self._is_in_comments(each)
        )

    def _of_posts(self) -> list[Region]:
        """Elements of one class beside the posts of a thread, with links, none with a sentence or code.

        Only groups of at most twice as many elements as have sentences in another class.
        """
        groups: dict[str, list[Region]] = {}
        for each in self._blocks:
            if each.classes:
                groups.setdefault(each.classes, []).append(each)
        marks = covered(self._of(TOLD), len(self._lines))
        told = {
            name: sum(
                self._prose_size(each) > 0 or 1 in marks[each.start : each.end] for each in group
            )
            for name, group in groups.items()
        }
        posts = 2 * max(told.values(), default=0)
        return merged(
            each
            for name, group in groups.items()
            if MIN_POSTS <= len(group) <= posts
            and sum(each.links for each in group) >= len(group)
            and not told[name]
            for each in group
        )


def repeated(
    lines: Sequence[str], by_kind: ByKind, kept: bytearray, headings: Sequence[Region]
) -> list[Region]:
    """Lines of a page of goods that stand on it before, such as the labels of variants.

    Not those of lists and tables, whose equal values belong to several labels, and no headings.
    """
    fixed = covered((*headings, *by_kind.get(LIST, ())), len(lines))
    seen: set[str] = set()
    found: list[Region] = []
    for number in compress(range(len(lines)), kept):
        if lines[number] in seen and not fixed[number]:
            found.append(Region("", number, number + 1))
        seen.add(lines[number])
    return found


def copies(
    lines: Sequence[str], by_kind: ByKind, kept: bytearray, headings: Sequence[int]
) -> list[Region]:
    """Blocks with sentences that come again, such as those for small screens, and quotes of posts.

    Not below a heading of their own, for clauses and steps are a part of each section that has them,
    and not where a line of the first is left out. Other equal blocks are values of several things.
    """
    blocks = [each for kind in (*NAMED_KINDS, BLOCK) for each in by_kind.get(kind, ())]
    told = sums(map(prose, lines))
    first: dict[tuple[int, int, str, str], Region] = {}
    found: list[Region] = []
    for each in sorted(blocks, key=lambda each: (each.start, -each.end)):
        count, size = each.end - each.start, told[each.end] - told[each.start]
        if count < MIN_COPY_LINES or size < MIN_COPY or (found and each.end <= found[-1].end):
            continue
        span = slice(each.start, each.end)
        before = first.setdefault((count, size, lines[each.start], lines[each.end - 1]), each)
        other = slice(before.start, before.end)
        if (
            before.end <= each.start
            and bisect_left(headings, before.end) == bisect_left(headings, each.start)
            and lines[other] == lines[span]
            and not any(map(gt, kept[span], kept[other]))
        ):
            found.append(each)
    return found
