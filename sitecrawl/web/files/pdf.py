"""PDF, read with pdfium: lines in reading order, listings, pages, outline, metadata and links."""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice, pairwise
from typing import Any, NamedTuple
from unicodedata import bidirectional, mirrored, normalize

import pypdfium2
from pypdfium2 import raw

from sitecrawl.web.files.markup import (
    FileMarkup,
    MarkupWriter,
    UnreadableFileError,
    clean,
    real_title,
)

MAX_PAGES = 5_000
MAX_OUTLINE = 5_000
MAX_OUTLINE_DEPTH = 10
MAX_PAGE_LINKS = 500
EDGE_LINES = 2  # at either end of a page, checked for running heads and page numbers
MIN_REPEATS = 3
REPEATED_SHARE = 0.3  # of the pages
TITLE_LINES = 50  # of the first page
MIN_TITLE, MAX_TITLE = 4, 200
MAX_TITLE_LINES = 200  # of a page, searched for the title of an outline entry
FULL_LINE = 0.8  # of the usual length, from which a sentence continues in the next line
MIN_FULL_LINE = 30  # characters
_LETTER = re.compile(r"\w")
_NUMBER = re.compile(r"\d+")
_LISTED = re.compile(r"[•◦▪‣·*–—-]\s|\(?\d{1,3}(?:\.\d{1,3})*[.)]?\s|\(?[a-z][.)]\s")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?([Z+-])?(\d\d)?'?(\d\d)?")
STRONG = frozenset({"L", "R", "AL"})  # bidirectional classes of letters
MAX_INDENT = 100  # characters
MAX_EMPTY_LINES = 3
_LINE = re.compile(r"[^\r\n]+")
# A hyphen that splits a word, as marked by pdfium; and one at the end of a line, marked or written.
_SOFT_HYPHEN = re.compile(r"(?<=\w)[\ufffe\x02\xad][ \t]*")
_LAST_HYPHEN = re.compile(r"(?<=\w)(?:[\ufffe\x02\xad][ \t]*|(-))$")
_SMALL_LETTER = re.compile(r"[a-zà-ÿ]")
_FIXED_PITCH = 1  # ISO 32000-1, table 123
_FIXED_NAME = re.compile(rb"mono|courier|consol|typewriter|cmtt|menlo|fixed", re.IGNORECASE)
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_FROM_LEFT = re.compile(r"[^\W_\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_AS_LETTERS = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\xa0": " ", "\t": " "}
)


@dataclass(slots=True)
class PdfPage:
    """Lines of a page; ``has_picture`` is set for a page without text that shows a picture."""

    lines: list[PdfLine]
    has_picture: bool = False


class OutlineEntry(NamedTuple):
    """An entry of the outline; ``page`` counts from 0."""

    level: int
    title: str
    page: int


def read_pdf(body: bytes) -> FileMarkup:
    """Convert a PDF to HTML: a section per page, the outline as headings with anchor ``page=N``.

    Raises UnreadableFileError.
    """
    document = _opened(body)
    writer = MarkupWriter()
    count = len(document)
    pages = [_read_page(document, number, writer) for number in range(min(count, MAX_PAGES))]
    largest = _largest_text(pages[0].lines)
    if count > MAX_PAGES:
        writer.cuts.add("too_long")
    drop_running_lines(pages)
    _drop_places(pages)
    if not any(_LETTER.search(line.text) for page in pages for line in page.lines):
        raise _without_text(pages, count)
    _fill_metadata(document, writer)
    writer.title = writer.title or largest
    write_pages(pages, list(_outline(document)), writer)
    return writer.document()


