"""`scrapy report`: a site with planted problems; all of them are found, and none is invented."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect
from sitecrawl.report import problems
from tests.fetch.tls import Authority

PROTECTING = {
    "Strict-Transport-Security": "max-age=31536000",
    "Content-Security-Policy": "default-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NAMED = [
    "red",
    "green",
    "blue",
    "brown",
    "black",
    "white",
    "grey",
    "pink",
    "orange",
    "purple",
    "violet",
    "yellow",
    "silver",
    "golden",
]
LONG = "A text that goes on and on, as some people write them who think that much helps much. " * 3


def text_of(path: str, words: int = 80) -> str:
    """A text that no other page has."""
    return " ".join(
        f"{NAMED[number % len(NAMED)]}{path.strip('/')}{number}" for number in range(words)
    )


def sound(path: str, *links: str, head: str = "", body: str = "", **given: Any) -> Answer:
    """A page without a fault, but for those that are given."""
    title = given.get("title", f"The page at {path}")
    description = given.get("description", f"Everything there is to know of {path}")
    h1 = given.get("h1", f"<h1>Heading of {path}</h1>")
    anchors = "".join(f'<a href="{each}">to {each}</a> ' for each in links)
    named = f'<meta name="description" content="{description}">' if description else ""
    html = (
        f'<!doctype html><html lang="en"><head><title>{title}</title>{named}{head}</head><body>'
        f"<main>{h1}<p>{given.get('text', text_of(path))}</p>{body}</main><nav>{anchors}</nav>"
    )
    headers = {"Content-Type": "text/html; charset=utf-8", **given.get("headers", PROTECTING)}
    return Answer(html, headers=headers, delay=given.get("delay", 0.0))


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


def language(tag: str, url: str) -> str:
    return f'<link rel="alternate" hreflang="{tag}" href="{url}">'


ELSEWHERE = "http://elsewhere"
"""Stands for the other site."""
GERMAN = language("de", "/de") + language("en", "/en")
SITE: dict[str, Page] = {
    "/a": sound("/a", "/gone", "/"),
    "/loop": redirect("/loop-back"),
    "/loop-back": redirect("/loop"),
    "/to-gone": redirect("/gone"),
    "/first": redirect("/second"),
    "/second": redirect("/a"),
    "/retired": Answer("gone", status=410),
    "/login": Answer("<title>Log in</title><form>Log in <input type=password></form>"),
    "/canonical-gone": sound("/canonical-gone", head=canonical("/lost")),
    "/canonical-moved": sound("/canonical-moved", head=canonical("/second")),
    "/canonical-hidden": sound("/canonical-hidden", head=canonical("/hidden")),
    "/hidden": sound("/hidden", head='<meta name="robots" content="noindex">'),
    "/en": sound("/en", head=GERMAN),
    "/de": sound("/de", head=GERMAN),
    "/fr": sound("/fr", head=language("fr", "/fr") + language("it", "/it")),
    "/it": sound("/it"),
    "/es": sound("/es", head=language("es", "/es") + language("pt", "/lost")),
    "/nl": sound("/nl", head=language("nl", "/nl") + language("nl", "/a")),
    "/untitled": sound("/untitled", title=""),
    "/same1": sound("/same1", title="A title that two pages have"),
    "/same2": sound("/same2", title="A title that two pages have"),
    "/long": sound("/long", title=LONG[:90]),
    "/undescribed": sound("/undescribed", description=""),
    "/described1": sound("/described1", description="A description that two pages have"),
    "/described2": sound("/described2", description="A description that two pages have"),
    "/described-long": sound("/described-long", description=LONG),
    "/headless": sound("/headless", h1="<h2>A heading of the second level</h2>"),
    "/two-heads": sound("/two-heads", h1="<h1>One</h1><h1>Another</h1>"),
    "/head1": sound("/head1", h1="<h1>A heading that two pages have</h1>"),
    "/head2": sound("/head2", h1="<h1>A heading that two pages have</h1>"),
    "/twin1": sound("/twin1", title="Twins", h1="<h1>Twins</h1>", description="Twins of a page"),
    "/twin2": sound("/twin1", title="Twins", h1="<h1>Twins</h1>", description="Twins of a page"),
    "/near1": sound("/near1", text=text_of("/near", 400)),
    "/near2": sound("/near2", text=text_of("/near", 400) + " but for the end"),
    "/thin": sound("/thin", text="Hardly a word of this."),
    "/mixed": sound("/mixed", body='<img alt="" src="http://images.test/p.png">'),
    "/pictures": sound("/pictures", body='<img src="/p.png"><img src="/q.png" alt="">'),
    "/data": sound("/data", head='<script type="application/ld+json">{"name": "x",}</script>'),
    "/data-sound": sound("/data-sound", head='<script type="application/ld+json">{}</script>'),
    "/slow": sound("/slow", delay=2.2),
    "/deep1": sound("/deep1", "/deep2"),
    "/deep2": sound("/deep2", "/deep3"),
    "/deep3": sound("/deep3", "/deep4"),
    "/deep4": sound("/deep4", "/deep5"),
    "/deep5": sound("/deep5"),
    "/naked": sound("/naked", headers={}),
    "/unlisted": sound("/unlisted"),
    "/secret": sound("/secret"),
    "/orphan": sound("/orphan"),
    "/unfollowed": sound("/unfollowed"),
}
UNLINKED = {"/orphan", "/unfollowed", "/deep2", "/deep3", "/deep4", "/deep5", "/gone", "/second"}
IN_SITEMAP = {"/second", "/hidden", "/gone", "/secret"}
"""Wrong entries of the sitemap."""
NOT_IN_SITEMAP = {
    *("/loop", "/loop-back", "/to-gone", "/first", "/retired", "/login", "/unlisted"),
    *("/unfollowed", "/canonical-moved", "/twin2"),
}
FOUND: dict[str, set[tuple[Any, ...]]] = {
    "dead_links": {("/gone", 404), ("/retired", 410), ("/lost", 404), (f"{ELSEWHERE}/dead", 404)},
    "broken_redirects": {("/loop", "loop"), ("/loop-back", "loop"), ("/to-gone", "file_not_found")},
    "insecure": {("/mixed", 1)},
    "empty_pages": {("/login", "login_wall")},
    "canonicals": {
        ("/canonical-gone", "file_not_found"),
        ("/canonical-moved", "permanent_redirect"),
        ("/canonical-hidden", "noindex"),
    },
    "sitemap": {
        ("/second", "permanent_redirect"),
        ("/hidden", "noindex"),
        ("/gone", "file_not_found"),
        ("/secret", "blocked_by_robots_txt"),
    },
    "translations": {
        ("/fr", "no link back", "it"),
        ("/es", "file_not_found", "pt"),
        ("/nl", "several pages for one language", "nl"),
    },
    "redirect_chains": {("/first", 2)},
    "titles": {
        ("/untitled", "missing"),
        ("/same1", "double"),
        ("/same2", "double"),
        ("/long", "long"),
    },
    "duplicates": {("/twin2", "duplicate")},
    "h1": {
        ("/headless", "missing"),
        ("/two-heads", "several"),
        ("/head1", "double"),
        ("/head2", "double"),
    },
    "orphans": {("/orphan",)},
    "no_alt": {("/pictures", 1)},
    "structured_data": {("/data", 1)},
    "slow": {("/slow",)},
    "descriptions": {
        ("/undescribed", "missing"),
        ("/described1", "double"),
        ("/described2", "double"),
        ("/described-long", "long"),
    },
    "thin": {("/thin",)},
    "deep": {("/deep5", 5)},
    "unprotected": {("/naked", 1)},
    "blocked": {("/secret",)},
    "nofollow": {("/unfollowed",)},
    "unlisted": {("/unlisted",)},
}
"""The planted problems by list: the URL, and the cells by which a problem is known."""
COLUMNS = {
    "dead_links": ("url", "status"),
    "insecure": ("url", "number"),
    "broken_redirects": ("url", "ends_as"),
    "empty_pages": ("url", "outcome"),
    "canonicals": ("url", "problem"),
    "sitemap": ("url", "outcome"),
    "translations": ("url", "problem", "language"),
    "redirect_chains": ("url", "hops"),
    "titles": ("url", "problem"),
    "duplicates": ("url", "because"),
    "h1": ("url", "problem"),
    "no_alt": ("url", "images"),
    "structured_data": ("url", "scripts"),
    "descriptions": ("url", "problem"),
    "deep": ("url", "clicks"),
    "unprotected": ("url", "pages"),
}


def planted(origin: str) -> dict[str, Page]:
    """The whole site: the pages, a start that links to them, robots.txt and the sitemap."""
    links = [*(path for path in SITE if path not in UNLINKED), "/gone"]
    start = sound("/", *links, body='<a href="/unfollowed" rel="nofollow">not followed</a>')
    listed = sorted((SITE.keys() | IN_SITEMAP | {"/"}) - NOT_IN_SITEMAP)
    urls = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in listed)
    sitemap = Answer(f"<urlset>{urls}</urlset>", headers={"Content-Type": "application/xml"})
    robots = f"User-agent: *\nDisallow: /secret\nSitemap: {origin}/sitemap.xml\n"
    return {**SITE, "/": start, "/sitemap.xml": sitemap, "/robots.txt": robots}


@pytest.mark.slow
@pytest.mark.behaviour("REP-10")
def test_all_planted_problems_are_found_and_none_is_invented(
    server: Server, crawl: CrawlCommand, fetching: Say, say: Say, tmp_path: Path
) -> None:
    elsewhere = server.serve(
        {"/": page(), "/wall": Answer(status=403), "/robots.txt": ""}, address="127.0.0.2"
    )
    site: dict[str, Page] = {}
    origin = server.serve(site, tls=Authority(tmp_path).context("127.0.0.1"))
    site.update(planted(origin))
    others = [f"{elsewhere}{path}" for path in ("/", "/wall", "/dead")]
    site["/it"] = sound("/it", *others)
    options: dict[str, Any] = {
        "store_links": "outside",
        "allow_private": 1,
        "unverified_origins": "*",
    }
    done = crawl(f"{origin}/", sitemaps="yes", patience=100, **options)
    assert done.status == 0, done.log
    assert sum(map(len, FOUND.values())) >= 30
    assert FOUND.keys() == {each.name for each in problems.all_problems()}
    assert "Not looked at: 3 links to other sites." in say("report").out
    assert "Not looked at" not in fetching("report", "--check-outside").out
    wrong = {}
    for name, expected in FOUND.items():
        said = say("report", "--list", name, "--format", "jsonl")
        text = said.out.replace(origin, "").replace(elsewhere, ELSEWHERE)
        rows: Iterable[dict[str, Any]] = map(json.loads, text.splitlines())
        found = {tuple(row[column] for column in COLUMNS.get(name, ("url",))) for row in rows}
        if found != expected:
            wrong[name] = {"missed": expected - found, "invented": found - expected}
    assert wrong == {}
