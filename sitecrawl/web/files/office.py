"""Office Open XML (ECMA-376): Word, PowerPoint and Excel files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial, reduce
from itertools import islice
from typing import Any, NamedTuple

from sitecrawl.web.files.markup import FileMarkup, MarkupWriter, Run, clean
from sitecrawl.web.files.packages import (
    Package,
    all_text,
    attribute,
    every,
    first,
    join,
    local,
    texts,
)

CORE = "docProps/core.xml"  # part of the properties
MAX_NESTING = 50  # nested tables, text boxes and fields
MAX_CELLS = 300  # per row
CODE_NAME = re.compile(r"\b(?:source ?code|code|preformatted|listing)\b", re.IGNORECASE)
CODE = -1  # level of listings, among those of headings
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_DATE_FORMAT = re.compile(r"[ymdhs]", re.IGNORECASE)
_LITERALS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_COLUMN = re.compile(r"[A-Z]{1,3}")
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 -- ECMA-376, 18.17.4.1: without zone
_DATE_FORMATS = frozenset({*range(14, 23), *range(45, 48)})


class Relation(NamedTuple):
    """A relationship of a part: its kind, and its target, a part or a URL."""

    kind: str
    target: str


def relations(package: Package, part: str) -> dict[str, Relation]:
    """Return the relationships of a part by id; external URLs are left as they are."""
    folder, _, name = part.rpartition("/")
    tree = package.optional_tree(f"{folder}/_rels/{name}.rels".lstrip("/"))
    found: dict[str, Relation] = {}
    for each in every(tree, "Relationship"):
        target = attribute(each, "Target")
        if attribute(each, "TargetMode") != "External":
            target = join(part, target)
        kind = attribute(each, "Type").rpartition("/")[2]
        found[attribute(each, "Id")] = Relation(kind, target)
    return found


def link_target(targets: Mapping[str, Relation], identity: str) -> str:
    """Return the address of a hyperlink by the id of its relationship, empty if there is none."""
    relation = targets.get(identity)
    return relation.target if relation is not None and relation.kind == "hyperlink" else ""


def target_of(targets: Mapping[str, Relation], kind: str, usual: str = "") -> str:
    """Return the target of the first relationship of a kind, else the ``usual`` one."""
    return next((each.target for each in targets.values() if each.kind == kind), usual)


def fill_metadata(properties: Any | None, writer: MarkupWriter) -> None:
    """Read the properties of an office file (ECMA-376-2, 11; OpenDocument 1.2-1, 4.3)."""
    writer.metadata(
        partial(texts, properties),
        title="title",
        author="initial-creator creator",
        description="description subject",
        keywords="keywords keyword",
        dcterms_created="created creation-date",
        dcterms_modified="modified date",
        language="language",
    )


def read_docx(body: bytes) -> FileMarkup:
    """Convert a Word file to HTML: headings by style, lists, tables, links, notes at the end."""
    package, writer = Package(body), MarkupWriter()
    fill_metadata(package.optional_tree(CORE), writer)
    part = target_of(relations(package, ""), "officeDocument", "word/document.xml")
    root = package.tree(part)
    styles = package.optional_tree(join(part, "styles.xml"))
    writer.language = writer.language or attribute(first(styles, "lang"), "val")
    found = _Word(writer, _heading_styles(styles), relations(package, part))
    found.blocks(root, 0)
    found.close_lists(0)
    for notes in ("footnotes.xml", "endnotes.xml"):
        tree = package.optional_tree(join(part, notes))
        for note in tree if tree is not None else ():
            if not attribute(note, "type"):  # separators have one
                found.blocks(note, 0)
    return writer.document()


def _heading_styles(styles: Any | None) -> dict[str, int]:
    """Return heading levels by style id: 1 for titles, ``CODE`` for listings."""
    found: dict[str, int] = {}
    for style in every(styles, "style"):
        words = attribute(first(style, "name"), "val")
        outline = attribute(first(style, "outlineLvl"), "val")
        match = _HEADING.match(words)
        level = 1 if words.casefold() == "title" else int(match[1]) if match else 0
        if not level and outline.isdigit():
            level = int(outline) + 1
        if not level and CODE_NAME.search(words):
            level = CODE
        if level < 10 and level:
            found[attribute(style, "styleId")] = level
    return found


class _Word:
    """Writer of the blocks of a Word document, in order."""

    def __init__(
        self, writer: MarkupWriter, styles: Mapping[str, int], targets: Mapping[str, Relation]
    ) -> None:
        self._writer = writer
        self._styles = styles
        self._targets = targets
        self._lists = 0

    def blocks(self, parent: Any, depth: int) -> None:
        """Write paragraphs and tables; descend into other elements."""
        for element in parent:
            if self._writer.is_full:
                self._writer.cuts.add("too_long")
                return
            name = local(element)
            if name == "p":
                self._paragraph(element, depth)
            elif name == "tbl" and depth < MAX_NESTING:
                self.close_lists(0)
                self._table(element, depth)
            elif name not in {"sectPr", "Fallback", "del", "pPr"} and depth < MAX_NESTING:
                self.blocks(element, depth + 1)

    def close_lists(self, level: int) -> None:
        """Close lists down to a level of nesting."""
        while self._lists > level:
            self._writer.raw("</ul>\n")
            self._lists -= 1

    def _paragraph(self, element: Any, depth: int) -> None:
        level, listed = self._kind(element.find("{*}pPr"))
        boxes: list[Any] = []
        words = list(self._runs(element, boxes, 0))
        has_text = any(run.text.strip() for run in words)
        if level == CODE:
            self.close_lists(0)
            self._writer.listing("".join(run.text for run in words))
        elif level and has_text:
            self.close_lists(0)
            self._writer.heading(level, words)
        elif has_text:
            self.close_lists(listed)
            while self._lists < listed:
                self._writer.raw("<ul>")
                self._lists += 1
            self._writer.block("li" if listed else "p", words)
        for box in boxes:
            if depth < MAX_NESTING:
                self.blocks(box, depth + 1)

    def _kind(self, properties: Any | None) -> tuple[int, int]:
        """Return the level of a heading or ``CODE``, and that of a list item; 0 for neither."""
        level = self._styles.get(attribute(first(properties, "pStyle"), "val"), 0)
        outline = attribute(first(properties, "outlineLvl"), "val")
        if outline.isdigit():
            level = (int(outline) + 1) % 10
        numbering = first(properties, "numPr")
        if level or numbering is None:
            return level, 0
        indent = attribute(first(numbering, "ilvl"), "val")
        return 0, min(int(indent) if indent.isdigit() else 0, 8) + 1

    def _runs(self, parent: Any, boxes: list[Any], depth: int, link: str = "") -> Iterator[Run]:
        for element in parent:
            name = local(element)
            if name == "t":
                yield Run(element.text or "", link)
            elif name in _SIGNS:
                yield Run(_SIGNS[name], link)
            elif name == "txbxContent":
                boxes.append(element)
            elif name not in {"pPr", "rPr", "Fallback", "del", "instrText"} and depth < MAX_NESTING:
                own = attribute(element, "id") if name == "hyperlink" else ""
                target = link_target(self._targets, own) or link
                yield from self._runs(element, boxes, depth + 1, target)

    def _table(self, element: Any, depth: int) -> None:
        self._writer.raw("<table>\n")
        for row in element.iterchildren("{*}tr"):
            self._writer.raw("<tr>")
            for cell in islice(row.iterchildren("{*}tc"), MAX_CELLS):
                self._writer.raw("<td>")
                self.blocks(cell, depth + 1)
                self.close_lists(0)
                self._writer.raw("</td>")
            self._writer.raw("</tr>\n")
        self._writer.raw("</table>\n")


def read_pptx(body: bytes) -> FileMarkup:
    """Convert a PowerPoint file to HTML: a section per slide, its title first, its notes last."""
    package, writer = Package(body), MarkupWriter()
    fill_metadata(package.optional_tree(CORE), writer)
    part = target_of(relations(package, ""), "officeDocument", "ppt/presentation.xml")
    targets = relations(package, part)
    order = [_relation_id(each) for each in every(package.tree(part), "sldId")]
    slides = [targets[each].target for each in order if each in targets]
    for number, slide in enumerate(slides, start=1):
        tree = package.optional_tree(slide)
        if tree is None or attribute(tree, "show") == "0":
            continue
        writer.raw(f'<section data-page="{number}">\n')
        links = relations(package, slide)
        _write_shapes(tree, links, writer)
        for relation in links.values():
            if relation.kind == "hyperlink":
                writer.link(relation.target)
            elif relation.kind == "notesSlide":
                _write_notes(package.optional_tree(relation.target), writer)
        writer.raw("</section>\n")
    return writer.document()


def _relation_id(element: Any | None) -> str:
    """Return the relationship id of an element, which is the id with a namespace."""
    attributes = element.items() if element is not None else ()
    return next((str(value) for key, value in attributes if key.endswith("}id")), "")


def _write_shapes(slide: Any, links: Mapping[str, Relation], writer: MarkupWriter) -> None:
    """Write the title of a slide, then its other texts and tables in order."""
    shapes = list(every(slide, "sp", "tbl"))
    titles = [each for each in shapes if _placeholder(each) in {"title", "ctrTitle"}]
    for title in titles[:1]:
        writer.heading(2, " ".join(texts(title, "t")))
    for shape in shapes:
        if shape in titles[:1] or _placeholder(shape) in {"sldNum", "dt", "ftr"}:
            continue
        if local(shape) == "tbl":
            write_table(
                ([all_text(cell) for cell in row] for row in shape.iterchildren("{*}tr")), writer
            )
        else:
            _write_paragraphs(shape, links, writer)


def _write_notes(notes: Any | None, writer: MarkupWriter) -> None:
    for shape in every(notes, "sp"):
        if _placeholder(shape) == "body":
            _write_paragraphs(shape, {}, writer)


def _write_paragraphs(shape: Any, links: Mapping[str, Relation], writer: MarkupWriter) -> None:
    for paragraph in every(shape, "p"):
        writer.block("p", [_run(each, links) for each in every(paragraph, "t", "br")])


def _run(text: Any, links: Mapping[str, Relation]) -> Run:
    """Return the text of a run of DrawingML with its link."""
    if local(text) == "br":
        return Run("\n")
    click = first(text.getparent(), "hlinkClick")
    return Run(text.text or "", link_target(links, _relation_id(click)))


def _placeholder(shape: Any) -> str:
    found = first(shape, "ph") if local(shape) == "sp" else None
    return (attribute(found, "type") or "body") if found is not None else ""


def write_table(rows: Iterable[list[str]], writer: MarkupWriter) -> None:
    """Write a table, up to the size limit."""
    writer.raw("<table>\n")
    for row in rows:
        if writer.is_full:
            writer.cuts.add("too_long")
            break
        write_row(row, writer)
    writer.raw("</table>\n")


def write_row(cells: list[str], writer: MarkupWriter) -> None:
    """Write a row of a table, unless it is empty."""
    while cells and not cells[-1].strip():
        cells.pop()
    if cells:
        writer.raw("<tr>")
        for cell in cells[:MAX_CELLS]:
            writer.raw("<td>")
            writer.text(clean(cell))
            writer.raw("</td>")
        writer.raw("</tr>\n")


def read_xlsx(body: bytes) -> FileMarkup:
    """Convert an Excel file to HTML: a heading and a table for each visible sheet."""
    package, writer = Package(body), MarkupWriter()
    fill_metadata(package.optional_tree(CORE), writer)
    part = target_of(relations(package, ""), "officeDocument", "xl/workbook.xml")
    targets = relations(package, part)
    entries = package.elements(target_of(targets, "sharedStrings"), "si")
    strings = ["".join(_spoken(each)) for each in entries]
    dates = _date_styles(package, targets)
    number = 0
    for sheet in every(package.tree(part), "sheet"):
        identity = _relation_id(sheet)
        if attribute(sheet, "state") in {"hidden", "veryHidden"} or identity not in targets:
            continue
        if writer.is_full:
            break
        number += 1
        writer.raw(f'<section data-page="{number}">\n')
        writer.heading(2, attribute(sheet, "name"))
        rows = package.elements(targets[identity].target, "row")
        write_table(
            ([_value(cell, strings, dates) for cell in _cells(row)] for row in rows), writer
        )
        writer.raw("</section>\n")
        for relation in relations(package, targets[identity].target).values():
            if relation.kind == "hyperlink":
                writer.link(relation.target)
    return writer.document()


def _spoken(entry: Any) -> Iterator[str]:
    """Yield the texts of a string without its phonetic reading."""
    for each in every(entry, "t"):
        if local(each.getparent()) != "rPh":
            yield each.text or ""


def _date_styles(package: Package, targets: Mapping[str, Relation]) -> frozenset[str]:
    """Return the cell styles that show a number as a date or time."""
    tree = package.optional_tree(target_of(targets, "styles"))
    formats = {
        attribute(each, "numFmtId")
        for each in every(tree, "numFmt")
        if _DATE_FORMAT.search(_LITERALS.sub("", attribute(each, "formatCode")))
    } | {str(each) for each in _DATE_FORMATS}
    styles = first(tree, "cellXfs")
    return frozenset(
        str(number)
        for number, style in enumerate(styles if styles is not None else ())
        if attribute(style, "numFmtId") in formats
    )


def _cells(row: Any) -> Iterator[Any | None]:
    """Yield the cells of a row, None for omitted ones."""
    column = 0
    for cell in row:
        match = _COLUMN.match(attribute(cell, "r"))
        place = column + 1
        if match:  # a number with the digits A to Z
            place = reduce(lambda number, letter: 26 * number + ord(letter) - 64, match[0], 0)
        while column < min(place - 1, MAX_CELLS):
            column += 1
            yield None
        column += 1
        yield cell
        if column >= MAX_CELLS:
            return


def _value(cell: Any | None, strings: list[str], dates: frozenset[str]) -> str:
    """Return the value of a cell as text; dates in ISO 8601."""
    if cell is None:
        return ""
    kind = attribute(cell, "t")
    if kind == "inlineStr":
        return "".join(_spoken(cell))
    value = first(cell, "v")
    text = (value.text or "") if value is not None else ""
    if kind == "s":
        return strings[int(text)] if text.isdigit() and int(text) < len(strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(text, text)
    if kind in {"", "n"} and attribute(cell, "s") in dates:
        return _as_date(text)
    return text


def _as_date(text: str) -> str:
    """Format a serial number of days as a date, with the time of day if it has one."""
    try:
        days = float(text)
        moment = _EPOCH + timedelta(days=days)
    except (ValueError, OverflowError):
        return text
    if 0 <= days < 1:
        return f"{moment:%H:%M}"
    return f"{moment:%Y-%m-%d}" if days == int(days) else f"{moment:%Y-%m-%d %H:%M}"
