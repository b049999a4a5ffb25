"""Options of the mode: the starts of a crawl, and the files that set its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import Duration, OptionGroup, Urls, matching, read_urls
from sitecrawl.web.feeds import listings
from sitecrawl.web.urls.url import normalize, origin

Mode = Literal["crawl", "page", "sitemap", "feed", "list", "check"]

FOLLOWING = frozenset({"crawl", "check", "page"})


def read_starts(value: object) -> object:
    """Return the start URLs, with each ``@FILE`` replaced by the lines of that file."""
    words = read_urls(value)
    if not isinstance(words, tuple | list):
        return words
    return tuple(url for word in words for url in _expand(word))


def _expand(word: object) -> Iterator[object]:
    if not (isinstance(word, str) and word.startswith("@")):
        yield word
        return
    try:
        lines = Path(word[1:]).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ValueError(f"the file {word[1:]!r} cannot be read: {reason}") from error
    yield from (line for line in map(str.strip, lines) if line and not line.startswith("#"))


def check_start(url: str) -> str:
    """Return a URL without credentials; it needs a scheme and, on the web, a host."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        raise ValueError(not_a_url(url))
    plain = normalize(url)
    if scheme.lower() in {"http", "https"} and (rest.startswith("/") or plain is None):
        raise ValueError(f"{url!r} has no valid host or port")
    return plain if plain and "@" in rest.partition("/")[0] else url


def not_a_url(text: str) -> str:
    """Return the error for a text that is not a URL, with the URL that was probably meant."""
    whole = f"https://{text}"
    host = text.partition("/")[0]
    meant = ("." in host.strip(".") or host.startswith("localhost")) and "@" not in host
    meant = meant and normalize(whole) is not None
    return f"{text!r} is not a URL; write {whole if meant else 'one as https://example.org/'}"


check_name = matching(r"[\w.-]*", "should have only letters, digits, dots, hyphens and underscores")


class ModeParams(OptionGroup):
    """Starts, mode, and files of options."""

    start: Annotated[
        Urls,
        BeforeValidator(read_starts),
        AfterValidator(lambda urls: tuple(map(check_start, urls))),
    ] = option(..., Effect.SELECTION, min_length=1)
    """Where the crawl begins: one or more URLs, or @FILE with one URL a line."""
    mode: Mode = option("crawl", Effect.SELECTION)
    """Kind of crawl: crawl a site from the start; page reads the start alone and keeps its links
    waiting; sitemap and feed read the start as such and fetch what it names (scope=any lets a feed
    lead anywhere); list fetches just the URLs given; check reports dead links and writes no
    documents."""
    entire_site: bool = option(False, Effect.RUN)
    """Crawl the start's directory with everything below it; stands for mode=crawl and
    scope=directory, whatever a profile sets."""
    discover: bool | None = option(None, Effect.SELECTION)
    """Make candidates of the links found on pages; otherwise only starts, sitemap entries and feed
    entries are fetched. If unset, links are followed in the modes crawl, page and check."""
    sitemaps: bool = option(True, Effect.SELECTION)
    """Read the sitemaps that robots.txt names, where links are followed; what they list passes
    every rule."""
    activity: Literal["all", "discover", "refresh"] = option("all", Effect.RUN)
    """URLs that a run visits: discover visits the starts and what was never visited, refresh what
    is known and due, whose new links wait for another run, all does both."""
    interval: Duration = option(0.0, Effect.RUN)
    """Pause after which a finished crawl begins anew, with its starts, sitemaps and feeds, until it
    is stopped; 0 ends it."""
    crawl_name: Annotated[str, AfterValidator(check_name)] = option("", Effect.RUN)
    """The crawl's name, which names its database; by default the host of the first start."""
    config: str = option("", Effect.RUN)
    """A TOML file of options; any other option given beside it wins."""
    crawl: str = option("", Effect.RUN)
    """Name of the crawl that is meant, if the file of `config` has several."""
    profile: str = option("", Effect.RUN)
    """A set of options that comes with the package: fdse, roboto, unobtanium, smartsite or
    searchtools; the config file and other options win over it."""

    @property
    def database_name(self) -> str:
        """The given name, or one made of the first start's host and port.

        A check for dead links uses a separate database, because it stores no documents.
        """
        host = origin(normalize(self.start[0]) or "").partition("://")[2]
        own = re.sub(r"[^\w.-]", "-", host).strip("-") or "crawl"
        return self.crawl_name or (f"{own}-check" if self.mode == "check" else own)

    @property
    def follows(self) -> bool:
        """True if links of pages become candidates."""
        return self.mode in FOLLOWING if self.discover is None else self.discover

    @property
    def considers(self) -> Literal["all", "discover", "refresh", "starts"]:
        """The set of known URLs that a run considers."""
        return "starts" if self.mode in {"list", "page"} else self.activity

    @property
    def revisits_starts(self) -> bool:
        """True if a run visits its starts regardless of their age."""
        return self.considers == "discover" or self.mode == "page"

    @property
    def lists_pages(self) -> str | None:
        """The format of starts that are listings, such as ``sitemap``; None for other starts."""
        return self.mode if self.mode in listings.FORMATS else None

    @property
    def reads_sitemaps(self) -> bool:
        """True if the sitemaps that a robots.txt names are extra starts."""
        lists = self.sitemaps and self.follows and self.mode in {"crawl", "check"}
        return lists and self.activity != "refresh"

    @property
    def reads_feeds(self) -> bool:
        """True if the feeds that a start names in its head are read: in a crawl that goes on."""
        return self.interval > 0 and self.reads_sitemaps
