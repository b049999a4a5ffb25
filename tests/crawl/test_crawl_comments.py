"""Comments of readers: pages that differ in them, new ones, and searches for their words."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

ARTICLE = "".join(
    f"<p>Sentence {n} of this article says something of archives.</p>" for n in range(9)
)


def article(title: str, comments: list[str], *links: str) -> Page:
    shown = "".join(
        f'<li class="comment"><article><p>{each}</p></article></li>' for each in comments
    )
    body = f"<article>{ARTICLE}</article><div class=comments-area><ol>{shown}</ol></div>"
    return page(*links, title=title, body=body)


@pytest.mark.behaviour("C-35")
def test_pages_of_comments_are_documents_and_a_new_comment_changes_one(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {
        "/robots.txt": "",
        "/": article("Post", ["Ada likes it.", "Ben does not."], "/comment-page-1"),
        "/comment-page-1": article("Post", ["Cleo read it twice."]),
    }
    origin = server.serve(site)
    first = crawl(f"{origin}/", force=1)
    found = {url.removeprefix(origin): line["comments"] for url, line in first.documents.items()}
    assert found == {
        "/": "Ada likes it.\n\nBen does not.",
        "/comment-page-1": "Cleo read it twice.",
    }
    assert all("Cleo" not in line["body"] for line in first.documents.values())
    site["/comment-page-1"] = article("Post", ["Cleo read it twice.", "Dan never did."])
    [line] = crawl(f"{origin}/", force=1).lines
    assert (line["url"], line["change"]) == (f"{origin}/comment-page-1", "changed")
    assert line["comments"].endswith("\n\nDan never did.")


@pytest.mark.behaviour("C-35")
def test_comments_are_sections_of_their_own(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/robots.txt": "", "/": article("Post", ["Ada likes it."])}
    origin = server.serve(site)
    line = crawl(f"{origin}/", preset="rag").documents[f"{origin}/"]
    *own, last = line["sections"]
    assert own
    assert all("part" not in each and "Ada" not in each["text"] for each in own)
    assert (last["part"], last["text"], last["order"]) == (
        "comments",
        "Ada likes it.",
        len(own) + 1,
    )
    assert "Ada" not in line["markdown"]


@pytest.mark.behaviour("C-35")
def test_comments_are_lines_of_a_divided_page(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/robots.txt": "", "/": article("Post", ["Ada likes it."])}
    origin = server.serve(site)
    lines = crawl(f"{origin}/", split="sections").lines
    [line] = [each for each in lines if each.get("part") == "comments"]
    assert line["body"] == "Ada likes it."
    assert not any("comments" in each for each in lines)
    site["/"] = article("Post", ["Ada loves it."])
    changed = crawl(f"{origin}/", split="sections", force=1).lines
    assert [(each["id"], each["body"]) for each in changed] == [(line["id"], "Ada loves it.")]


@pytest.mark.behaviour("C-35")
def test_a_search_finds_comments_after_bodies(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(
        {
            "/robots.txt": "",
            "/": article("Post", ["Ada adores zebras."], "/animals", "/other"),
            "/animals": page(title="Other", body=f"{ARTICLE}<p>Some words of zebras.</p>"),
            "/other": page(title="Third", body=ARTICLE),
        }
    )
    crawl(f"{origin}/")
    status, printed = crawl.command("search", "zebras")
    assert status == 0, printed
    assert printed.index(f"{origin}/animals") < printed.index(f"{origin}/\n"), printed
    assert "adores" in printed
