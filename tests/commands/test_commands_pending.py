"""`scrapy frontier pending` and `import`: the pending file of the fdse source."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from saying import SITE, Crawled, Say, states

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

OPTIONS: dict[str, object] = {}


@pytest.mark.behaviour("DB-02", "DB-03", "DB-04", "DB-06", "DB-07")
def test_the_pending_file_is_exact(server: Server, crawl: CrawlCommand, say: Say) -> None:
    origin = server.serve(SITE)
    before = int(time.time())
    crawl(f"{origin}/", realm="My realm", max_pages=4)
    said = say("frontier", "pending")
    assert said.status == 0, said.err
    rows = crawl.rows("SELECT url, visited_at FROM url WHERE indexed_at IS NOT NULL")
    indexed = {url.removeprefix(origin): int(at) for url, at in rows}
    assert indexed.keys() == {"/", "/a"}
    assert all(before <= at <= time.time() for at in indexed.values())
    failed = dict.fromkeys(("/dead", "/gone", "/private/x"), 2)
    expected = {"/a/b": 0, "/old": 0} | failed | indexed
    assert said.out == "".join(
        f"{origin}{path} My%20realm {state}\n" for path, state in sorted(expected.items())
    )


@pytest.mark.behaviour("DB-05")
def test_finding_a_url_again_changes_nothing(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    origin = known.origin
    first = say("frontier", "pending").out
    known.site["/dead"] = page(title="Back")
    assert say("frontier", "retry", f"{origin}/a").status == 0
    known.server.log.clear()
    crawl(f"{origin}/")
    assert "/a" in known.server.log.targets()
    assert "/dead" not in known.server.log.targets()
    assert states(first.splitlines(), origin)["/dead"] == 2
    again = say("frontier", "pending").out
    assert states(again.splitlines(), origin)["/dead"] == 2


@pytest.mark.behaviour("A-06")
def test_the_pending_file_can_be_edited_and_read_back(
    known: Crawled, crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    origin = known.origin
    known.site["/dead"] = page(title="Back")
    known.site["/hand"] = page(title="By hand")
    text = say("frontier", "pending").out.replace("/dead default 2", "/dead default 0")
    (tmp_path / "pending.txt").write_text(f"{text}{origin}/hand default 0\nno line at all\n")
    said = say("frontier", "import", "pending.txt")
    assert said.status == 1
    assert said.err.endswith("is not of the form URL Realm State: no line at all\n")
    known.server.log.clear()
    run = crawl(f"{origin}/")
    titles = {document["title"] for document in run.documents.values()}
    assert titles == {"Back", "By hand"}
    assert sorted(known.server.log.targets())[:2] == ["/dead", "/hand"]


@pytest.mark.usefixtures("known")
def test_a_pending_file_read_back_unchanged_changes_nothing(
    crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    rows = crawl.rows("SELECT * FROM url ORDER BY id")
    (tmp_path / "pending.txt").write_text(say("frontier", "pending").out)
    assert say("frontier", "import", "pending.txt", "--json").record == {
        "count": len(rows),
        "said": f"{len(rows)} URLs read from pending.txt.",
        "problems": [],
    }
    assert crawl.rows("SELECT * FROM url ORDER BY id") == rows
