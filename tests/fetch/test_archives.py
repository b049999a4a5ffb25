"""Archives: what is written of a crawl, and crawls that read them in place of the network."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.archive.captures import OPEN, Captures, end_of_whole_records
from sitecrawl.archive.wacz import sort_key
from sitecrawl.archive.writer import Exchanged, WarcWriter

SITE: dict[str, Page] = {
    "/": page("/a", "/b", "/same", "/missing", text="The home of all"),
    "/a": page(text="What the first page says"),
    "/b": Answer(
        gzip.compress(b"<title>B</title><p>What the second page says, packed"),
        headers={"Content-Encoding": "gzip", "ETag": '"b"'},
    ),
    "/same": page(text="What the first page says"),
}
TIMES = ("first_seen_at", "last_crawled_at", "last_changed_at")


def records(folder: Path) -> list[tuple[str, dict[str, str], str, bytes]]:
    """Type, headers, head and content of each record, as warcio reads them."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            found += [
                (
                    each.rec_type,
                    dict(each.rec_headers.headers),
                    str(each.http_headers or ""),
                    each.raw_stream.read(),
                )
                for each in ArchiveIterator(file)
            ]
    return found


def is_valid(folder: Path) -> bool:
    """Every digest is that of its record, by warcio's checker."""
    return all(
        Checker(_Arguments([str(path)])).process_all() == 0 for path in folder.glob("*.warc.gz")
    )


class _Arguments:
    verbose = False

    def __init__(self, inputs: list[str]) -> None:
        self.inputs = inputs


def timeless(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: each[name] for name in each if name not in TIMES} for each in lines]


