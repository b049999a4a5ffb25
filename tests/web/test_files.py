"""Files turned into HTML, and the bounds within which that happens."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pytest_twisted import inlineCallbacks
from twisted.internet.defer import Deferred

from fixtures import files
from sitecrawl.config.installed_browser import find_chromium
from sitecrawl.crawl.reader_processes import FileReaders
from sitecrawl.policy.documents.sections import markdown_of
from sitecrawl.web.files.file_reader import read_file
from sitecrawl.web.files.formats import media_types, sniff_file
from sitecrawl.web.files.markup import UnreadableFileError, real_authors, real_title
from sitecrawl.web.files.pdf import PdfLine, PdfPage, drop_running_lines, pdf_date
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

T = TypeVar("T")


def awaited(coroutine: Coroutine[Any, Any, T]) -> Deferred[T]:
    return Deferred.fromFuture(asyncio.ensure_future(coroutine))


def as_page(body: bytes, kind: str) -> Page:
    html = read_file(body, kind).html.encode()
    return read_page(
        body,
        url="http://example.org/a",
        content_type=kind,
        headers={},
        options=ReadOptions(),
        file_html=html,
    )


def markdown(body: bytes, kind: str) -> str:
    """The content of a file."""
    options = ReadOptions(outline=True)
    html = read_file(body, kind).html.encode()
    page = read_page(
        body, url="http://h/a", content_type=kind, headers={}, options=options, file_html=html
    )
    return markdown_of(page.content)


@pytest.mark.behaviour("FI-01", "FI-02")
def test_a_pdf_has_text_outline_and_metadata() -> None:
    body = files.pdf(
        ["1 Of Bees", "Bees make honey."],
        ["2 Of Wax", "Wax is made too."],
        outline=[("Of Bees", 1), ("Of Wax", 2)],
        info={
            "Title": "Handbook of Bees",
            "Author": "Ada Beekeeper",
            "CreationDate": "D:20240506070809+02'00'",
        },
        language="en-GB",
        links=["http://example.org/honey"],
    )
    page = as_page(body, files.PDF)
    assert page.title == "Handbook of Bees"
    assert page.language == "en-GB"
    assert page.text.splitlines() == ["Of Bees", "Bees make honey.", "Of Wax", "Wax is made too."]
    assert [(h.level, h.text, h.anchor) for h in page.headings] == [
        (1, "Of Bees", "page=1"),
        (1, "Of Wax", "page=2"),
    ]
    assert page.metas["author"] == ("Ada Beekeeper",)
    assert page.metas["dcterms.created"] == ("2024-05-06T07:08:09+02:00",)
    assert [link.url for link in page.links] == ["http://example.org/honey"]


@pytest.mark.behaviour("FI-01")
def test_running_heads_and_page_numbers_are_no_text() -> None:
    pages = [
        PdfPage(
            [
                PdfLine(each)
                for each in ("Bees", f"PdfLine {n}x", "Again", f"More {n}y", str(number))
            ]
        )
        for number, n in enumerate("abc", start=7)
    ]
    drop_running_lines(pages)
    kept = [[line.text for line in page.lines] for page in pages]
    assert kept == [[f"PdfLine {n}x", "Again", f"More {n}y"] for n in "abc"]


@pytest.mark.behaviour("FI-01")
def test_hyphens_between_lines_are_no_part_of_words() -> None:
    page = as_page(files.pdf(["A long deriv-", "ation of honey, a well-known one."]), files.PDF)
    assert page.text == "A long derivation of honey, a well-known one."


@pytest.mark.behaviour("FI-03")
def test_a_word_document_has_headings_lists_tables_and_links() -> None:
    table = "".join(
        f"<w:tr>{''.join(f'<w:tc>{files.paragraph(cell)}</w:tc>' for cell in row)}</w:tr>"
        for row in (("Name", "Weight"), ("Queen", "12"))
    )
    item = files.paragraph("An item").replace(
        "<w:p>", '<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>', 1
    )
    link = '<w:p><w:hyperlink r:id="l0"><w:r><w:t>the site</w:t></w:r></w:hyperlink></w:p>'
    body = files.docx(
        files.paragraph("Bees", "H1") + item + f"<w:tbl>{table}</w:tbl>" + link,
        title="On Bees",
        author="Ada",
        links=["http://example.org/x"],
    )
    page = as_page(body, files.DOCX)
    assert page.title == "On Bees"
    assert [(h.level, h.text) for h in page.headings] == [(1, "Bees")]
    assert page.text.split() == [
        "Bees",
        "An",
        "item",
        "Name",
        "Weight",
        "Queen",
        "12",
        "the",
        "site",
    ]
    assert [link.url for link in page.links] == ["http://example.org/x"]


@pytest.mark.behaviour("FI-03")
def test_slides_have_their_titles_first() -> None:
    page = as_page(files.pptx(("Bees", "They fly."), ("Wax", "It melts.")), files.PPTX)
    assert page.text.splitlines() == ["Bees", "They fly.", "Wax", "It melts."]
    assert [h.text for h in page.headings] == ["Bees", "Wax"]


@pytest.mark.behaviour("FI-03")
def test_a_sheet_is_a_table_of_its_values() -> None:
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>12.5</v></c></row>'
        '<row><c r="A2" t="inlineStr"><is><t>Worker</t></is></c><c s="1"><v>45418</v></c></row>'
    )
    html = read_file(files.xlsx("Weights", rows, ["Queen"]), files.XLSX).html
    assert "<h2>Weights</h2>" in html
    assert "<tr><td>Queen</td><td></td><td>12.5</td></tr>" in html
    assert "<tr><td>Worker</td><td>2024-05-06</td></tr>" in html
    assert "Hidden" not in html


@pytest.mark.behaviour("FI-03")
def test_an_opendocument_text_keeps_what_its_elements_stand_for() -> None:
    body = '<text:h text:outline-level="2">Hives</text:h><text:p>a<text:s text:c="2"/>b</text:p>'
    page = as_page(files.odt(body), files.ODT)
    assert (page.title, page.text) == ("Notes on hives", "Hives\na b")
    assert [(h.level, h.text) for h in page.headings] == [(2, "Hives")]


@pytest.mark.behaviour("FI-03")
def test_links_stand_where_the_file_has_them() -> None:
    run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
    link = f'<w:hyperlink r:id="l0">{run.format("the ")}{run.format("site")}</w:hyperlink>'
    word = f"<w:p>{run.format('See ')}{link}{run.format('.')}</w:p>"
    text = '<text:p>See <text:a xlink:href="http://example.org/x" xmlns:xlink="x">the site</text:a>.</text:p>'
    for body, kind in (
        (files.docx(word, links=["http://example.org/x"]), files.DOCX),
        (files.odt(text), files.ODT),
    ):
        assert markdown(body, kind) == "See [the site](http://example.org/x)."


@pytest.mark.behaviour("FI-03")
def test_a_listing_is_one_block_in_its_own_lines() -> None:
    styles = ("Preformatted_20_Text", "P1")
    blocks = "".join(
        f'<text:p text:style-name="{style}">{line}</text:p>'
        for style, line in zip(styles, ("if x:", '<text:s text:c="2"/>stop'), strict=True)
    )
    derived = '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
    body = files.odt(f"<text:p>Thus:</text:p>{blocks}<text:p>End.</text:p>", styles=derived)
    assert markdown(body, files.ODT) == "Thus:\n\n```\nif x:\n  stop\n```\n\nEnd."


@pytest.mark.slow
@pytest.mark.behaviour("FI-01")
def test_a_pdf_of_a_browser_is_read_in_order(tmp_path: Path) -> None:
    source, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    listing = 'def f(x):\n    if x:\n        return {"a": 1}\n\n    return 2'
    lines = {
        "ar": "هذا نص عربي رقم 123 وكلمة English في الوسط",
        "he": "זה טקסט בעברית (עם סוגריים) ומספר 42.",
        "en": "The word שלום עולם means peace to the world.",
    }
    paragraphs = "".join(
        f'<p lang="{language}" dir="{"ltr" if language == "en" else "rtl"}">{line}</p>'
        for language, line in lines.items()
    )
    source.write_text(f'<meta charset="utf-8">{paragraphs}<pre>{listing}</pre><p>End.</p>')
    program = find_chromium(os.environ)
    assert program is not None
    words = [program, "--headless", "--no-sandbox", "--no-pdf-header-footer"]
    subprocess.run(
        [*words, f"--print-to-pdf={printed}", source.as_uri()], check=True, capture_output=True
    )
    expected = [" ".join(lines.values()), f"```\n{listing}\n```", "End."]  # full lines go on
    assert markdown(printed.read_bytes(), files.PDF) == "\n\n".join(expected)


@pytest.mark.behaviour("FI-03")
def test_the_chapters_of_a_book_follow_one_another() -> None:
    first = '<html><head><title/></head><body><h1 id="a">One</h1><p>A <a href="c1.xhtml">b</a>.</p>'
    page = as_page(
        files.epub(f"{first}</body></html>", "<html><body><p>Two</p></body></html>"), files.EPUB
    )
    assert (page.title, page.language) == ("A book of bees", "en")
    assert page.text == "One\nA b.\nTwo"
    assert page.links == ()
    assert page.headings[0].anchor == ""


@pytest.mark.slow
@pytest.mark.behaviour("FI-04")
@inlineCallbacks
def test_every_hostile_file_has_its_fault() -> Generator[Any, Any, None]:
    readers = FileReaders(["pdf", "docx", "odt", "epub"], size=1, seconds=2)
    found = {}
    hostile = files.hostile()
    for name, (kind, body, _) in hostile.items():
        found[name] = (yield awaited(readers.read(body, kind))).fault
    bomb = yield awaited(readers.read(files.pdf_bomb(300), files.PDF))
    whole = yield awaited(readers.read(files.pdf(["Honey"]), files.PDF))
    yield awaited(readers.close())
    assert found == {name: fault for name, (_, _, fault) in hostile.items()}
    assert bomb.fault in {"file_broken", "file_too_slow", "file_too_large"}
    assert bomb.cpu < 5
    assert b"Honey" in whole.html


@pytest.mark.behaviour("FI-04")
@inlineCallbacks
def test_a_file_that_takes_too_long_is_left() -> Generator[Any, Any, None]:
    readers = FileReaders(["xlsx"], size=1, seconds=1)
    row = '<row><c r="A1"><v></v></c></row>'
    slow = yield awaited(readers.read(files.xlsx("Sheet", row * 2_500_000), files.XLSX))
    yield awaited(readers.close())
    assert (slow.fault, slow.html) == ("file_too_slow", b"")
    assert slow.cpu < 3


@pytest.mark.slow
@pytest.mark.behaviour("FI-04")
def test_entities_are_never_expanded() -> None:
    for name in ("/laughs.docx", "/external.docx"):
        kind, body, fault = files.hostile()[name]
        with pytest.raises(UnreadableFileError) as raised:
            read_file(body, kind)
        assert raised.value.fault == fault


@pytest.mark.behaviour("FI-02")
@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("D:20240506070809+02'00'", "2024-05-06T07:08:09+02:00"),
        ("D:20240506070809Z", "2024-05-06T07:08:09Z"),
        ("20240506", "2024-05-06T00:00:00Z"),
        ("D:20241306", ""),
        ("yesterday", ""),
    ],
)
def test_dates_of_pdf(text: str, date: str) -> None:
    assert pdf_date(text) == date


@pytest.mark.behaviour("FI-02")
@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("Handbook of Bees", "Handbook of Bees"),
        ("Microsoft Word - Handbook of Bees", "Handbook of Bees"),
        ("Microsoft Word - bees_final2.doc", ""),
        ("untitled", ""),
        ("Document1", ""),
        ("PowerPoint Presentation", ""),
        ("bees.dvi", ""),
    ],
)
def test_titles_that_programs_wrote_are_none(title: str, kept: str) -> None:
    assert real_title(title) == kept


@pytest.mark.behaviour("FI-02")
def test_authors_that_programs_wrote_are_none() -> None:
    assert real_authors(["Administrator", "Ada; Bob", "user", None]) == ["Ada", "Bob"]


@pytest.mark.behaviour("FI-05")
def test_a_file_is_known_by_its_bytes() -> None:
    assert sniff_file(files.pdf(["x"])) == files.PDF
    assert sniff_file(b"\xef\xbb\xbf\n" + files.pdf(["x"])) == files.PDF
    assert sniff_file(files.docx("")) == files.DOCX
    assert sniff_file(files.pptx()) == files.PPTX
    assert sniff_file(files.xlsx("A", "")) == files.XLSX
    assert sniff_file(files.odt("")) == files.ODT
    assert sniff_file(files.epub("")) == files.EPUB
    assert sniff_file(b"<html>") == ""


@pytest.mark.behaviour("FI-06")
def test_words_stand_for_media_types() -> None:
    assert media_types(["pages", "PDF"], ["text/html"]) == ("text/html", files.PDF)
    assert set(media_types(["files"], ())) >= {files.PDF, files.DOCX, files.EPUB}
    assert media_types(["application/x-pdf", "image/png"], ()) == (files.PDF, "image/png")
    with pytest.raises(ValueError, match="'pfd' is no media type"):
        media_types(["pfd"], ())
