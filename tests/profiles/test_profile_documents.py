"""Pages and documents of every profile: all that its source admits."""

from __future__ import annotations

import re
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
    "searchtools": {},
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


LINKED = {
    *("/js;jsessionid=A1", "/js;jsessionid=B2", "/(S(abc))/x", "/a/b/a/b/a/b/a/b/a/p"),
    *(
        "/d?OpenView&Start=10",
        "/d?ExpandView",
        "/d?OpenView&CollapseView&x",
        "/p?a=1&b=2",
        "/p?b=2&a=1",
    ),
    *("/p?utm_source=z", "/f", "/f/", "/f/index.html", "/f//x", "/f/x", "/same1", "/same2", "/old"),
    *("/refresh", "/refresh20", "/declared", "/described", "/parts", "/x?"),
}
"""Links that a crawl without a profile treats as copies, sessions, views or traps."""
QUERIES = {each for each in LINKED if "?" in each}
DECLARED = {"/next", "/next-header", "/longdesc", "/refreshed", "/refreshed20"}
PARTS = {"header", "nav", "aside", "footer"}
ADMITTED: dict[str, dict[str, Any]] = {
    "fdse": {"mode": "crawl", "scope": "host", "query": "keep"},
    "roboto": {},
    "searchtools": {},
    "smartsite": {"query_keep": "a b utm_source OpenView CollapseView ExpandView Start x"},
    "unobtanium": {"url_query_parameters": "?*"},
}
LEFT: dict[str, set[str]] = {
    "fdse": set(),
    "roboto": {*QUERIES, "/f/", "/f/index.html", "/f/x"},
    "searchtools": LINKED
    & {each for each in LINKED if re.search(r"jsess|/\(|b/a/b/a/b|\?[Ob]|E|\?$", each)},
    "smartsite": set(),
    "unobtanium": set(),
}
"""Links that each profile leaves out all the same, or requests as another URL."""
TARGETS: dict[str, set[str]] = {
    "fdse": {"/refreshed"},
    "roboto": {"/d", "/p", "/x"},
    "searchtools": {*DECLARED, "/canonical", "/js", "/x"},
    "smartsite": set(),
    "unobtanium": {"/canonical"},
}
"""Further URLs that each profile requests, beside the links."""
NO_DOCUMENT = {
    "fdse": {"/refresh"},
    "searchtools": {"/refresh", "/old", "/same2"},
    "unobtanium": {"/old"},
}
REMOVED = {"smartsite": {"header", "footer", "class"}}


def literal_site() -> dict[str, Page]:
    """Pages at all of these addresses, with what a crawl without a profile makes of some."""
    same = page(title="Same", text="One text for both of them.")
    parts = "".join(f"<{each}>{each}word</{each}>" for each in sorted(PARTS))
    refresh = '<meta http-equiv="refresh" content="{};url={}"><title>R</title><p>Going on'
    next_header = {"Link": '</next-header>; rel="next"'}
    return {
        "/": page(*sorted(LINKED), title="Home"),
        "/same1": same,
        "/same2": same,
        "/old": page(title="Old", head='<link rel="canonical" href="/canonical">'),
        "/refresh": refresh.format(0, "/refreshed"),
        "/refresh20": refresh.format(20, "/refreshed20"),
        "/declared": Answer(
            page(title="Declared", head='<link rel="next" href="/next">'), headers=next_header
        ),
        "/described": page(title="Described", body='<img src="/i.png" longdesc="/longdesc">'),
        "/parts": f"<title>Parts</title>{parts}<main>Own text</main><p class=noindex>classword",
        "*": lambda request: page(title=f"Page {request.target}"),
    }


@pytest.mark.behaviour("DU-05", "U-19", "K-03", "K-12", "K-19", "K-44", "R-06", "DU-02", "C-09")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_leaves_out_what_its_source_names_and_nothing_else(
    server: Server, crawl: CrawlCommand, profile: str
) -> None:
    origin = server.serve(literal_site())
    run = crawl(f"{origin}/", profile=profile, politeness=0, **ADMITTED[profile])
    asked = set(server.log.targets(origin)) - {"/", "/robots.txt"}
    assert LINKED - asked == LEFT[profile]
    assert asked - LINKED == TARGETS[profile]
    documents = {url.removeprefix(origin): each for url, each in run.documents.items()}
    assert asked - documents.keys() == NO_DOCUMENT.get(profile, set())
    body = documents["/parts"]["body"]
    words = {each for each in (*PARTS, "class") if f"{each}word" not in body}
    assert words == REMOVED.get(profile, set())


LISTS = {
    "fdse": "gif jpg jpe js css wav ram ra mpeg mpg avi zip exe doc xls pdf gz log old",
    "smartsite": "7z asf avi bat bmp cmd com cpl css dll eot exe flv gif hta ico inf iso jar jpeg jpg "
    "js json mp3 mp4 mpeg mpg msi msp ogg pif png ps1 qt rar reg scr svg tiff ttf vb vbe vbs vob wav "
    "wmv woff woff2 xml zip",
}
"""The lists of extensions as the sources give them."""


@pytest.mark.behaviour("LR-04", "LR-05", "LR-06", "LR-07", "K-28", "Q-01")
@pytest.mark.parametrize("profile", LISTS)
def test_the_extensions_of_a_source_are_ignored_and_no_others(
    server: Server, crawl: CrawlCommand, profile: str
) -> None:
    ignored = {f"/page.{each}" for each in LISTS[profile].split()}
    others = {"/page.bak", "/page.apk", "/page.webp", "/page.7zip"}
    links = [*ignored, *others, "/upper.GIF", "/page?", "/page?x.gif"]
    site: dict[str, Page] = {"/": page(*links, title="Home"), "*": page(title="Any")}
    origin = server.serve(site)
    crawl(f"{origin}/", profile=profile, mode="crawl", scope="host")
    asked = set(server.log.targets(origin)) - {"/", "/robots.txt"}
    assert asked - {"/page?"} == others
    assert ("/page?" in asked) == (profile == "smartsite"), "a question mark alone is a query"