def _opened(body: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(body)
        if len(document):
            return document
    except pypdfium2.PdfiumError as error:
        if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise UnreadableFileError("file_encrypted", "the PDF needs a password") from None
        raise UnreadableFileError("file_broken", "pdfium cannot open the PDF") from None
    raise UnreadableFileError("file_broken", "the PDF has no pages")


def _without_text(pages: Sequence[PdfPage], count: int) -> UnreadableFileError:
    if any(page.has_picture for page in pages):
        return UnreadableFileError("file_scanned", f"pictures on {count} pages, and no text")
    return UnreadableFileError("file_without_text", f"{count} pages without text")


def _read_page(document: pypdfium2.PdfDocument, number: int, writer: MarkupWriter) -> PdfPage:
    """Return the lines of a page; a broken page is empty, and reported in ``cuts``."""
    try:
        page = document[number]
        lines = read_lines(page.get_textpage())
    except pypdfium2.PdfiumError:
        writer.cuts.add("broken_pages")
        return PdfPage([])
    for address in islice(_links(document, page), MAX_PAGE_LINKS):
        writer.link(address)
    objects = islice(() if lines else page.get_objects(max_depth=3), 1000)
    found = PdfPage(lines, any(each.type == raw.FPDF_PAGEOBJ_IMAGE for each in objects))
    page.close()
    return found


def _links(document: pypdfium2.PdfDocument, page: Any) -> Iterator[str]:
    """Yield the URLs of link annotations."""
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    while raw.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(link)):
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(document, action, None, 0)
        if 1 < size <= 4096:
            buffer = ctypes.create_string_buffer(size)
            raw.FPDFAction_GetURIPath(document, action, buffer, size)
            yield buffer.value.decode("utf-8", "replace")


def drop_running_lines(pages: Sequence[PdfPage]) -> None:
    """Remove running heads, running feet and page numbers.

    These are lines at either end of a page that occur, numbers ignored, on at least 3 pages and on
    at least 30 % of all.
    """
    counts = Counter(
        key
        for page in pages
        for key in {_key(each) for each in (*page.lines[:EDGE_LINES], *page.lines[-EDGE_LINES:])}
    )
    filled = sum(1 for page in pages if page.lines)
    least = max(MIN_REPEATS, REPEATED_SHARE * filled)
    running = {key for key, count in counts.items() if count >= least}
    for page in pages:
        last = len(page.lines) - EDGE_LINES
        page.lines = [
            line
            for number, line in enumerate(page.lines)
            if EDGE_LINES <= number < last or _key(line) not in running
        ]


def _drop_places(pages: Sequence[PdfPage]) -> None:
    """Take nothing for a listing in a file that is set in a font of fixed pitch."""
    lines = [line for page in pages for line in page.lines]
    if 2 * sum(line.place is not None for line in lines) > len(lines):
        for page in pages:
            page.lines = [line._replace(place=None) for line in page.lines]


def _key(line: PdfLine) -> str:
    """Return a line without its numbers, among them a Roman one alone in its line."""
    key = _NUMBER.sub("#", line.text.casefold())
    return "#" if re.fullmatch(r"[ivxlc]{1,8}", key) else key


def _fill_metadata(document: pypdfium2.PdfDocument, writer: MarkupWriter) -> None:
    facts: Mapping[str, str] = document.get_metadata_dict()
    writer.metadata(
        lambda name: [facts.get(name, "")],
        title="Title",
        author="Author",
        description="Subject",
        keywords="Keywords",
        language="",
    )
    writer.meta("dcterms.created", pdf_date(facts.get("CreationDate", "")))
    writer.meta("dcterms.modified", pdf_date(facts.get("ModDate", "")))
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    if 2 < size <= 200:
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFCatalog_GetLanguage(
            document, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size
        )
        writer.language = clean(buffer.raw.decode("utf-16-le", "ignore"))


