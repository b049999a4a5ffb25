"""Options of requests: headers, pace, bounds and retries."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, SecretStr

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import (
    ByteSize,
    Duration,
    Notation,
    OptionGroup,
    Words,
    matching,
    read_lines,
    read_table,
    read_urls,
    read_words,
)
from sitecrawl.web.robots.robots_txt import PRODUCT
from sitecrawl.web.urls.url import normalize, origin

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
PROXY = re.compile(r"(?:https?|socks4a?|socks5h?)://(?:[^/@\s]*@)?[^/@\s]+:\d{1,5}/?")
OURS = frozenset({"connection", "content-length", "cookie", "host", "te", "transfer-encoding"})


check_header_text = matching(r"[\x20-\x7e]*", "should have printable ASCII characters only")


def _header_text(pattern: str, fault: str) -> Callable[[str], str]:
    """Build a check of a text for a header, which is empty or matches a pattern."""
    check = matching(f"(?:{pattern})?", fault)
    return lambda text: check_header_text(check(text))


check_agent = _header_text(  # which a robots.txt can name
    rf"{PRODUCT}(?:[/ ].*)?",
    "should begin with a name of letters, digits, - and _, as in 'mybot/1.0'",
)


check_contact = _header_text(
    r".*(?:\w[@.:]\w|://).*", "should be the address of a web page or a mail address"
)


check_email = _header_text(r"[^@\s]+@[^@\s]+", "should be a mail address")


read_headers = read_table(read_lines, lambda text: _pair(text, ":"))
read_credentials = read_table(read_words, lambda text: _pair(text, "="))
read_origin_files = read_table(read_words, lambda text: _pair(text, "="))  # no secret


def read_origin_headers(value: object) -> object:
    """Parse headers by origin: table of tables, JSON object, or lines ``ORIGIN Name: value``."""
    lines = None if isinstance(value, str) and value.lstrip().startswith("{") else read_lines(value)
    if not isinstance(lines, tuple | list):
        return read_headers(value)
    tables: dict[str, dict[str, str]] = {}
    for line in lines:
        key, _, rest = str(line).strip().partition(" ")
        name, text = _pair(rest, ":")
        tables.setdefault(key, {})[name] = text
    return tables


def _pair(text: str, mark: str) -> tuple[str, str]:
    name, found, item = text.partition(mark)
    if not (found and name.strip()):
        raise ValueError(f"an entry is not of the form NAME{mark}VALUE")
    return name.strip(), item.strip()


def check_headers(headers: dict[str, str]) -> dict[str, str]:
    """Check that headers are well formed and not set by the crawl itself."""
    for name, value in headers.items():
        if not TOKEN.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if name.lower() in OURS:
            raise ValueError(f"{name!r} is set by the crawler itself")
        if name.lower() == "authorization":
            raise ValueError("credentials are no header here; give them as auth")
        check_header_text(value)
    return headers


def check_origin_headers(tables: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Check headers as ``check_headers`` does, and return them by normalized origin."""
    found: dict[str, dict[str, str]] = {}
    for key, headers in tables.items():
        found.setdefault(_origin(key), {}).update(check_headers(headers))
    return found


def check_origin_names(origins: tuple[str, ...]) -> tuple[str, ...]:
    """Check and normalize origins; ``*`` is every one."""
    return tuple(each if each == "*" else _origin(each) for each in origins)


def check_credentials(auth: dict[str, SecretStr]) -> dict[str, SecretStr]:
    """Check that credentials have a user and a password; return them by normalized origin."""
    for key, secret in auth.items():
        if ":" not in secret.get_secret_value():
            raise ValueError(f"the credentials of {key} are not of the form user:password")
    return {_origin(key): secret for key, secret in auth.items()}


def read_secrets(value: object) -> object:
    """Parse secrets: a table, a JSON object, or lines ``NAME=VALUE``; look up those elsewhere."""
    table = read_table(read_lines, lambda text: _pair(text, "="))(value)
    if not isinstance(table, dict):
        return table
    return {
        name: _looked_up(text) if isinstance(text, str) else text for name, text in table.items()
    }


