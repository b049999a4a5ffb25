"""A user's own fields, and a project's own pipelines, in a real crawl."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

SITE: dict[str, Page] = {
    "/": page("/a", "/b", title="Start"),
    "/a": Answer(
        "<title>A</title><p class='price'> 12\n EUR<p>Größe".encode("latin-1"),
        headers={"Content-Type": "text/html; charset=iso-8859-1"},
    ),
    "/b": Answer("<title>B</title><a href='/c?x=1' rel='next'>next page</a>"),
    "/c": Answer("plain", headers={"Content-Type": "text/plain"}),
}
OPTIONS = """
[fields]
css = "p.price"
xpath = "//p[@class='price']/following-sibling::p"
target = "//a[@rel='next']/@href"
count = "(count(//p))"
broken = "//p[re:test(., $unknown)]"
"""


@pytest.mark.behaviour("MD-16")
def test_fields_by_css_and_by_xpath(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    options = OPTIONS.replace('broken = "//p[re:test(., $unknown)]"\n', "")
    (crawl.directory / "options.toml").write_text(options, encoding="utf-8")
    run = crawl(f"{origin}/", config="options.toml")
    assert run.status == 0, run.log[-3000:]
    fields = {url: document.get("fields") for url, document in run.documents.items()}
    assert fields[f"{origin}/a"] == {"css": ["12 EUR"], "xpath": ["Größe"], "count": ["2.0"]}
    assert fields[f"{origin}/b"] == {"target": ["/c?x=1"], "count": ["0.0"]}
    assert fields[f"{origin}/c?x=1"] is None


@pytest.mark.behaviour("MD-16")
def test_an_expression_that_is_none_is_refused(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    (crawl.directory / "options.toml").write_text(OPTIONS, encoding="utf-8")
    run = crawl(f"{origin}/", config="options.toml")
    assert run.status == 2
    assert "of the field 'broken' is no XPath expression" in run.log
    assert server.log.targets() == []


@pytest.mark.behaviour("MD-04", "MD-05", "MD-15", "MD-16")
def test_tables_on_the_command_line(server: Server, crawl: CrawlCommand) -> None:
    head = '<meta name=Category content=News><meta property="og:type" content=article>'
    head += "<meta name=keywords content=x><meta name=unmapped content=lost>"
    body = "<table><tr><td>12 EUR</td><td>20 EUR</td></tr></table>"
    origin = server.serve({"/": page(title="Start", head=head, body=body)})
    run = crawl(
        f"{origin}/",
        extra_fields="extra_kind:keyword, extra_price:text",
        metadata="category:extra_kind, og:type:extra_kind, field.price:extra_price",
        fields="price:td:first-child, cells:td",
        field_map="body:content_t, title:name",
    )
    assert run.status == 0, run.log[-3000:]
    (line,) = run.lines
    assert line["extra_kind"] == ["News", "article"]
    assert line["extra_price"] == ["12 EUR"]
    assert line["fields"] == {"price": ["12 EUR"], "cells": ["12 EUR", "20 EUR"]}
    assert line["name"] == "Start"
    assert "20 EUR" in line["content_t"]
    assert not {"body", "title"} & line.keys()
    assert "lost" not in str(line)


HOOKS = """
class Failing:
    def process_item(self, item):
        if item.get("title") == "A":
            raise ValueError("this hook is broken")
        return item
"""


@pytest.mark.behaviour("O-07")
@pytest.mark.parametrize("place", [450, 960])
def test_a_hook_that_fails_does_not_stop_the_crawl(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    origin = server.serve(dict(SITE))
    (crawl.directory / "hooks.py").write_text(HOOKS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(crawl.directory))
    hooks = str({"hooks.Failing": place}).replace("'", '"')
    run = crawl(f"{origin}/", settings={"ITEM_PIPELINES": hooks})
    assert run.status == 0, run.log[-3000:]
    assert "this hook is broken" in run.log
    assert "Start" in {document["title"] for document in run.documents.values()}
    assert f"{origin}/b" in run.documents
    assert f"{origin}/a" not in run.documents
    mended = crawl(f"{origin}/")
    assert list(mended.documents) == [f"{origin}/a"]
