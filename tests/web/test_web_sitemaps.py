"""Sitemaps: what of every quality of file can be read."""

from __future__ import annotations

import gzip
import tomllib
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from fixtures.effort import effort_within
from sitecrawl.web.decompression import SIZE_LIMIT, read_chunks
from sitecrawl.web.feeds.listings import read_sitemap

URL = "http://example.org/maps/sitemap.xml"
CASES = tomllib.loads((Path(__file__).parent / "cases" / "sitemaps.toml").read_text("utf-8"))

named = pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"], marks=pytest.mark.behaviour(*case.get("ids", ())))
        for case in CASES["case"]
    ],
)


def entries(body: bytes, problems: list[str] | None = None) -> list[list[object]]:
    return [
        [entry.url, entry.date.isoformat() if entry.date else "", entry.is_listing]
        for entry in read_sitemap(body, URL, [] if problems is None else problems)
    ]


def urlset(count: int) -> bytes:
    rows = "".join(
        f"<url><loc>http://example.org/{number}?a=1&amp;b=ü</loc></url>" for number in range(count)
    )
    return f"<urlset>{rows}</urlset>".encode()


@named
def test_entries(case: dict[str, Any]) -> None:
    problems: list[str] = []
    assert entries(case["text"].encode(), problems) == case["entries"]
    assert problems == case.get("problems", [])


@pytest.mark.behaviour("X-02")
@named
def test_compressed_entries(case: dict[str, Any]) -> None:
    assert entries(gzip.compress(case["text"].encode())) == case["entries"]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><urlset><url><loc>/ü</loc></url></urlset>'
    assert entries(text.encode(encoding)) == [["http://example.org/%C3%BC", "", False]]
    lines = "http://example.org/ü\nhttp://example.org/a"
    assert len(entries(lines.encode(encoding))) == 2


def test_pieces_of_any_size_give_the_same() -> None:
    # 65,536 bytes a piece: entities, characters and tags lie across the joints.
    found = entries(urlset(20_000))
    assert found[::19_999] == [
        [f"http://example.org/{number}?a=1&b=%C3%BC", "", False] for number in (0, 19_999)
    ]
    assert len(found) == 20_000


def test_long_text_files_are_read_whole() -> None:
    lines = "".join(f"http://example.org/{number}\r\n" for number in range(20_000))
    assert len(entries(lines.encode())) == 20_000


def test_damaged_gzip_gives_what_it_can() -> None:
    problems: list[str] = []
    found = entries(gzip.compress(urlset(20_000))[:-30_000], problems)
    assert 1000 < len(found) < 20_000
    assert set(problems) == {"damaged_gzip", "malformed_xml"}


def test_corrupt_gzip_gives_what_it_can() -> None:
    body = bytearray(gzip.compress(bytes(range(256)) * 4000, mtime=0))
    body[len(body) // 2 :] = b"\xff" * len(body[len(body) // 2 :])
    problems: list[str] = []
    assert len(b"".join(read_chunks(bytes(body), problems=problems))) > 0
    assert problems == ["damaged_gzip"]


def test_several_gzip_members_are_one_file() -> None:
    body = urlset(3)
    assert len(entries(gzip.compress(body[:40]) + gzip.compress(body[40:]) + b"\0" * 100)) == 3


def test_reading_stops_at_the_limits() -> None:
    problems: list[str] = []
    found = list(read_sitemap(urlset(20), URL, problems, limit=10))
    assert (len(found), problems) == (10, ["too_many_entries"])
    problems.clear()
    assert len(list(read_sitemap(urlset(10), URL, problems, limit=10))) == 10
    assert problems == []


def test_the_images_of_pages_are_not_kept() -> None:
    image = "<image:image><image:loc>http://a.test/i.png</image:loc></image:image>"
    page = f"<url><loc>/page</loc>{image * 50}</url>"
    tracemalloc.start()
    entries = read_sitemap(f"<urlset>{page * 1_000}</urlset>".encode(), "http://a.test/", [])
    assert sum(1 for _ in entries) == 1_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000  # else 20 million


def test_a_compression_bomb_is_cut() -> None:
    problems: list[str] = []
    bomb = gzip.compress(b"<urlset>" + b" " * (SIZE_LIMIT + 1))
    assert sum(map(len, read_chunks(bomb, problems=problems))) == SIZE_LIMIT
    assert problems == ["too_large"]


@pytest.mark.parametrize("piece", ["<a>", "<url>", "<loc>x", "&", "<a b='", "<!--", "<![CDATA["])
def test_hostile_files_are_read_in_linear_time(piece: str) -> None:
    with effort_within(400):
        entries(b"<urlset>" + piece.encode() * 50_000)


@pytest.mark.parametrize("start", ["<urlset><!--", "<urlset a='", "<?x "])
def test_what_does_not_end_is_looked_at_a_few_times(start: str) -> None:
    problems: list[str] = []
    body = gzip.compress(f"{start}{'> ' * 10_000_000}".encode())
    with effort_within(800):  # else 1,600, and 10,000 for what a file may hold
        entries(body, problems)
    assert problems == ["malformed_xml"]