def _looked_up(text: str) -> str:
    where, _, name = text.partition(":")
    if where == "env":
        if name not in os.environ:
            raise ValueError(f"the environment has no variable {name}")
        return os.environ[name]
    if where != "file":
        return text
    try:
        return Path(name).read_text("utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise ValueError(f"the file {name} cannot be read: {why}") from None


def check_proxy(proxy: SecretStr) -> SecretStr:
    """Check that a proxy is a URL of a known kind."""
    if not PROXY.fullmatch(proxy.get_secret_value()):
        raise ValueError("a proxy is not of the form SCHEME://[NAME:PASSWORD@]HOST:PORT")
    return proxy


def _origin(text: str) -> str:
    found = origin(normalize(text) or "")
    if not found.startswith(("http:", "https:")):
        raise ValueError(f"{text!r} is not an origin such as https://example.org")
    return found


Agent = Annotated[str, AfterValidator(check_agent)]
Contact = Annotated[str, AfterValidator(check_contact)]
Email = Annotated[str, AfterValidator(check_email)]
Origins = Annotated[Words, AfterValidator(check_origin_names)]
Headers = Annotated[
    dict[str, str],
    BeforeValidator(read_headers),
    AfterValidator(check_headers),
    Notation("table", "lines of the form Name: value, or a TOML table"),
]
OriginHeaders = Annotated[
    dict[str, dict[str, str]],
    BeforeValidator(read_origin_headers),
    AfterValidator(check_origin_headers),
    Notation("table", "lines of the form ORIGIN Name: value, or a TOML table of tables"),
]
Credentials = Annotated[
    dict[str, SecretStr],
    BeforeValidator(read_credentials),
    AfterValidator(check_credentials),
    Notation("table", "ORIGIN=user:password parted by spaces, or a TOML table"),
]


OriginFiles = Annotated[
    dict[str, str],
    BeforeValidator(read_origin_files),
    AfterValidator(lambda files: {_origin(key): file for key, file in files.items()}),
    Notation("table", "ORIGIN=FILE parted by spaces, or a TOML table"),
]
Proxies = Annotated[
    tuple[Annotated[SecretStr, AfterValidator(check_proxy)], ...],
    BeforeValidator(read_urls),
    Notation("list of URLs", "URLs parted by spaces"),
]


Secrets = Annotated[
    dict[str, SecretStr],
    BeforeValidator(read_secrets),
    Notation("table", "lines of the form NAME=VALUE, or a TOML table"),
]


class FetchParams(OptionGroup):
    """Requests: headers, pace, limits and failures."""

    user_agent: Agent = option("", Effect.RUN)
    """User-Agent to send instead of sitecrawl's name and version."""
    contact: Contact = option("", Effect.RUN)
    """Web page or mail address of whoever runs the crawl, named in the User-Agent."""
    identity: str = option("", Effect.RUN)
    """File of the key that signs every request, made by `scrapy identity`."""
    from_email: Email = option("", Effect.RUN)
    """Mail address to send as From header; none if empty."""
    referer: Literal["always", "first", "never"] = option("first", Effect.RUN)
    """When requests name the page that links to them as Referer: always, only while the URL was not
    fetched before (first), or never."""
    accept: Words = option((), Effect.RUN)
    """MIME types to accept beside those of pages."""
    headers: Headers = option({}, Effect.RUN, secret=True)
    """Further headers. They are sent to the origins of the starts, and of where a start redirects
    within its registered domain, but not from https to http; to no other."""
    origin_headers: OriginHeaders = option({}, Effect.RUN, secret=True)
    """Further headers by origin; sent to that origin and to no other."""
    auth: Credentials = option({}, Effect.RUN, secret=True)
    """User and password by origin; sent to that origin and to no other."""
    cookies: bool = option(True, Effect.RUN)
    """Keep cookies and send them back to their site."""

    login: str = option("", Effect.RUN)
    """Page with the form by which the crawl logs in to its site, at one of the origins of the
    starts."""
    login_fields: Secrets = option({}, Effect.RUN, secret=True)
    """Fields of that form with their values; env:NAME and file:PATH name where a value stands. The
    fields that the form fills in itself are sent too."""
    logged_in: str = option("", Effect.RUN)
    """Text in the source of every page while the user is logged in, such as the address of the
    logout link; without it the user is where the form is not shown."""
    login_tries: int = option(3, Effect.RUN, ge=1)
    """Number of times that a run sends the form, again after each end of the session; once if its fields are
    refused."""
    cookie_file: str = option("", Effect.RUN)
    """File with the cookies of a session: Netscape's form, or Playwright's storage state, which
    pages in a browser get whole."""
    client_certificates: OriginFiles = option({}, Effect.RUN)
    """PEM files with the certificate and key that an origin asks of its visitors; shown to that
    origin and to no other."""
    proxies: Proxies = option((), Effect.RUN, secret=True)
    """Proxies that take turns: http, https, socks4 and socks5 URLs, with name and password if they
    want them. One that fails rests for 100 requests."""

    delay: Duration = option(1.0, Effect.RUN, le=86400)
    """Pause after each answer of an origin; a Crawl-delay takes its place."""
    politeness: int = option(2, Effect.RUN, ge=0, le=10)
    """The pause is at least the last response time x 2^politeness at first; the exponent falls to 0
    while all goes well. A 429 doubles the pause, and good answers lower it step by step."""
    requests_per_origin: int = option(1, Effect.RUN, ge=1, le=16)
    """Maximum number of requests in flight to one origin."""
    pace_by: Literal["origin", "address"] = option("origin", Effect.RUN)
    """Owner of the pause: each origin, or each address, for which one worker crawls alone."""
    max_wait: Duration = option(600.0, Effect.RUN)
    """An origin or a page that asks for a longer pause is left for a later run."""
    patience: int = option(5, Effect.RUN, ge=1, le=1000)
    """Failure budget of an origin: the number of URLs that may fail lastingly before the run gives
    it up; each other response gives one back."""
    retries: int = option(2, Effect.RUN, ge=0, le=10)
    """Number of retries of a page within the run after a failure that may pass (500, 502, 503, 504,
    522, 524, 408, a lost connection, no answer in time): after all else of its origin, with a pause
    that doubles."""
    max_redirects: int = option(10, Effect.SELECTION, ge=0, le=100)
    """Maximum length of a chain of redirects."""
    max_pages: int = option(0, Effect.RUN, ge=0)
    """Pages requested by all workers after which the run ends, besides robots.txt and sitemaps; 0
    for no end."""

    obey_robots: bool = option(True, Effect.SELECTION | Effect.READING)
    """Read robots.txt and obey it."""
    robots_lifetime: Duration = option(1800.0, Effect.RUN, gt=0, le=86400)
    """Age at which robots.txt is asked for again."""
    robots_case_insensitive: bool = option(False, Effect.SELECTION)
    """Match Disallow lines with paths in upper and lower case alike."""

    timeout: Duration = option(10.0, Effect.RUN, gt=0, le=3600)
    """Maximum silence of a server, connecting included."""
    max_time: Duration = option(120.0, Effect.RUN, gt=0, le=86400)
    """Maximum time that one request may take in all."""
    max_body_size: ByteSize = option(10_000_000, Effect.RUN, ge=1)
    """Largest body, as sent and as decompressed."""
    max_file_size: ByteSize = option(50_000_000, Effect.RUN, ge=1)
    """Largest file (PDF, Office and the like, where content_types wants them), in place of
    max_body_size."""
    warc: str = option("", Effect.RUN)
    """Folder for WARC files with every request and response of the crawl."""
    from_warc: str = option("", Effect.RUN)
    """Folder of WARC files whose newest responses take the place of the network: nothing is
    requested, and there is no pause."""
    allow_private: bool = option(False, Effect.RUN)
    """Allow requests to addresses that are not public. Without it, a start with such an address
    opens that address only."""
    unverified_origins: Origins = option((), Effect.RUN)
    """Origins whose certificates are not verified; * for all."""

    @property
    def logs_in(self) -> bool:
        """True if the crawl sends a form to log in, which an archive cannot answer."""
        return bool(self.login and not self.from_warc)

    @property
    def has_session(self) -> bool:
        """True if the crawl is known to a site."""
        return bool(self.login or self.cookie_file or self.auth)
