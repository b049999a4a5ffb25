"""The command blocks of the documentation, each page's in their order in a folder of its own."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typed import EXAMPLE_ORG, NOT_TYPED, is_typed, statements, type_all, typed

from fixtures.command import ROOT
from fixtures.postgres import PostgresServer
from fixtures.server import Answer, Server, Site, page

pytestmark = pytest.mark.slow
EXAMPLES = ROOT / "examples"
PAGES = {
    str(path.relative_to(ROOT)): path
    for pattern in ("*.md", "docs/**/*.md", "examples/*/README.md", "benchmarks/*.md")
    for path in sorted(ROOT.glob(pattern))
}
TYPED = {name: commands for name, path in PAGES.items() if (commands := typed(path))}
SITE: Site = {
    "/": page(
        "/intro", "/news", "/product", "/gone", "/basket/", title="Handbook", text="All of it"
    ),
    "/intro": page(title="Intro", text="Getting started: how to install the handbook"),
    "/news": page("/private/", "/old/page", title="News", text="A merge conflict is solved"),
    "/product": page(title="Lamp", text="A lamp", body='<b class="price">12</b>'),
    "/basket/": page(title="Basket", text="Nothing in it"),
    "/private/": page(title="Private", text="Not for the search"),
    "/old/page": page(title="Old", text="An old page of the handbook"),
    "/gone": Answer("gone", status=404),
    "/sitemap.xml": lambda request: Answer(
        f"<urlset><url><loc>http://{request.headers['host']}/intro</loc></url></urlset>",
        headers={"Content-Type": "application/xml"},
    ),
}
CRAWLS = """
[[crawl]]
name = "docs"
start = ["https://example.org/"]

[[crawl]]
name = "blog"
start = ["https://example.org/news"]
"""
FILES = {
    "shop.toml": 'start = ["https://example.org/"]\n',
    "sites.toml": CRAWLS,
    "crawler.yml": "domains:\n  - url: https://example.org\n    seed_urls: [https://example.org/]\n",
    "urls.txt": "https://example.org/intro\n",
    "tell": "#!/bin/sh\n",
    "package/module.py": "def function(texts):\n    return [[len(text), 1.0] for text in texts]\n",
}
"""Files that the pages leave to the reader."""
AS_IT_IS = {"/var/lib/node_exporter/": "", "--against 12": "--against 1"}
"""Words of a page that mean the reader's own folder and runs."""
FIRST = [
    "scrapy crawls sites.toml",
    "scrapy crawl site -a start=https://example.org -a crawl_name=example.org",
]


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """The address of the site."""
    with Server() as server:
        yield server.serve(SITE)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, origin: str) -> Path:
    """A folder with the crawls that most pages take for granted."""
    folder = tmp_path_factory.mktemp("crawled")
    shutil.copy(ROOT / "scrapy.cfg", folder)
    shutil.copytree(EXAMPLES, folder / "examples")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.replace("https://example.org", origin))
    type_all(FIRST, folder, origin, {})
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder with nothing but the examples."""
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


@pytest.fixture
def example(request: pytest.FixtureRequest, empty: Path, origin: str) -> Path:
    """An example's folder, for the local site; its commands have been typed."""
    folder = empty / "examples" / request.param
    for path in [*folder.glob("*.toml"), *folder.glob("*.csv")]:
        path.write_text(EXAMPLE_ORG.sub(origin, path.read_text()))
    type_all(TYPED[f"examples/{request.param}/README.md"], folder, origin, {})
    return folder


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of documents."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_not_typed_is_written_somewhere() -> None:
    skipped = [each for path in PAGES.values() for each in statements(path) if not is_typed(each)]
    assert [each for each in NOT_TYPED if not any(re.search(each, one) for one in skipped)] == []