@pytest.mark.behaviour("AR-01")
def test_what_is_written(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    given = {"warc": "arch", "auth": f"{origin}=me:geheim", "headers": "X-Key: geheim"}
    crawl(f"{origin}/", **given)
    folder = crawl.directory / "arch"
    assert is_valid(folder)
    found = records(folder)
    urls = [headers["WARC-Target-URI"] for kind, headers, *_ in found if kind == "response"]
    assert urls[:2] == [f"{origin}/robots.txt", f"{origin}/"]
    assert {*urls, *revisited(found)} >= {f"{origin}{path}" for path in (*SITE, "/missing")}
    requests = [head for kind, _, head, _ in found if kind == "request"]
    assert len(requests) == len(server.log.of(origin))
    assert all("User-Agent: sitecrawl" in each and "Host: " in each for each in requests)
    assert "geheim" not in str(found)
    assert "bWU6Z2VoZWlt" not in str(found)  # as Basic credentials
    packed = [content for _, headers, _, content in found if is_of(headers, f"{origin}/b")]
    assert gzip.decompress(packed[0]).startswith(b"<title>B")

    crawl(f"{origin}/", **given, recrawl=0)
    assert is_valid(folder)
    (unchanged,) = [each for each in records(folder) if "not-modified" in str(each[1])]
    assert unchanged[1]["WARC-Refers-To-Target-URI"] == f"{origin}/b"
    assert "304" in unchanged[2]


def revisited(found: list[tuple[str, dict[str, str], str, bytes]]) -> set[str]:
    return {headers["WARC-Target-URI"] for kind, headers, *_ in found if kind == "revisit"}


def is_of(headers: dict[str, str], url: str) -> bool:
    return headers.get("WARC-Target-URI") == url and headers["WARC-Type"] == "response"


@pytest.mark.behaviour("AR-02")
def test_a_crawl_from_an_archive(server: Server, crawl: CrawlCommand, tmp_path: Path) -> None:
    site = {path: each for path, each in SITE.items() if path != "/same"}
    origin = server.serve(site)
    first = crawl(f"{origin}/", warc="arch")
    requested = len(server.log.of(origin))
    again = CrawlCommand(tmp_path / "again")
    again.directory.mkdir()
    archived = again(f"{origin}/", from_warc=crawl.directory / "arch", delay=100)
    assert timeless(archived.lines) == timeless(first.lines)
    assert len(server.log.of(origin)) == requested

    site["/new"] = page(text="What nobody has archived")
    site["/"] = page("/a", "/b", "/new", text="The home of all")
    crawl(f"{origin}/", recrawl=0)
    kept = crawl(f"{origin}/", from_warc="arch", force=1)
    assert [each["op"] for each in kept.lines if each["url"] == f"{origin}/new"] == []
    status, text = crawl.command("explain", f"{origin}/new")
    assert "not_archived" in text, status


@pytest.mark.behaviour("AR-02")
def test_reindexing_from_an_archive(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", warc="arch", deny="/never", field_map="body:text")
    requested = len(server.log.of(origin))
    status, text = crawl.command("reindex", "--from-warc", "arch", "-a", "more_fields=markdown")
    assert status == 0, text
    status, text = crawl.command("export")
    documents = {each["url"]: each for each in map(json.loads, text.splitlines())}
    assert documents[f"{origin}/a"]["markdown"] == "What the first page says"
    assert "text" in documents[f"{origin}/a"]
    assert set(documents) == {f"{origin}/", f"{origin}/a", f"{origin}/b"}
    assert len(server.log.of(origin)) == requested


def member(kind: str, url: str, block: str, headers: str = "") -> bytes:
    """A record as a member of a .warc.gz file."""
    media = "http; msgtype=" + kind if kind in {"request", "response"} else "warc-fields"
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n{target}"
        f"WARC-Record-ID: <urn:uuid:{uuid4()}>\r\nContent-Type: application/{media}\r\n{headers}"
        f"Content-Length: {len(block.encode())}\r\n\r\n"
    )
    return gzip.compress(f"{head}{block}\r\n\r\n".encode())


@pytest.mark.behaviour("AR-02")
def test_a_crawl_from_files_in_the_form_of_common_crawl(
    crawl: CrawlCommand, tmp_path: Path
) -> None:
    """Bodies are decoded, their encoding is told by headers of its own, long ones are cut off."""
    folder = tmp_path / "cc"
    folder.mkdir()
    site = "https://www.example.org"
    pages = {
        "/": page("/a", "/cut", "/absent", text="The home of all"),
        "/a": page(text="What the first page says"),
        "/cut": page(text="What stands before the cut"),
    }
    records = [member("warcinfo", "", "operator: Common Crawl\r\n")]
    for path, text in pages.items():
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            "X-Crawl-Content-Encoding: gzip\r\nX-Crawl-Transfer-Encoding: chunked\r\n"
            f"Content-Length: {len(text.encode())}\r\n\r\n"
        )
        told = "WARC-Truncated: length\r\n" if path == "/cut" else ""
        records += [
            member("request", site + path, f"GET {path} HTTP/1.1\r\nHost: www.example.org\r\n\r\n"),
            member("response", site + path, head + text, told),
            member("metadata", site + path, "fetchTimeMs: 12\r\n"),
        ]
    name = "CC-MAIN-20261101000000-20261101030000-00000.warc.gz"
    (folder / name).write_bytes(b"".join(records))
    run = crawl(f"{site}/", from_warc=folder, delay=100)
    assert run.status == 0, run.log[-3000:]
    assert {f"{site}/", f"{site}/a"} <= run.documents.keys()
    assert run.documents[f"{site}/a"]["body"] == "What the first page says"
    _, text = crawl.command("explain", f"{site}/absent")
    assert "not_archived" in text


