"""Articles by extractors of others."""

from __future__ import annotations

import pytest

from sitecrawl.web import article_text as extractors
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

SENTENCE = "The council has decided in its meeting {} that the bridge will be built in two years. "
ARTICLE = f"""<title>Bridge</title><div><div class=teaser><a href=/a>Other news of today</a></div>
<div class=post><h1>Bridge</h1>{"".join(f"<p>{SENTENCE.format(number)}</p>" for number in range(12))}</div>
<div class=sidebar><ul><li><a href=/b>Most read</a></ul></div></div>"""


COMMENTS = """<div id=comments class=comments><h3>Comments</h3><ol class=commentlist><li class=comment>
<p>As a reader I doubt that the bridge will ever be built, whatever they decide.</p></ol></div>"""


def read(html: str, extractor: str, *, keep_parts: tuple[str, ...] = ()) -> Page:
    """A page as an article."""
    options = ReadOptions(content="article", article_extractor=extractor, keep_parts=keep_parts)
    return read_page(
        html.encode(), url="https://a.test/x", content_type="text/html", headers={}, options=options
    )


@pytest.mark.behaviour("C-28")
@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
def test_the_article_is_the_text(extractor: str) -> None:
    page = read(ARTICLE, extractor)
    assert page.text.count("that the bridge will be built") == 12
    assert "Other news" not in page.text or extractor == "resiliparse"
    assert [each.text for each in page.headings] == ["Bridge"]
    assert {link.url for link in page.links} == {"https://a.test/a", "https://a.test/b"}


@pytest.mark.behaviour("C-28")
@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
def test_comments_are_part_of_an_article_by_an_option(extractor: str) -> None:
    html = ARTICLE.replace("<div class=sidebar>", f"{COMMENTS}<div class=sidebar>")
    assert "As a reader" not in read(html, extractor).text
    assert "As a reader" in read(html, extractor, keep_parts=("comments",)).text


@pytest.mark.behaviour("C-28")
def test_an_article_of_more_than_a_megabyte_is_found() -> None:
    page = read(f"<script>{'x = 1; ' * 200_000}</script>{ARTICLE}", "trafilatura")
    assert page.text.startswith("Bridge\nThe council has decided")
    assert "article" not in page.cuts


@pytest.mark.behaviour("C-29")
def test_a_page_without_an_article_keeps_its_own_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("<nav>Home</nav><p>Short.</p>", "resiliparse").text == "Short."
    monkeypatch.setattr(extractors, "MAX_MARKUP", 10)
    assert read(ARTICLE, "resiliparse").text.startswith("Other news of today")


@pytest.mark.behaviour("C-29")
def test_an_extractor_that_fails_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_text: str, _url: str) -> str:
        raise RecursionError

    monkeypatch.setitem(extractors._EXTRACTORS, "resiliparse", fail)
    assert read("<p>Short.</p>", "resiliparse").text == "Short."
