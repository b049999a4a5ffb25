"""What kind of crawl this is, where it begins, and where its options come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from sitecrawl.params.base import Urls, read_urls
from sitecrawl.web.urls import normalize, origin

Mode = Literal["crawl", "page", "sitemap", "feed", "list"]


def read_starts(value: object) -> object:
    """The start URLs, with each ``@FILE`` replaced by the lines of that file."""
    words = read_urls(value)
    if not isinstance(words, tuple | list):
        return words
    return tuple(url for word in words for url in _expand(word))


def _expand(word: object) -> Iterator[object]:
    if not (isinstance(word, str) and word.startswith("@")):
        yield word
        return
    try:
        lines = Path(word[1:]).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ValueError(f"the file {word[1:]!r} cannot be read: {reason}") from error
    yield from (line.strip() for line in lines if line.strip() and not line.startswith("#"))


def check_starts(urls: tuple[str, ...]) -> tuple[str, ...]:
    """The URLs, if each has a scheme and, on the web, a host."""
    for url in urls:
        scheme, mark, rest = url.partition("://")
        if not mark:
            raise ValueError(f"{url!r} is not a URL; write https://{url}")
        on_the_web = scheme.lower() in {"http", "https"}
        if on_the_web and (rest.startswith("/") or normalize(url) is None):
            raise ValueError(f"{url!r} has no valid host or port")
    return urls


def check_name(name: str) -> str:
    """The name, if it can be part of a file's name."""
    if not re.fullmatch(r"[\w.-]*", name):
        raise ValueError("should have only letters, digits, dots, hyphens and underscores")
    return name


class ModeParams(BaseModel):
    """Where the crawl begins, what it does there, and which files set its options."""

    start: Annotated[Urls, BeforeValidator(read_starts), AfterValidator(check_starts)] = Field(
        min_length=1,
        description="Where the crawl begins: one or more URLs, or @FILE with one URL a line.",
    )
    mode: Mode = Field(
        default="crawl",
        description="What the start is: crawl a site from it, page to list the links of that one "
        "page, sitemap or feed to read it as such, list to fetch just the URLs given.",
    )
    discover: bool = Field(
        default=True,
        description="Whether links found on pages become candidates; without it only starts, "
        "sitemap entries and feed entries are fetched.",
    )
    name: Annotated[str, AfterValidator(check_name)] = Field(
        default="",
        description="The crawl's name, which names its database; by default the host of the "
        "first start.",
    )
    config: str = Field(
        default="",
        description="A TOML file of options; any other option given beside it wins.",
    )
    profile: str = Field(
        default="",
        description="A set of options that comes with the package: fdse, roboto, unobtanium, "
        "smartsite or searchtools; the config file and other options win over it.",
    )

    @property
    def crawl_name(self) -> str:
        """The given name, or one made of the first start's host and port."""
        host = origin(normalize(self.start[0]) or "").partition("://")[2]
        return self.name or re.sub(r"[^\w.-]", "-", host).strip("-") or "crawl"
