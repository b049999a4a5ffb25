"""The article of a news page or blog: its text, Markdown and sections, without what is around it."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server

LEAD = (
    "The council has decided in its meeting of last night that the bridge will be rebuilt"
    " within two years, and that the road stays closed until then."
)
COSTS = (
    "The works cost four million in all, of which the region pays one half and the town the"
    " other. The table shows how the sum is spent in each of the two years."
)
REACTIONS = (
    "Shopkeepers on both banks welcomed the decision, because they had feared a delay of"
    " several years. The ferry, which has run since the flood, continues until the opening."
)
PAGE = f"""<!DOCTYPE html><html lang=en><head><title>Bridge to be rebuilt | The Example</title>
<meta property=og:type content=article><meta property=og:site_name content="The Example"></head><body>
<div class=top><ul><li><a href=/>Home</a><li><a href=/sport>Sport</a><li><a href=/weather>Weather</a></ul></div>
<div class=page><div class=teaser><h3><a href=/a>Ten hot offers of today</a></h3></div>
<div class="post entry-content"><h1>Bridge to be rebuilt</h1><p class=byline>By Jane Roe, 3 May 2024</p>
<p>{LEAD}</p><h2 id=costs>What it costs</h2><p>{COSTS}</p>
<table><tr><th>Year</th><th>Sum</th></tr><tr><td>2025</td><td>1.5 million</td></tr><tr><td>2026</td><td>2.5 million</td></tr></table>
<h2 id=reactions>Reactions</h2><p>{REACTIONS}</p><blockquote><p>We shall hold the mayor to her word, whatever the weather on the river may be.</p></blockquote></div>
<div class=sidebar><h3>Most read</h3><ul><li><a href=/b>Cat found on roof</a><li><a href=/c>Dog too</a></ul></div></div>
<div class=bottom><p>© The Example, all rights reserved</p></div></body></html>"""


TABLE = "Year\nSum\n2025\n1.5 million\n2026\n2.5 million"
ROWS = "| Year | Sum |\n| --- | --- |\n| 2025 | 1.5 million |\n| 2026 | 2.5 million |"


@pytest.mark.behaviour("MK-05", "C-28")
@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
def test_an_article_has_markdown_and_sections_of_its_own(
    server: Server, crawl: CrawlCommand, extractor: str
) -> None:
    origin = server.serve({"/": PAGE})
    options = {"content": "article", "article_extractor": extractor, "section_min": 0}
    [line] = crawl(origin, preset="rag", max_pages=1, **options).lines
    costs = f"What it costs\n{COSTS}\n{TABLE}\nReactions\n{REACTIONS}\nWe shall hold"
    assert f"{LEAD}\n{costs}" in line["body"]
    assert (
        f"## What it costs\n\n{COSTS}\n\n{ROWS}\n\n## Reactions\n\n{REACTIONS}" in line["markdown"]
    )
    sections = {each["heading_path"][-1]: each for each in line["sections"]}
    assert ROWS in sections["What it costs"]["markdown"]
    assert sections["Reactions"]["url"] == f"{origin}/#reactions"
    for text in (line["body"], line["markdown"], *(each["text"] for each in line["sections"])):
        assert "Weather" not in text
        assert "Cat found on roof" not in text


@pytest.mark.behaviour("C-28")
def test_a_table_of_an_article_stays_beside_what_is_left_out(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": PAGE})
    [line] = crawl(origin, max_pages=1).lines
    assert f"{COSTS}\n{TABLE}\nReactions" in line["body"]
    assert "Cat found on roof" not in line["body"]
