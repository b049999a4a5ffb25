"""Pages and documents of every profile: all that its source admits."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page

TOPICS, PAGES = 20, 15
SIGN_IN = page(
    title="Sign in - Example",
    body='<form><input name="user"><input type="password"><button>Sign in</button></form>',
)
PROFILES = ("fdse", "roboto", "searchtools", "smartsite", "unobtanium")
FORUMS: dict[str, dict[str, Any]] = {
    "fdse": {"mode": "crawl", "scope": "host", "query": "keep"},
    "searchtools": {"max_pages_per_directory": 0},
    "smartsite": {"query_keep": "t start"},
    "unobtanium": {"url_query_parameters": "?t&start"},
}


def topic(request: Request) -> str | Answer:
    """A page of a topic, with the posts that only it has, and the links of a pager."""
    values = dict(each.split("=") for each in request.query.split("&"))
    number, start = int(values["t"]), int(values.get("start", "0"))
    if number >= TOPICS or start >= PAGES * 10:
        return Answer(status=404)
    pager = [f"/viewtopic?t={number}&start={n * 10}" for n in range(1, PAGES)]
    posts = " ".join(f"post{number * 1000 + start + n} was written here." for n in range(10))
    return page("/", f"/viewtopic?t={number}", *pager, title=f"Topic {number}", text=posts)


@pytest.mark.slow
@pytest.mark.behaviour("Q-53")
@pytest.mark.parametrize("profile", FORUMS)
def test_a_forum_is_fetched_whole(server: Server, crawl: CrawlCommand, profile: str) -> None:
    topics = [f"/viewtopic?t={number}" for number in range(TOPICS)]
    origin = server.serve({"/": page(*topics, title="Forum"), "/viewtopic": topic})
    options = {"delay": 0, "allow_private": 1, **FORUMS[profile]}
    run = crawl(f"{origin}/", profile=profile, **options)
    assert len(run.kept - {f"{origin}/"}) == TOPICS * PAGES, run.log[-3000:]


@pytest.mark.behaviour("EMP-05", "K-17")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_with_status_200_is_a_document_with_its_own_title(
    server: Server, crawl: CrawlCommand, profile: str
) -> None:
    names = [f"/{name}" for name in ("sign-in", "maintenance", "sale")]
    site: dict[str, Page] = {
        "/": page(*names, title="Home - Example"),
        "/sign-in": SIGN_IN,
        "/maintenance": page(title="503 Service Unavailable - Example"),
        "/sale": page(title="Example - This domain is for sale"),
    }
    origin = server.serve(site)
    options = {"entire_site": 1} if profile == "fdse" else {}
    run = crawl(f"{origin}/", profile=profile, allow_private=1, **options)
    titles = {url.removeprefix(origin): each["title"] for url, each in run.documents.items()}
    assert titles == {
        "/": "Home - Example",
        "/sign-in": "Sign in - Example",
        "/maintenance": "503 Service Unavailable - Example",
        "/sale": "Example - This domain is for sale",
    }


@pytest.mark.behaviour("DU-05")
def test_smartsite_a_new_complete_url_is_a_new_document(
    server: Server, crawl: CrawlCommand
) -> None:
    links = ["/item?id=1", "/item?id=2", "/a", "/a/", "/a/index.html"]
    same = page(title="Same", text="One text for all of them.")
    origin = server.serve({"/": page(*links, title="Home"), "*": same})
    run = crawl(f"{origin}/", profile="smartsite")
    assert set(run.documents) == {f"{origin}{each}" for each in ("/", *links)}
