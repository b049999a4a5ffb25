"""A project's own item pipelines: each gets a document once and whole; what it makes is stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from fixtures.command import Command
from fixtures.crawls import Crawl, CrawlCommand, read
from fixtures.server import Answer, Page, Server, page

pytestmark = pytest.mark.slow

SITE: dict[str, Page] = {
    "/": page("/hidden", "/a", "/b", title="Start"),
    "/hidden": "<meta name=robots content=noindex><title>Hidden</title><p>Text",
    "/a": page(title="A", text="The text of A"),
    "/b": page(title="B", text="The text of B"),
}
GONE = Answer(status=410)
CANONICAL = "<link rel=canonical href=/>"
COUNTING = """
from itemadapter import ItemAdapter


class Counting:
    def process_item(self, item):
        fields = ItemAdapter(item)
        with open("seen.txt", "a") as file:
            print(fields["url"], "id" in fields, "title" in fields, "body" in fields, file=file)
        fields["words"] = len(fields["body"].split())
        fields["id"] = fields["op"] = "mine"
        return item
"""
DROPPING = """
from scrapy.exceptions import DropItem


class Dropping:
    def process_item(self, item):
        if "unwanted" in item["body"]:
            raise DropItem("its body is unwanted")
        return item
"""
REPLACING = """
from dataclasses import dataclass


@dataclass
class Article:
    headline: str
    url: str
    nothing: str = ""


class Replacing:
    async def process_item(self, item):
        if item["title"] == "A":
            return None
        if item["title"] == "B":
            item["metas"] = {}
            item["metas"]["itself"] = item["metas"]
            return item
        return Article(item["title"], item["url"])
"""


class Project:
    """A folder with a module of pipelines, in which a site is crawled and exported."""

    def __init__(self, crawl: CrawlCommand, origin: str) -> None:
        self.crawl = crawl
        self.start = f"{origin}/"
        self.origin = origin
        self.settings: dict[str, str] = {}

    def use(self, code: str, **places: int) -> None:
        """Take these pipelines from now on, by class and number."""
        (self.crawl.directory / "own.py").write_text(code, encoding="utf-8")
        own = {f"own.{name}": place for name, place in places.items()}
        self.settings = {"ITEM_PIPELINES": json.dumps(own)}

    def run(self, status: int = 0, **options: object) -> Crawl:
        """Crawl with the pipelines."""
        done = self.crawl(self.start, settings=self.settings, **{"recrawl": 0, **options})
        assert done.status == status, done.log[-3000:]
        return done

    def call(self, *command: str, status: int = 0) -> None:
        """Run another command with the pipelines."""
        given = [
            word for name, value in self.settings.items() for word in ("-s", f"{name}={value}")
        ]
        errors = self.crawl.directory / "errors.log"
        ended = Command([*command, *given], self.crawl.directory, errors=errors).wait(120)
        assert ended == status, errors.read_text("utf-8")

    def export(self) -> dict[str, dict[str, Any]]:
        """The documents that the crawl database has, by path."""
        file = self.crawl.directory / "exported.jsonl"
        self.call("export", "-O", str(file))
        return self.by_path({line["url"]: line for line in read(file)})

    def by_path(self, documents: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Documents by path."""
        return {url.removeprefix(self.origin): each for url, each in documents.items()}

    def seen(self) -> list[str]:
        """Return the items that passed the counting pipeline since the last call."""
        file = self.crawl.directory / "seen.txt"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return sorted(line.removeprefix(self.origin) for line in lines)


@pytest.fixture
def site() -> dict[str, Page]:
    return dict(SITE)


@pytest.fixture
def project(server: Server, crawl: CrawlCommand, site: dict[str, Page]) -> Project:
    return Project(crawl, server.serve(site))


@pytest.mark.behaviour("O-04")
@pytest.mark.parametrize("place", [0, 350, 950, 1000])
def test_each_document_passes_once_and_whole(
    project: Project, site: dict[str, Page], place: int
) -> None:
    project.use(COUNTING, Counting=place)
    first = project.run(field_map="body:content")
    assert project.seen() == ["/ True True True", "/a True True True", "/b True True True"]
    assert {line["words"] for line in first.lines} == {4}
    assert all(line["op"] == "upsert" and len(line["id"]) == 32 for line in first.lines)
    assert all("content" in line and "body" not in line for line in first.lines)
    site["/a"] = page(title="A", text="The text of A is longer")
    site["/b"] = GONE
    changed = project.run()
    assert project.seen() == ["/a True True True"], "nothing that did not change, no deletion"
    assert changed.documents[f"{project.origin}/a"]["words"] == 6
    assert changed.deletions == {f"{project.origin}/b": "gone"}
    exported = project.export()
    assert {path: each["words"] for path, each in exported.items()} == {"/": 4, "/a": 6}
    assert "stands" not in changed.log


def test_what_was_not_delivered_is_as_the_pipelines_made_it(project: Project) -> None:
    project.use(COUNTING, Counting=300)
    project.call("crawl", "site", "-a", f"start={project.start}", "-a", "delay=0")
    assert len(project.seen()) == 3
    later = project.run(recrawl="9d")
    assert project.seen() == []
    assert project.by_path(later.documents) == project.export()
    assert all(line["words"] for line in later.lines)


