"""Robots directives of pages, each notation in a crawl: its document, and its links."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

BOTH, DOCUMENT, LINKS, NEITHER = "document links", "document", "links", ""
HEADS = {
    "": BOTH,
    '<meta name="robots" content="index, follow">': BOTH,
    '<meta name="robots" content="all">': BOTH,
    '<meta name="robots" content="noindex, follow">': LINKS,
    '<META NAME="RoBoTs" CONTENT=" NoFollow ,  NOINDEX ">': NEITHER,
    '<meta name="robots" content="none">': NEITHER,
    '<meta name="robots" content="nofollow">': DOCUMENT,
    '<meta name="robots">nofollow</meta>': DOCUMENT,
    '<meta name="robots">noindex,nofollow</meta>': NEITHER,
    '<meta http-equiv="robots" content="noindex">': LINKS,
    '<meta property="robots" content="noindex">': LINKS,
    '<meta name="SiteCrawl" content="noindex">': LINKS,
    '<meta property="sitecrawl" content="nofollow">': DOCUMENT,
    '<meta name="otherbot" content="none">': BOTH,
    '<meta name="robots" content="noindex"><meta name="sitecrawl" content="nofollow">': NEITHER,
}


@pytest.mark.behaviour("M-01", "M-02", "M-03", "M-04", "M-05", "M-06", "M-07", "M-19", "M-20")
@pytest.mark.parametrize("between", ["", "\n"])
def test_each_way_to_say_it(between: str, server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page(*(f"/{number}" for number in range(len(HEADS))))}
    for number, head in enumerate(HEADS):
        text = f"Page {number}"
        link = f'<a href="/behind/{number}">{text}</a>'
        # Right behind the head, a text and a value without its attribute are one to a parser.
        site[f"/{number}"] = f"<html><head>{head}</head>{between}<body>{text} {link}</body></html>"
        site[f"/behind/{number}"] = page(title=f"Behind {number}")
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    asked = set(server.log.targets(origin))
    found = {
        head: " ".join(
            word
            for word, is_so in (
                ("document", f"{origin}/{number}" in run.documents),
                ("links", f"/behind/{number}" in asked),
            )
            if is_so
        )
        for number, head in enumerate(HEADS)
    }
    assert found == HEADS


@pytest.mark.behaviour("M-17")
@pytest.mark.parametrize(
    ("said", "documents", "asked"),
    [
        (("noindex", ""), "/frame /behind", "/frame /behind"),
        (("nofollow", ""), "/", ""),
        (("", "noindex"), "/ /behind", "/frame /behind"),
        (("", "nofollow"), "/ /frame", "/frame"),
    ],
)
def test_a_frameset_and_its_frame_speak_for_themselves(
    said: tuple[str, str], documents: str, asked: str, server: Server, crawl: CrawlCommand
) -> None:
    of_set, of_frame = (f'<meta name="robots" content="{each}">' for each in said)
    frames = '<frameset><frame src="/frame"><noframes>Without frames</noframes></frameset>'
    origin = server.serve(
        {
            "/": f"<html><head><title>Set</title>{of_set}</head>{frames}</html>",
            "/frame": page("/behind", title="Frame", head=of_frame),
            "/behind": page(title="Behind"),
        }
    )
    run = crawl(f"{origin}/")
    assert set(run.documents) == {f"{origin}{path}" for path in documents.split()}
    assert set(server.log.targets(origin)) == {"/robots.txt", "/", *asked.split()}