@pytest.mark.behaviour("AR-06")
def test_the_page_beside_its_document(server: Server, crawl: CrawlCommand) -> None:
    home = page("/latin", "/file.txt", title="Home", text="Straße \U0001f41d")
    latin = "<title>L</title><p>na\xefve".encode("latin-1")
    site: dict[str, Page] = {
        "/": Answer(home, headers={"ETag": '"1"'}),
        "/latin": Answer(latin, headers={"Content-Type": "text/html; charset=iso-8859-1"}),
        "/file.txt": Answer("No page", headers={"Content-Type": "text/plain"}),
    }
    origin = server.serve(site)
    options: dict[str, Any] = {"content_types": "text/html text/plain", "recrawl": 0}

    def kept() -> dict[str, str]:
        status, text = crawl.command("export", "--format", "html")
        assert (status, text) == (1, "No page was kept: crawl with -a keep=html.\n") or not status
        found = map(json.loads, text.splitlines()) if not status else ()
        return {each["url"].removeprefix(origin): each["html"] for each in found}

    assert len(crawl(f"{origin}/", **options).documents) == 3
    assert kept() == {}
    crawl(f"{origin}/", keep="html", **options)
    assert kept() == {"/": home, "/latin": latin.decode("latin-1")}
    site["/latin"] = Answer(status=410)
    crawl(f"{origin}/", keep="html", **options)
    assert [each.status for each in server.log.of(origin) if each.target == "/"] == [200, 200, 304]
    assert kept() == {"/": home}
    status, text = crawl.command("export", "--format", "html", "--since", "0")
    assert (status, "leave --since out" in text) == (2, True)
    crawl(f"{origin}/", **options)
    assert kept() == {}, "the option is off"


@pytest.mark.behaviour("AR-03")
@pytest.mark.slow
def test_kills(server: Server, crawl: CrawlCommand) -> None:
    """Whatever is a document was archived, also when the crawl is killed in mid-write."""
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghij", k=8)) for _ in range(400)]
    site: dict[str, Page] = {
        f"/{number}": page(f"/{number + 1}", text=" ".join(chance.sample(words, 300)))
        for number in range(400)
    }
    origin = server.serve(site)
    folder = crawl.directory / "arch"
    for _ in range(50):
        running = crawl.begin(f"{origin}/0", warc=folder, delay=0)
        seen = len(server.log.of(origin))
        limit = time.monotonic() + 60
        while len(server.log.of(origin)) < seen + 5 and time.monotonic() < limit:
            if running.process.poll() is not None:
                break
            time.sleep(chance.uniform(0, 0.03))
        running.process.kill()
        running.process.wait()
        query = "SELECT url.url FROM url JOIN document ON document.url = url.id"
        documents = set(crawl.rows(query)) if (crawl.directory / ".sitecrawl").exists() else set()
        archived = archived_urls(folder)
        assert {url for (url,) in documents} <= archived
    assert crawl(f"{origin}/0", warc=folder).status == 0
    assert is_valid(folder)
    assert list(folder.glob(f"*{OPEN}")) == []
    assert archived_urls(folder) >= {f"{origin}{path}" for path in site}


def archived_urls(folder: Path) -> set[str]:
    captures = Captures(folder)
    urls = {each.url for each in captures}
    captures.close()
    return urls


def exchanged(url: str, body: bytes = b"<p>Some text") -> Exchanged:
    fields = [(b"Content-Type", b"text/html")]
    request = b"GET / HTTP/1.1\r\nHost: example.org\r\nCookie: a=b\r\n\r\n"
    return Exchanged(url, request, "HTTP/1.1", 200, fields, body, "192.0.2.1")


@pytest.mark.behaviour("AR-03")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of warcio's files
def test_a_file_cut_anywhere_is_whole_up_to_its_last_record(tmp_path: Path) -> None:
    folder = tmp_path / "arch"
    writer = WarcWriter(folder, "test")
    for number in range(5):
        writer.write(exchanged(f"http://example.org/{number}", f"Text {number}".encode() * 50))
    (path,) = folder.glob(f"*{OPEN}")
    data = path.read_bytes()
    writer.close()
    chance = random.Random(3)
    for end in {0, 1, len(data) - 1, *chance.sample(range(len(data)), 30)}:
        cut = tmp_path / str(end)
        cut.mkdir()
        (cut / path.name).write_bytes(data[:end])
        WarcWriter(cut, "test").close()
        (left,) = cut.glob("*.warc.gz")
        assert end_of_whole_records(left, 0) == left.stat().st_size <= end
        source = Captures(cut)
        whole = [
            number for number in range(5) if source.response(f"http://example.org/{number}", 999)
        ]
        assert whole == list(range(len(whole)))
        source.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.behaviour("AR-04")