@pytest.mark.parametrize(
    "name",
    [name for name in TYPED if not name.startswith(("README", "docs/tutorials", "examples"))],
)
def test_a_page(name: str, crawled: Path, origin: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(crawled, folder)
    type_all(TYPED[name], folder, origin, AS_IT_IS)


def test_the_tutorial_on_site_search(empty: Path, origin: str) -> None:
    pytest.importorskip("pagefind")
    type_all(TYPED["docs/tutorials/site-search.md"], empty, origin, {})
    assert (empty / "search" / "pagefind" / "pagefind.js").exists()
    assert "site-search" in (empty / "search" / "search-box.js").read_text()


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_tutorial_on_a_corpus(empty: Path, origin: str) -> None:
    type_all(TYPED["docs/tutorials/rag-corpus.md"], empty, origin, {})
    assert {each["op"] for each in lines_of(empty / "sections.jsonl")} == {"upsert"}
    assert (empty / "public" / "llms.txt").exists()


def test_the_tutorial_on_an_audit(empty: Path, origin: str) -> None:
    printed = type_all(TYPED["docs/tutorials/audit.md"], empty, origin, {})
    assert "/gone" in (empty / "dead_links.csv").read_text()
    assert f"404 file_not_found {origin}/gone" in printed
    assert "<html" in (empty / "report.html").read_text()


def test_the_tutorial_on_a_project(empty: Path, origin: str) -> None:
    type_all(TYPED["docs/tutorials/project.md"], empty, origin, {})
    lines = lines_of(empty / "shop-crawl" / "documents.jsonl")
    assert {"price": ["12"]} in [line.get("fields") for line in lines]


def test_the_tutorial_on_many_sites(empty: Path, origin: str) -> None:
    text = PAGES["docs/tutorials/many-sites.md"].read_text(encoding="utf-8")
    (file,) = re.findall(r"^```toml\n# sites.toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    with PostgresServer() as postgres:
        file = file.replace("postgresql://crawl@db/crawl", postgres.url("test"))
        file = EXAMPLE_ORG.sub(origin, file)
        (empty / "sites.toml").write_text(file)
        type_all(TYPED["docs/tutorials/many-sites.md"], empty, origin, {})
    assert {path.stem for path in (empty / "documents").iterdir()} == {"docs", "blog"}


@pytest.mark.parametrize("example", ["project"], indirect=True)
def test_the_example_of_a_project(example: Path) -> None:
    documents = {line["title"]: line for line in lines_of(example / "documents.jsonl")}
    assert "Basket" not in documents
    assert (documents["Lamp"]["price"], documents["Lamp"]["currency"]) == (12, "USD")


@pytest.mark.parametrize("example", ["site-search"], indirect=True)
def test_the_example_of_site_search(example: Path) -> None:
    assert {path.name for path in (example / "search").iterdir()} >= {
        "pagefind",
        "page.html",
        "search-box.js",
    }


@pytest.mark.parametrize("example", ["rag-corpus"], indirect=True)
def test_the_example_of_a_corpus(example: Path) -> None:
    with sqlite3.connect(example / "corpus.db") as corpus:
        urls = {row[0] for row in corpus.execute("SELECT url FROM section")}
    assert urls == {line["url"] for line in lines_of(example / "changes.jsonl")}
    assert len(urls) > 3


@pytest.mark.parametrize("example", ["audit"], indirect=True)
def test_the_example_of_an_audit(example: Path, origin: str) -> None:
    assert "<html" in (example / "report.html").read_text()
    dead = "sitecrawl report --list dead_links --format json"
    type_all([f"! {dead} | python limits.py 0"], example, origin, {})


@pytest.mark.parametrize("example", ["many-sites"], indirect=True)
def test_the_example_of_many_sites(example: Path) -> None:
    assert {path.stem for path in (example / "documents").iterdir()} == {"docs", "blog"}


@pytest.mark.parametrize("example", ["changes"], indirect=True)
def test_the_example_of_a_target(example: Path, origin: str) -> None:
    pages = list((example / "pages").glob("*.md"))
    assert any(f"<{origin}/intro>" in path.read_text() for path in pages)
    type_all(
        ["sitecrawl reindex -a config=site.toml -a deny=/intro", "python follow.py pages"],
        example,
        origin,
        {},
    )
    assert len(list((example / "pages").glob("*.md"))) == len(pages) - 1
