"""How the options that end up in a request's headers are written and checked."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, SecretStr

from sitecrawl.params.base import Notation, Words, read_json_object, read_lines, read_words
from sitecrawl.web.robots_txt import PRODUCT
from sitecrawl.web.urls import normalize, origin

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
TEXT = re.compile(r"[\x20-\x7e]*")
OURS = frozenset({"connection", "content-length", "cookie", "host", "te", "transfer-encoding"})


def check_text(text: str) -> str:
    """The text, if it can stand in a header as it is."""
    if not TEXT.fullmatch(text):
        raise ValueError("should have printable ASCII characters only")
    return text


def check_agent(text: str) -> str:
    """The User-Agent, if its first word is a product token, which a robots.txt can name."""
    if text and not re.match(rf"{PRODUCT}(?:[/ ]|$)", text):
        raise ValueError("should begin with a name of letters, digits, - and _, as in 'mybot/1.0'")
    return check_text(text)


def check_email(text: str) -> str:
    """The mail address, if it looks like one."""
    if text and not re.fullmatch(r"[^@\s]+@[^@\s]+", text):
        raise ValueError("should be a mail address")
    return check_text(text)


def read_headers(value: object) -> object:
    """The headers of a table, of a JSON object, or of lines ``Name: value``."""
    return _table(value, read_lines(value), ":")


def read_origin_headers(value: object) -> object:
    """The headers of a table of tables, of a JSON object, or of lines ``ORIGIN Name: value``."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return read_json_object(value)
    lines = read_lines(value)
    if not isinstance(lines, tuple | list):
        return value
    tables: dict[str, dict[str, str]] = {}
    for line in lines:
        key, _, rest = str(line).strip().partition(" ")
        name, text = _pair(rest, ":")
        tables.setdefault(key, {})[name] = text
    return tables


def read_credentials(value: object) -> object:
    """The credentials of a table, of a JSON object, or of words ``ORIGIN=user:password``."""
    return _table(value, read_words(value), "=")


def _table(value: object, parts: object, mark: str) -> object:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return read_json_object(value)
    if not isinstance(parts, tuple | list):
        return value
    return dict(_pair(str(part), mark) for part in parts)


def _pair(text: str, mark: str) -> tuple[str, str]:
    name, found, item = text.partition(mark)
    if not (found and name.strip()):
        raise ValueError(f"an entry is not of the form NAME{mark}VALUE")
    return name.strip(), item.strip()


def check_headers(headers: dict[str, str]) -> dict[str, str]:
    """The headers, if they are well formed and not ours to set."""
    for name, value in headers.items():
        if not TOKEN.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if name.lower() in OURS:
            raise ValueError(f"{name!r} is set by the crawler itself")
        if name.lower() == "authorization":
            raise ValueError("credentials are no header here; give them as auth")
        check_text(value)
    return headers


def check_origin_headers(tables: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The headers by normal origin, if they are well formed and not ours to set."""
    found: dict[str, dict[str, str]] = {}
    for key, headers in tables.items():
        found.setdefault(_origin(key), {}).update(check_headers(headers))
    return found


def check_origin_names(origins: tuple[str, ...]) -> tuple[str, ...]:
    """The origins in their normal form, if they are such."""
    return tuple(map(_origin, origins))


def check_credentials(auth: dict[str, SecretStr]) -> dict[str, SecretStr]:
    """The credentials by normal origin, if each has a user and a password."""
    for key, secret in auth.items():
        if ":" not in secret.get_secret_value():
            raise ValueError(f"the credentials of {key} are not of the form user:password")
    return {_origin(key): secret for key, secret in auth.items()}


def _origin(text: str) -> str:
    found = origin(normalize(text) or "")
    if not found.startswith(("http:", "https:")):
        raise ValueError(f"{text!r} is not an origin such as https://example.org")
    return found


Agent = Annotated[str, AfterValidator(check_agent)]
Email = Annotated[str, AfterValidator(check_email)]
HeaderText = Annotated[str, AfterValidator(check_text)]
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