def test_a_full_disk(server: Server, crawl: CrawlCommand, small_disk: Path) -> None:
    site: dict[str, Page] = {
        f"/{number}": page(f"/{number + 1}", text=random.Random(number).randbytes(9000).hex())
        for number in range(10)
    }
    origin = server.serve(site)
    done = crawl(f"{origin}/0", warc=small_disk)
    assert done.status == 1
    assert done.log.count("The archive (warc) cannot be written (") == 1
    assert "Traceback" not in done.log
    read = {each["url"] for each in done.lines}
    again = crawl(f"{origin}/0", warc="arch")
    assert again.status == 0
    assert archived_urls(crawl.directory / "arch") >= {f"{origin}{path}" for path in site} - read


@pytest.mark.behaviour("AR-04")
@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"warc": "/proc/arch"}, "warc: /proc/arch cannot be made"),
        ({"from_warc": "nowhere"}, "from_warc: nowhere is no folder"),
        ({"from_warc": "."}, "from_warc: . has no file *.warc or *.warc.gz"),
        ({"from_warc": ".", "warc": "arch"}, "there is nothing for warc to archive"),
    ],
)
def test_bad_folders(server: Server, crawl: CrawlCommand, given: dict[str, str], line: str) -> None:
    origin = server.serve(SITE)
    done = crawl(f"{origin}/", **given)
    assert done.status == 2
    assert line in done.log
    assert "Traceback" not in done.log
    assert not server.log.of(origin)


KEYS = [  # as the Internet Archive's library `surt` makes them
    ("http://www.Example.org:8080/a%20b?x=2&a=1", "org,example:8080)/a%20b?a=1&x=2"),
    ("http://example.org", "org,example)/"),
    ("https://example.org/Docs/", "org,example)/docs"),
    ("https://example.org/a?B=2&a=1", "org,example)/a?a=1&b=2"),
    ("http://127.0.0.5:18080/p2.html", "5,0,0,127:18080)/p2.html"),
    ("https://docs.example.org/%C3%A4/x.HTML?", "org,example,docs)/%c3%a4/x.html"),
    ("https://example.org/a/?q=a+b&q=%2F", "org,example)/a?q=/&q=a+b"),
]


@pytest.mark.behaviour("AR-05")
@pytest.mark.parametrize(("url", "key"), KEYS)
def test_sort_keys(url: str, key: str) -> None:
    assert sort_key(url) == key


@pytest.mark.behaviour("AR-05")
def test_the_index_and_the_package(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", warc="arch")
    status, text = crawl.command("archive", "arch", "--wacz", "site.wacz")
    assert status == 0, text
    folder = crawl.directory / "arch"
    lines = (folder / "index.cdxj").read_text().splitlines()
    assert lines == sorted(lines)
    for line in lines:
        fields = json.loads(line.split(" ", 2)[2])
        with (folder / fields["filename"]).open("rb") as file:
            file.seek(int(fields["offset"]))
            record = next(ArchiveIterator(file))
            assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"]
            assert record.http_headers.get_statuscode() == fields["status"]
    with ZipFile(crawl.directory / "site.wacz") as package:
        about = json.loads(package.read("datapackage.json"))
        for each in about["resources"]:
            data = package.read(each["path"])
            assert each["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert each["bytes"] == len(data)
        pages = package.read("pages/pages.jsonl").decode().splitlines()
    assert f"{origin}/a" in {json.loads(each).get("url") for each in pages}
    assert crawl.command("archive", "nowhere")[0] == 2