def test_a_copy_that_takes_the_place_of_another_has_what_the_pipelines_made(
    project: Project, site: dict[str, Page]
) -> None:
    site["/longer"] = site["/a"]
    site["/"] = page("/a", "/longer", title="Start")
    project.use(COUNTING, Counting=300)
    first = project.run()
    assert project.by_path(first.documents)["/a"]["additional_urls"] == [f"{project.origin}/longer"]
    project.seen()
    site["/a"] = GONE
    site["/longer"] = Answer(status=503)
    promoted = project.run()
    assert project.seen() == []
    assert promoted.deletions == {f"{project.origin}/a": "gone"}
    assert project.by_path(promoted.documents)["/longer"]["words"] == 4


@pytest.mark.behaviour("O-04")
def test_what_a_pipeline_drops_is_not_written_and_what_was_is_deleted(
    project: Project, site: dict[str, Page]
) -> None:
    site["/b"] = page(title="B", text="This is unwanted")
    project.use(DROPPING, Dropping=300)
    first = project.run()
    assert project.by_path(first.documents).keys() == {"/", "/a"}
    rows = "SELECT outcome, reason, detail FROM url WHERE url LIKE ?"
    assert project.crawl.rows(rows, "%/b") == [(25, "dropped", "its body is unwanted")]
    assert first.stats["sitecrawl/outcomes/dropped"] == 1
    assert first.log.count("Dropped: its body is unwanted") == 1
    assert "This is unwanted" not in first.log
    site["/a"] = page(title="A", text="This is unwanted as well", head=CANONICAL)
    second = project.run()
    assert second.deletions == {f"{project.origin}/a": "dropped"}
    assert project.export().keys() == {"/"}


@pytest.mark.behaviour("O-07")
def test_an_item_of_its_own_and_none_at_all(project: Project) -> None:
    project.run()
    project.use(REPLACING, Replacing=300)
    run = project.run(pipeline_version=2)
    (line,) = run.lines
    assert line.keys() == {
        *("op", "id", "seq", "run_id", "schema_version", "realm", "change", "url", "headline"),
        "last_changed_at",
    }
    assert (line["headline"], line["change"]) == ("Start", "config")
    assert "a pipeline returned NoneType in place of an item" in run.log
    assert project.export()["/"] == line
    assert project.export().keys() == {"/", "/a", "/b"}, "what failed keeps its document"
    rows = project.crawl.rows("SELECT outcome, reason FROM url WHERE url LIKE '%/_'")
    assert rows == [(-2, "pipeline_error"), (-2, "pipeline_error")]


def test_other_pipelines_rewrite_what_did_not_change_when_asked(
    project: Project, site: dict[str, Page]
) -> None:
    site["/b"] = page(title="B", text="This is unwanted")
    project.use(DROPPING, Dropping=300)
    project.run()
    project.use(COUNTING, Counting=300)
    assert project.run(recrawl="9d").lines == []
    unasked = project.run(force=1)
    assert project.by_path(unasked.documents).keys() == {"/b"}, "it has no document yet"
    assert project.seen() == ["/b True True True"]
    asked = project.run(recrawl="9d", pipeline_version=2)
    assert {(line["change"], line["words"]) for line in asked.lines} == {
        ("config", 3),
        ("config", 4),
    }
    assert project.run(recrawl="9d", pipeline_version=2).lines == []
    project.call("reindex", "-a", "field_map=body:content")
    renamed = project.run(recrawl="9d", pipeline_version=2, field_map="body:content")
    assert all({"words", "content"} <= line.keys() for line in renamed.lines)
    project.use(DROPPING, Dropping=300)
    dropped = project.run(recrawl="9d", pipeline_version=3)
    assert dropped.deletions == {f"{project.origin}/b": "dropped"}
    project.use(COUNTING, Counting=300)
    taken_back = project.run(recrawl="9d", pipeline_version=4)
    assert f"{project.origin}/b" in taken_back.documents


LEAVING_OUT = """
class LeavingOut:
    def process_item(self, item):
        del item["body"], item["url"]
        return item
"""


def test_pages_are_compared_by_what_they_say_not_by_what_is_made_of_them(
    project: Project, site: dict[str, Page]
) -> None:
    site["/b"] = page(title="A", text="Nothing of this is to be found on another page")
    project.use(LEAVING_OUT, LeavingOut=300)
    run = project.run(preset="elastic")
    assert [line["title"] for line in run.lines] == ["Start", "A", "A"]
    assert all("additional_urls" not in line for line in run.lines)


def test_a_pipeline_with_a_number_out_of_range_is_reported(project: Project) -> None:
    seen = "class {}:\n    def process_item(self, item):\n        return item\n"
    project.use(seen.format("Early") + seen.format("Late"), Early=-500, Late=1200)
    run = project.run()
    assert "The pipeline Early has a number outside 0 to 1000: it gets documents that" in run.log
    assert "The pipeline Late has a number outside 0 to 1000: what it makes is neither" in run.log
    assert len(run.lines) == 3


def test_presets_in_a_crawl(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/hidden", "/dir/page.html", title="Start"),
        "/dir/page.html": "<title>Page</title><meta name=keywords content='a, b'><h1>One</h1>",
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/", preset="elastic", more_fields="links", crawl_name="elastic")
    document = run.documents[f"{origin}/dir/page.html"]
    assert document["headings"] == ["One"]
    assert document["meta_keywords"] == "a, b"
    assert (document["url_path_dir1"], document["url_path_dir2"]) == ("dir", "page.html")
    links = run.documents[f"{origin}/"]["links"]
    assert links == [f"{origin}/hidden", f"{origin}/dir/page.html"]
    small = crawl(f"{origin}/", preset="minimal", crawl_name="minimal").documents[f"{origin}/"]
    assert set(small) == {
        *("op", "id", "seq", "url", "title", "body", "description", "language"),
        "last_crawled_at",
    }
