"""`scrapy export --format llms`: files that the reference parser of llmstxt.org reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from saying import Crawled, Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from sitecrawl.console.terminal import CONTROLS

HOME = """<html lang="en"><head><title>Ex [Home] (1)</title><meta property="og:site_name" content="Example">
<meta name="description" content="All about\nexamples, > quoted."></head><body><h1>Ex [Home] (1)</h1>
<p>Welcome.</p><a href="/docs/">d</a> <a href="/docs/a">a</a> <a href="/user_guide/b(1)">b</a> <a href="/no">n</a></body></html>"""
SITE: dict[str, Page] = {
    "/": HOME,
    "/docs/": page(title="The documentation", text="Start here."),
    "/docs/a": page(title="## Evil\n](x) *title*", text="Text of a\x1b[31m\u202e."),
    "/user_guide/b(1)": page(title="B", text="Text of b."),
    "/no": page(title="No", text="Kept back.", head='<meta name="robots" content="noarchive">'),
}
OPTIONS: dict[str, object] = {"more_fields": "markdown"}


def parse(text: str) -> dict[str, Any]:
    """The parts of llms.txt, by the expressions of the reference implementation, llms_txt.core."""
    start, *rest = re.split(r"^##\s*(.*?$)", text, flags=re.MULTILINE)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    head = re.search(
        r"^#\s*(?P<title>.+?$)\n+(?:^>\s*(?P<summary>.+?$)$)?\n+(?P<info>.*)",
        start.strip(),
        re.MULTILINE | re.DOTALL,
    )
    assert head is not None
    link = r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<desc>.*))?"
    return {
        **head.groupdict(),
        "sections": {
            name.strip(): [found.groupdict() for found in re.finditer(link, part)]
            for name, part in sections.items()
        },
    }


@pytest.mark.behaviour("BR-09", "BR-10")
def test_both_files_of_a_site(known: Crawled, say: Say, tmp_path: Path) -> None:
    said = say("export", "--format", "llms", "-O", "out")
    assert (said.status, said.out) == (0, "")
    assert said.err.startswith("1 document left out")
    index = parse((tmp_path / "out" / "llms.txt").read_text("utf-8"))
    assert (index["title"], index["summary"]) == ("Example", "All about examples, \\> quoted.")
    assert index["info"].strip() == f"4 pages of {known.origin}."
    links = {
        name: {each["title"]: each["url"].removeprefix(known.origin) for each in found}
        for name, found in index["sections"].items()
    }
    assert links == {
        "Pages": {"Ex (Home) (1)": "/"},
        "The documentation": {"The documentation": "/docs/", "## Evil )(x) \\*title\\*": "/docs/a"},
        "User guide": {"B": "/user_guide/b%281%29"},
    }
    full = (tmp_path / "out" / "llms-full.txt").read_text("utf-8")
    titles = re.findall(r"^# (.*)\n\nSource: (\S+)\n", full, re.MULTILINE)
    assert [url.removeprefix(known.origin) for _, url in titles] == [
        "/", "/docs/", "/docs/a", "/user_guide/b(1)",
    ]  # fmt: skip
    assert full.count("Ex \\[Home\\]") == 1
    assert "# \\## Evil \\](x) \\*title\\*\n" in full
    assert "Text of b." in full
    assert not CONTROLS.search(full)
    assert "Kept back." not in full
    assert known.server.log.targets() == []


@pytest.mark.behaviour("BR-10")
def test_files_of_several_sites_and_of_sections(server: Server, tmp_path: Path) -> None:
    one, two = "first " * 90, "second " * 90
    body = f"<h2 id=one>One</h2><p>{one}</p><h2 id=two>Two</h2><p>{two}</p>"
    site = {"/": page(title="Home", body=body)}
    origins = [server.serve(site, address=f"127.0.0.{number}") for number in (2, 3)]
    command = CrawlCommand(tmp_path)
    command(*(f"{origin}/" for origin in origins), preset="rag", split="sections", realm="r")
    assert command.command("export", "--format", "llms", "-O", "out")[0] == 0
    for origin in origins:
        folder = tmp_path / "out" / origin.removeprefix("http://").replace(":", "-")
        assert len(parse((folder / "llms.txt").read_text())["sections"]["Pages"]) == 1
        full = (folder / "llms-full.txt").read_text()
        assert full.count("Source: ") == 1
        assert 0 < full.find("first") < full.find("second")
    status, said = command.command("export", "--format", "llms", "-O", "llms.txt")
    assert (status, "give a folder" in said) == (2, True)


@pytest.mark.behaviour("BR-09")
def test_a_site_that_begins_below_the_root(server: Server, crawl: CrawlCommand) -> None:
    body = "<h1>A manual</h1><p>It explains what there is.</p>"
    origin = server.serve({"/manual/": page(title="A manual", body=body)})
    assert crawl(f"{origin}/manual/").status == 0
    assert crawl.command("export", "--format", "llms", "-O", "out")[0] == 0
    index = parse((crawl.directory / "out" / "llms.txt").read_text("utf-8"))
    described = "It explains what there is."
    assert (index["title"], index["summary"]) == ("A manual", described)
    [[entry]] = index["sections"].values()
    assert entry["desc"] == described  # without the title once more


@pytest.mark.slow
@pytest.mark.behaviour("BR-12")
def test_the_index_of_a_manual_can_be_read_as_a_whole(server: Server, crawl: CrawlCommand) -> None:
    told = "A sentence that tells what the page is about, in some detail. " * 3
    pages: dict[str, Page] = {
        f"/{number}": page(title=f"Page {number}", text=f"{told} {number}", head='<html lang="en">')
        for number in range(600)
    }
    german = '<html lang="de"><title>Deutsch</title><p>Ein deutscher Text steht hier.</p>'
    first = page(*pages, "/genindex.html", "/de", title="Start")
    index = page(title="Index", text="a, b, c")
    origin = server.serve({"/": first, **pages, "/genindex.html": index, "/de": german})
    assert crawl(f"{origin}/").status == 0
    assert crawl.command("export", "--format", "llms", "-O", "out")[0] == 0
    text = (crawl.directory / "out" / "llms.txt").read_text("utf-8")
    sections = parse(text)["sections"]
    assert 40_000 < len(text.encode()) < 50_000
    assert list(sections) == ["Pages", "Optional"]
    assert all(each["desc"] is None for each in sections["Optional"])
    assert "genindex" not in text
    assert "/de)" not in text
    assert crawl.command("export", "--format", "llms", "--language", "de", "-O", "de")[0] == 0
    assert "/de)" in (crawl.directory / "de" / "llms.txt").read_text("utf-8")


@pytest.mark.usefixtures("known")
def test_named_files_and_wrong_usage(say: Say, tmp_path: Path) -> None:
    assert say("export", "--format", "llms", "-O", "my.txt").status == 0
    assert (tmp_path / "my.txt").exists()
    assert (tmp_path / "my-full.txt").exists()
    for words in ([], ["-o", "x"], ["-O", "x", "--since", "0"]):
        said = say("export", "--format", "llms", *words)
        assert (said.status, "-O FOLDER" in said.err) == (2, True)
    assert say("export", "--format", "other").status == 2
    (tmp_path / "file").write_text("")
    assert say("export", "--format", "llms", "-O", "file/below").status == 2
