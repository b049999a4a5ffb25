"""Whatever a site sends, reading its URLs, bytes, robots.txt and sitemaps raises nothing."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecrawl.web import dates, encoding, validators
from sitecrawl.web.encoding import LABELS
from sitecrawl.web.feeds import listings
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.urls import identity
from sitecrawl.web.urls import url as urls

pytestmark = pytest.mark.slow

# Few enough to stay within some seconds, without a deadline: the machine may be busy.
bounded = settings(max_examples=400)

# Any text, lone surrogates included, and text of the characters that mean something in a URL.
texts = st.text(st.characters(), max_size=40)
special = st.text("/\\:@?#[]%.;&=+'\"~ \t\n\0aZ0ü٣-_<>|", max_size=40)
pieces = st.sampled_from(
    ["http://", "//", "example.org", ":80", "index.html", "%2e", "%2F", "..", "/", "?", "&a", "#"]
)
joined = st.lists(pieces | special, max_size=12).map("".join)
hrefs = texts | special | joined
bases = hrefs | st.sampled_from(["http://example.org/a/b.html?x", "mailto:x", "about:blank", ""])


def snippets(*pieces: bytes) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(pieces) | st.binary(max_size=6), max_size=30).map(b"".join)


@bounded
@given(hrefs, bases, st.sampled_from(sorted(set(LABELS.values()))))
@example("a\ud800?\udfff", "http://example.org/", "koi8-r")
def test_urls(href: str, base: str, name: str) -> None:
    resolved = urls.resolve(href, base, name)
    if resolved is not None:
        assert urls.normalize(resolved) == resolved
        assert "#" not in resolved
        parts = urls.split(resolved)
        assert "@" not in parts.host
        if urls.origin(resolved):
            port = parts.port == urls.DEFAULT_PORTS[parts.scheme]
            host = parts.host if port else f"{parts.host}:{parts.port}"
            query = f"?{parts.query}" if "?" in resolved else ""
            assert f"{parts.scheme}://{host}{parts.path}{query}" == resolved


starts = st.sampled_from(
    [
        *("", "../", "../../", "/", "//", "http://", "https://h.example/", "a:", "./"),
        *("http://0x7f.1/", "http://127.1./", "http://2130706433/", "http://127.0.0.0x1/"),
    ]
)
names = st.lists(st.text("aZ0_~-.%/", min_size=1, max_size=6), max_size=5).map("/".join)
plain = st.tuples(starts, names).map("".join)
directories = st.sampled_from(
    [
        *("http://example.org/a/b.html?x/y", "https://u:p@example.org:8443/a//b/../c", "http://h"),
        *("HTTP://EXAMPLE.org/%7ea/;b", "file:///c|/d", "mailto:x", "data:,x", "x://h/a/b", ""),
    ]
)


@settings(max_examples=2000)
@given(st.lists(plain | hrefs, min_size=1, max_size=4), directories | bases)
@example(["..", "../..", ".", "a/..", "a/.b", "-", "~", "a//b", "http://h./a"], "http://h/a/b/c")
def test_short_way_leads_to_the_same_url(links: list[str], base: str) -> None:
    page = urls.Base(base, "utf-8")
    assert [page.resolve(href) for href in links] == [urls.resolve(href, base) for href in links]


def test_short_way_is_taken() -> None:
    page = urls.Base("http://example.org/a/b.html", "utf-8")
    assert page.plain("../c/d.html") == "http://example.org/c/d.html"
    assert page.plain("https://other.example/e") == "https://other.example/e"
    assert page.plain("c.html?d") is None
    assert page.plain("http://127.1/c.html") is None


@bounded
@given(hrefs)
@example("%22")
def test_hrefs(href: str) -> None:
    urls.origin(href)
    urls.split(href)
    urls.embeds_url(href)
    urls.is_ip_host(href)
    assert len(urls.trim_quotes(href)) <= len(href)
    assert not {"'", '"'} & set(urls.strip_quotes(href))
    assert not set(" \t\r\n") & set(urls.join_split(href))


@bounded
@given(hrefs, st.frozensets(st.sampled_from(identity.FOLDS)))
@example("http://example.org/%%34%31/index.html//index.html/", frozenset(identity.FOLDS))
@example("http://example.org/a%", frozenset(identity.FOLDS))
@example("http://example.org?a%4", frozenset({"query_order"}))
def test_identity_is_idempotent(href: str, fold: frozenset[str]) -> None:
    for url in filter(None, (href, urls.resolve(href, "http://example.org/a/"))):
        key = identity.identity_key(url, fold=fold)
        again = identity.identity_key(key, fold=fold)
        assert key == again
        assert -(2**63) <= identity.fingerprint(key) < 2**63
        assert len(identity.document_id(key)) == 32


@bounded
@given(hrefs)
def test_spellings_share_a_key(href: str) -> None:
    url = urls.resolve(href, "http://example.org/a/")
    if url and url.startswith("http"):
        escaped = url.replace("x", "%78").replace("Z", "%5a")
        spelt = urls.resolve(escaped + "#x", "http://example.org/")
        assert spelt is None or identity.identity_key(spelt) == identity.identity_key(url)


@bounded
@given(
    snippets(
        b"<meta charset=", b"<?xml encoding='", b"utf-16", b"koi8-r", b"<!--", b">", b"'", b'"'
    )
    | st.binary(max_size=200),
    st.none() | texts | st.sampled_from([f"text/html; charset={label}" for label in LABELS]),
)
def test_encodings(body: bytes, header: str | None) -> None:
    text, name = encoding.decode(body, header)
    assert name in LABELS.values()
    text.encode("utf-8")


@bounded
@given(
    snippets(
        b"User-agent: *", b"Disallow: /", b"Allow:", b"*", b"$", b"%", b"\n", b"\r", b"?", b":"
    )
    | st.binary(max_size=200),
    hrefs,
    texts,
    st.booleans(),
)
def test_robots_txt(body: bytes, url: str, agent: str, fold: bool) -> None:
    robots = RobotsTxt.parse(body, origin="http://example.org", case_insensitive_disallow=fold)
    match = robots.match(url, agent)
    match.line.encode("utf-8")
    assert match.allowed or match.line_number
    robots.crawl_delay(agent)
    for notice in robots.notices:
        notice.line.encode("utf-8")
    RobotsTxt.parse(agent)


XML = snippets(
    b"<urlset>", b"<url>", b"<loc>", b"</loc>", b"</url>", b"<rss>", b"<item>", b"<link href='x'>",
    b"http://example.org/", b"&", b"&amp;", b"&#x0;", b"<![CDATA[", b"]]>", b"<!DOCTYPE x [",
    b"<!ENTITY a 'b'>", b"<?xml version='1.0' encoding='utf-16'?>", b"xml:base='http://['", b"\n",
)  # fmt: skip


@bounded
@given(XML | st.binary(max_size=200), hrefs, st.booleans())
def test_sitemaps_and_feeds(body: bytes, url: str, compressed: bool) -> None:
    body = gzip.compress(body)[: 10 + len(body)] if compressed else body
    for read in (listings.read_sitemap, listings.read_feed):
        for entry in read(body, url, []):
            assert urls.normalize(entry.url) == entry.url


@bounded
@given(texts | st.text("0123456789-:+TZ., GMTSunNov", max_size=40))
def test_dates_and_validators(text: str) -> None:
    moment = dates.read_date(text)
    assert moment is None or moment.utcoffset() is not None
    dates.read_http_date(text)
    validators.if_none_match(text)
    validators.fresh_until(expires=text, cache_control=text, date=text, now=1e9)
    validators.retry_after(text, 1e9)
