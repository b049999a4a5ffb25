"""The templates of URLs: which are pages of one kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.policy.urls.templates import url_template

HOME = "https://example.org"


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("", "/"),
        ("/", "/"),
        ("/about", "/<word>"),
        ("/about/", "/<word>/"),
        ("/manual/en/mod/core.html", "/manual/en/mod/<word>.html"),
        ("/manual/mod/core.html.pt-br", "/manual/mod/<word>.html.pt-br"),
        ("/manual/en/index.html.en", "/manual/en/index.html.en"),
        ("/2026/11/the-title", "/<number>/<number>/<word>"),
        ("/2026-11/", "/<date>/"),
        ("/on/20261120/a.html", "/on/<date>/<word>.html"),
        ("/wiki/Main_Page", "/wiki/<word>"),
        ("/wiki/Special:Log/Alice", "/wiki/Special:Log/<word>"),
        ("/wiki/Talk:Main_Page", "/wiki/Talk:<word>"),
        ("/w/index.php?title=A_B&action=edit", "/w/index.php?action&title"),
        ("/t?b=1&a=2;c=3&b=2", "/<word>?a&b&c"),
        ("/page2.html", "/page<number>.html"),
        ("/articles/article-17/comments", "/articles/article-<number>/<word>"),
        ("/a-long-title-of-a-page/comments", "/<word>/<word>"),
        ("/user-guide/setup", "/user-guide/<word>"),
        ("/c/9f8e7d6c5b4a3f2e1d00/diff", "/c/<id>/<word>"),
        ("/shop;jsessionid=12/item", "/shop;/<word>"),
        ("/archive/linux-6.1.tar.gz", "/archive/<word>.tar.gz"),
        ("/v2.4/core", "/v2.4/<word>"),
    ],
)
def test_template(url: str, template: str) -> None:
    assert str(url_template(HOME + url)) == template


def test_depth_and_parameters_are_bounded() -> None:
    deep = url_template(HOME + "/a" * 500 + "/x.html?" + "&".join(f"p{n}=1" for n in range(900)))
    assert len(deep.path) < 100
    assert len(deep.parameters) < 20


@given(st.text(max_size=80))
def test_any_text_has_a_template(text: str) -> None:
    assert url_template(f"{HOME}/{text}").path.startswith("/")
