"""Files as documents: wanted, read, refused, changed and deleted like pages."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fixtures import files
from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

pytestmark = pytest.mark.slow


def served(body: bytes, kind: str | None, **headers: str) -> Answer:
    return Answer(body, headers={"Content-Type": kind, **headers})


def outcomes(crawl: CrawlCommand) -> dict[str, str | None]:
    rows = crawl.rows("SELECT url, reason FROM url")
    return {url.partition("//")[2].partition("/")[2]: reason for url, reason in rows}


BEES = files.pdf(
    ["1 Of Bees", "Bees make honey."],
    outline=[("Of Bees", 1)],
    info={"Title": "Handbook of Bees"},
    links=["/honey.html"],
)


@pytest.mark.behaviour("FI-06", "FI-01")
def test_files_are_left_out_until_they_are_wanted(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/bees.pdf", "/a.docx", "/img.png"),
        "/bees.pdf": served(BEES, files.PDF),
        "/a.docx": served(files.docx(files.paragraph("Of wax")), files.DOCX),
    }
    origin = server.serve(site)
    assert set(crawl(f"{origin}/").documents) == {f"{origin}/"}
    assert server.log.targets(origin) == ["/robots.txt", "/"]
    run = crawl(f"{origin}/", content_types="pages files", recrawl=0)
    assert set(run.documents) == {f"{origin}/bees.pdf", f"{origin}/a.docx"}
    bees = run.documents[f"{origin}/bees.pdf"]
    assert bees["title"] == "Handbook of Bees"
    assert bees["body"] == "Of Bees\nBees make honey."
    assert bees["headings"] == [{"level": 1, "text": "Of Bees", "anchor": "page=1"}]
    assert bees["content_type"] == files.PDF
    assert run.stats["sitecrawl/files/read"] == 2
    assert files.PDF in (server.log.header("/bees.pdf", "Accept")[0] or "")


@pytest.mark.behaviour("FI-04", "FI-07")
def test_no_file_takes_the_crawl_down_and_each_is_explained(
    server: Server, crawl: CrawlCommand
) -> None:
    hostile = files.hostile()
    site: dict[str, Page] = {name: served(body, kind) for name, (kind, body, _) in hostile.items()}
    origin = server.serve({"/": page(*hostile, "/last.html"), "/last.html": page(), **site})
    run = crawl(f"{origin}/", content_types="pages files")
    assert run.status == 0
    assert "Traceback" not in run.log
    found = outcomes(crawl)
    assert {f"/{name}": found[name] for name in found if f"/{name}" in hostile} == {
        name: fault for name, (_, _, fault) in hostile.items()
    }
    assert set(run.documents) == {f"{origin}/", f"{origin}/last.html"}
    assert run.stats["sitecrawl/files/file_encrypted"] == 4
    _, said = crawl.command("explain", f"{origin}/scanned.pdf")
    assert "unwanted_type, file_scanned" in said
    assert "pictures on 2 pages, and no text" in said


@pytest.mark.behaviour("FI-05")
def test_a_file_with_a_wrong_media_type_is_read_as_what_it_is(
    server: Server, crawl: CrawlCommand
) -> None:
    notice = page(title="Notice", text="Of bees there is a page too.")
    site: dict[str, Page] = {
        "/get/a.pdf": served(BEES, "application/octet-stream"),
        "/b.pdf": served(notice.encode(), files.PDF),
        "/c": served(files.pdf(["Of wax"]), "text/plain"),
        "/d.docx": served(files.docx(files.paragraph("Of hives")), "application/zip"),
        "/e.pdf": served(files.pdf(["Of queens"]), None),
        "/f.docx": served(files.pdf(["Of drones"]), files.DOCX),
        "/g.pdf": served(b"\0\1\2", "application/octet-stream"),
        "/h.bin": served(BEES, "application/octet-stream"),
    }
    origin = server.serve({"/": page(*site), **site})
    run = crawl(f"{origin}/", content_types="pages files")
    types = {url.removeprefix(origin): each["content_type"] for url, each in run.documents.items()}
    assert types == {
        "/": "text/html",
        "/get/a.pdf": files.PDF,
        "/b.pdf": "text/html",
        "/c": files.PDF,
        "/d.docx": files.DOCX,
        "/e.pdf": files.PDF,
        "/f.docx": files.PDF,
    }
    assert outcomes(crawl)["g.pdf"] == "content_type"


@pytest.mark.behaviour("FI-08", "M-08")
def test_files_change_disappear_and_obey_as_pages_do(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/a.pdf", "/b.pdf", "/c.pdf", "/copy.pdf"),
        "/a.pdf": served(files.pdf(["Of bees"]), files.PDF, ETag='"1"'),
        "/b.pdf": served(files.pdf(["Of wax"]), files.PDF),
        "/c.pdf": served(files.pdf(["Secret"]), files.PDF, **{"X-Robots-Tag": "noindex"}),
        "/copy.pdf": served(files.pdf(["Of bees"]), files.PDF),
    }
    origin = server.serve(site)
    options = {"content_types": "pages pdf", "recrawl": 0, "crawl_name": "one"}
    first = crawl(f"{origin}/", **options)
    [bees] = first.kept - {
        f"{origin}/",
        f"{origin}/b.pdf",
    }  # of two equal ones, which is read first
    bees = bees.removeprefix(origin)
    assert bees in {"/a.pdf", "/copy.pdf"}
    assert len(first.kept) == 3
    assert outcomes(crawl)["c.pdf"] == "noindex"
    site["/b.pdf"] = served(files.pdf(["Of honey"]), files.PDF)
    second = crawl(f"{origin}/", **options)
    assert {url: each["change"] for url, each in second.documents.items()} == {
        f"{origin}/b.pdf": "changed"
    }
    site["/b.pdf"] = served(files.pdf([]), files.PDF)
    third = crawl(f"{origin}/", **options)
    assert third.deletions == {f"{origin}/b.pdf": "unwanted_type"}
    site[bees] = served(files.pdf(["Of bees"])[:300], files.PDF)
    assert crawl(f"{origin}/", **options).lines == []  # damaged for now: its document stays
    status, said = crawl.command("reindex", "-a", "content_types=pages", "--dry-run")
    assert status == 0
    assert "1 document deleted (extension)" in said


@pytest.mark.behaviour("FI-09")
def test_links_in_files_are_followed(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page("/a.pdf", "/b.pdf"), "/x": page(title="X"), "/y": page()}
    origin = server.serve(site)
    site["/a.pdf"] = served(files.pdf(["Of bees"], links=[f"{origin}/x"]), files.PDF)
    closed = {"X-Robots-Tag": "nofollow"}
    site["/b.pdf"] = served(files.pdf(["Of wax"], links=[f"{origin}/y"]), files.PDF, **closed)
    crawl(f"{origin}/", content_types="pages pdf")
    assert "/x" in server.log.targets(origin)
    assert "/y" not in server.log.targets(origin)


@pytest.mark.behaviour("FI-12")
def test_sections_of_a_file_have_page_numbers(server: Server, crawl: CrawlCommand) -> None:
    body = files.pdf(
        ["Bees", "They make honey of the nectar that they gather."],
        ["Wax", "They make wax as well, for their combs."],
        outline=[("Bees", 1), ("Wax", 2)],
    )
    row = "".join(
        f"<table:table-cell><text:p>{each}</text:p></table:table-cell>" for each in ("Hive", "Bees")
    )
    rows = f"<table:table-row>{row}</table:table-row>" * 2
    site: dict[str, Page] = {
        "/": page("/a.pdf", "/b.odt"),
        "/a.pdf": served(body, files.PDF),
        "/b.odt": served(files.odt(f"<table:table>{rows}</table:table>"), files.ODT),
    }
    origin = server.serve(site)
    found = crawl(f"{origin}/", content_types="pages files", preset="rag", section_min=0)
    sections = found.documents[f"{origin}/a.pdf"]["sections"]
    assert [(each["page_number"], each["url"]) for each in sections] == [
        (1, f"{origin}/a.pdf#page=1"),
        (2, f"{origin}/a.pdf#page=2"),
    ]
    assert "# Wax" in sections[1]["markdown"]
    assert "| Hive | Bees |" in found.documents[f"{origin}/b.odt"]["markdown"]


@pytest.mark.behaviour("FI-04")
def test_files_have_a_size_limit_of_their_own(server: Server, crawl: CrawlCommand) -> None:
    large = files.pdf(["Of bees"]) + b"%" * 30_000
    site: dict[str, Page] = {"/": page("/a.pdf"), "/a.pdf": served(large, files.PDF)}
    origin = server.serve(site)
    run = crawl(f"{origin}/", content_types="pages pdf", max_body_size=10_000)
    assert f"{origin}/a.pdf" in run.documents
    crawl(f"{origin}/", content_types="pages pdf", max_file_size=10_000, crawl_name="two")
    assert (
        "larger than max_file_size"
        in crawl.command("explain", f"{origin}/a.pdf", "-a", "crawl_name=two")[1]
    )


@pytest.mark.behaviour("FI-10")
def test_a_missing_package_is_named_before_any_request(tmp_path: Path) -> None:
    """A finder that hides the package stands for an installation without it."""
    program = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'pypdfium2' else find(name, *more)\n"
        "from scrapy.cmdline import execute\n"
        "execute(['scrapy', 'crawl', 'site', '-a', 'start=http://127.0.0.1:9/', "
        "'-a', 'content_types=pages pdf'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings", "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "PDF needs the package pypdfium2" in ended.stderr
    assert "pip install 'scrapy-sitecrawl[files]'" in ended.stderr


@pytest.mark.behaviour("FI-11")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stop_does_not_wait_for_files_and_leaves_no_process(
    number: signal.Signals, server: Server, crawl: CrawlCommand
) -> None:
    rows = '<row><c r="A1"><v></v></c></row>' * 2_500_000
    slow = served(files.xlsx("Sheet", rows), files.XLSX)
    origin = server.serve({"/": page("/a.xlsx"), "/a.xlsx": slow})
    running = crawl.begin(f"{origin}/", content_types="pages files", delay=0)
    while "/a.xlsx" not in server.log.targets(origin):
        time.sleep(0.1)
    time.sleep(1)
    workers = readers()
    running.process.send_signal(number)
    began = time.monotonic()
    ended = running.finish(30)
    assert time.monotonic() - began < 10
    assert "Traceback" not in ended.log
    assert workers
    while workers & readers():  # killed by the kernel, which takes a moment
        assert time.monotonic() - began < 20
        time.sleep(0.1)
    expected = {signal.SIGINT: "shutdown", signal.SIGKILL: None}
    assert outcomes(crawl)["a.xlsx"] == expected[number]


def readers() -> set[str]:
    """The processes that read files, of any crawl."""
    found = set()
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"sitecrawl.web.files.worker" in each.read_bytes():
                found.add(each.parent.name)
        except OSError:
            continue
    return found