def pdf_date(text: str) -> str:
    """Convert a PDF date (ISO 32000-1, 7.9.4) to ISO 8601; empty if it is not a date."""
    found = _DATE.match(text.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, sign, hours, minutes = found.groups()
    zone = "Z" if sign in {None, "Z"} else f"{sign}{hours or '00'}:{minutes or '00'}"
    date = f"{year}-{month or '01'}-{day or '01'}"
    clock = f"{hour or '00'}:{minute or '00'}:{second or '00'}"
    try:
        datetime.fromisoformat(f"{date}T{clock}{zone}")
    except ValueError:
        return ""
    return f"{date}T{clock}{zone}"


def _outline(document: pypdfium2.PdfDocument) -> Iterator[OutlineEntry]:
    """Yield the outline in order; pdfium itself rejects cycles."""
    try:
        for mark in islice(document.get_toc(max_depth=MAX_OUTLINE_DEPTH), MAX_OUTLINE):
            target = mark.get_dest()
            page = target.get_index() if target is not None else None
            title = clean(mark.get_title())
            if title and page is not None and page >= 0:
                yield OutlineEntry(mark.level + 1, title, page)
    except (pypdfium2.PdfiumError, UnicodeDecodeError, RecursionError):
        return


def _largest_text(lines: Sequence[PdfLine]) -> str:
    """Return the text in the largest font of a page, if it has several sizes."""
    sizes: dict[int, str] = defaultdict(str)
    for line in lines[:TITLE_LINES]:
        sizes[round(line.size * 2)] += f"{line.text} "
    large = [size for size, text in sizes.items() if len(text) > MIN_TITLE and _LETTER.search(text)]
    title = sizes[max(large)] if len(large) > 1 else ""
    return real_title(title) if len(title) <= MAX_TITLE else ""


def write_pages(
    pages: Sequence[PdfPage], outline: Sequence[OutlineEntry], writer: MarkupWriter
) -> None:
    """Write the pages; an outline heading goes where its title is found, else before the rest."""
    by_page: dict[int, list[OutlineEntry]] = defaultdict(list)
    for entry in outline:
        by_page[entry.page].append(entry)
    lengths = sorted(
        len(line.text) for page in pages for line in page.lines if len(line.text) > MIN_FULL_LINE
    )
    usual = lengths[len(lengths) * 9 // 10] if lengths else 0
    for number, page in enumerate(pages):
        if writer.is_full:
            writer.cuts.add("too_long")
            return
        anchor = f"page={number + 1}"
        writer.raw(f'<section data-page="{number + 1}">\n')
        start = 0
        for entry in by_page[number]:
            begin, end = _find_title(page.lines, start, entry.title)
            _write_lines(page.lines[start:begin], usual, writer)
            writer.heading(entry.level, entry.title, anchor)
            start = end
        _write_lines(page.lines[start:], usual, writer)
        writer.raw("</section>\n")


def _find_title(lines: Sequence[PdfLine], start: int, title: str) -> tuple[int, int]:
    """Return the range of at most three lines that hold a title; empty if none do."""
    wanted = _squeezed(title)
    for begin in range(start, min(len(lines), start + MAX_TITLE_LINES)):
        for end in range(begin + 1, min(begin + 4, len(lines) + 1)):
            found = _squeezed("".join(line.text for line in lines[begin:end]))
            if found and (found == wanted or found.lstrip("0123456789.") == wanted):
                return begin, end
            if len(found) > len(wanted) + 20:
                break
    return start, start


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text, case-folded."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _write_lines(lines: Sequence[PdfLine], usual: int, writer: MarkupWriter) -> None:
    """Write listings, and other lines as paragraphs: a full line continues in the next."""
    for is_listing, group in groupby(lines, key=lambda line: line.place is not None):
        block = list(group)
        if is_listing:
            writer.block("pre", "\n".join(listing_lines(block)))
        else:
            _write_paragraphs([line.text for line in block], usual, writer)


def _write_paragraphs(lines: Sequence[str], usual: int, writer: MarkupWriter) -> None:
    paragraph: list[str] = []
    for number, line in enumerate(lines):
        paragraph.append(line)
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_full = len(line) >= max(FULL_LINE * usual, MIN_FULL_LINE)
        if not following or not is_full or _LISTED.match(following):
            writer.block("p", " ".join(paragraph))
            paragraph.clear()


class Place(NamedTuple):
    """The place of a line set in a font of fixed pitch, in points; ``advance`` is a character's width."""

    left: float
    baseline: float
    advance: float


class PdfLine(NamedTuple):
    """A line of text and the size of its letters, in points; one of a listing has a place."""

    text: str
    size: float = 0.0
    place: Place | None = None


def read_lines(page: Any) -> list[PdfLine]:
    """Return the lines of a text page that are not empty."""
    text: str = page.get_text_range()
    is_mapped = len(text) == page.count_chars()
    found: list[PdfLine] = []
    for match in _LINE.finditer(text):
        words = match[0]
        place, size = None, 0.0
        if is_mapped:
            ends = [match.start() + at for at in _ends(words)]
            size = min(raw.FPDFText_GetFontSize(page, end) for end in ends)
            place = _place(page, *ends)
            if _RIGHT_TO_LEFT.search(words):
                words = _reordered(page, match.start(), words)
        words = words.translate(_AS_LETTERS)
        if place is None and found and found[-1].place is None:
            before = _without_hyphen(found[-1].text, words)
            if before is not None:
                found[-1] = PdfLine(before + words, found[-1].size)
                continue
        if words.strip():
            found.append(PdfLine(words, size, place))
    return [each._replace(text=clean(_SOFT_HYPHEN.sub("", each.text))) for each in found]


def _without_hyphen(line: str, following: str) -> str | None:
    """Return a line without the hyphen that splits its last word, None if there is none."""
    match = _LAST_HYPHEN.search(line)
    if match is None or (match[1] and not _SMALL_LETTER.match(following)):
        return None
    return line[: match.start()]


def _place(page: Any, first: int, last: int) -> Place | None:
    """Return the place of a line whose first and last characters have a fixed pitch."""
    if not (_is_fixed(page, first) and _is_fixed(page, last)):
        return None
    (left, baseline), (end, _) = _origin(page, first), _origin(page, last)
    return Place(left, baseline, (end - left) / (last - first) if last > first else 0.0)


def _ends(line: str) -> tuple[int, int]:
    """Return the indices of the first and the last character that are no spaces."""
    return len(line) - len(line.lstrip()), max(0, len(line.rstrip()) - 1)


def _is_fixed(page: Any, index: int) -> bool:
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(page, index, name, 128, ctypes.byref(flags))
    return bool(flags.value & _FIXED_PITCH) or bool(_FIXED_NAME.search(name.value))


def _origin(page: Any, index: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page, index, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def listing_lines(lines: Sequence[PdfLine]) -> Iterator[str]:
    """Yield the lines of a listing, all with a place: indented, empty ones among them."""
    places = [line.place for line in lines if line.place is not None]
    left = min(each.left for each in places)
    advance = max(each.advance for each in places)
    steps = [one.baseline - other.baseline for one, other in pairwise(places)]
    step = min((each for each in steps if each > 0), default=0.0)
    for line, place, gap in zip(lines, places, [0.0, *steps], strict=True):
        if step and gap > 0:
            yield from [""] * min(MAX_EMPTY_LINES, round(gap / step) - 1)
        indent = round((place.left - left) / advance) if advance else 0
        yield " " * min(MAX_INDENT, indent) + line.text


def _reordered(page: Any, start: int, line: str) -> str:
    """Return a line with letters from right to left as it is read.

    Producers of PDF draw its characters from left to right or in reading order; their places on the
    page tell the order in which they are seen.
    """
    left = [page.get_charbox(start + at, loose=True)[0] for at in range(len(line))]
    to_left = len(_RIGHT_TO_LEFT.findall(line)) >= len(_FROM_LEFT.findall(line))
    order = sorted(range(len(line)), key=lambda at: left[at], reverse=to_left)
    seen = [line[at] for at in order]
    words = "".join(_runs(seen, reverse=to_left))
    return (
        normalize("NFKC", words) if any("\ufb1d" <= each <= "\ufeff" for each in words) else words
    )


def _runs(characters: Iterable[str], *, reverse: bool) -> Iterator[str]:
    """Yield runs of characters of one direction; reverse those against the direction of the line."""
    against = _FROM_LEFT if reverse else _RIGHT_TO_LEFT
    run: list[str] = []
    between: list[str] = []
    for each in characters:
        if against.match(each):
            run += [*between, each]
            between = []
        elif run and bidirectional(each) not in STRONG:
            between.append(each)
        else:
            yield from reversed(run)
            yield from (_shown(one, to_left=reverse) for one in (*between, each))
            run, between = [], []
    yield from reversed(run)
    yield from (_shown(one, to_left=reverse) for one in between)


def _shown(character: str, *, to_left: bool) -> str:
    """Return a bracket as it is written: in a line from right to left its mirror image is drawn."""
    return character.translate(_MIRRORED) if to_left and mirrored(character) else character
