"""Caching headers: validators, freshness, Retry-After."""

from __future__ import annotations

import re

from sitecrawl.web.dates import read_http_date

_DIRECTIVE = re.compile(r'([^\s=,;]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;"]*)))?')
_SECONDS = re.compile(r"[0-9]{1,10}", re.ASCII)
# ETag suffixes of compressed responses, by Apache's mod_deflate and mod_brotli, and by Jetty.
_CODED = re.compile(r'((?:W/)?"[^"]+?)(?:--?gzip|-br|;gzip)"')
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]")


def if_none_match(etag: str | None) -> str | None:
    """Return the If-None-Match value for ``etag``, or None if it cannot be sent.

    Apache does not recognise its own ``"abc-gzip"``: the plain form is sent too.
    """
    tag = (etag or "").strip(" \t\r\n")
    if tag.removeprefix("W/").strip('"') in {"", "*"} or _UNSENDABLE.search(tag):
        return None
    coded = _CODED.fullmatch(tag)
    return f'{tag}, {coded[1]}"' if coded else tag


def fresh_until(
    *, expires: str | None, cache_control: str | None, date: str | None, now: float
) -> float | None:
    """Return the epoch second until which a response is fresh, or None if it does not say.

    RFC 9111, 4.2.1: max-age takes precedence over Expires, which is relative to the response's own
    Date. Values that are past, ``0`` or invalid are ignored; no-cache and no-store give None.
    """
    directives = cache_directives(cache_control)
    if "no-cache" in directives or "no-store" in directives:
        return None
    if _SECONDS.fullmatch(directives.get("max-age", "")):
        lifetime = float(directives["max-age"])
    else:
        end, start = read_http_date(expires), read_http_date(date)
        lifetime = 0.0 if end is None else end - (now if start is None else start)
    return now + lifetime if lifetime > 0 else None


def cache_directives(cache_control: str | None) -> dict[str, str]:
    """Return a Cache-Control header's directives by lower-case name; the first of a name counts."""
    directives: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(cache_control or ""):
        directives.setdefault(name.lower(), quoted or plain)
    return directives


def retry_after(value: str | None, now: float) -> float | None:
    """Return the wait in seconds that a Retry-After header asks for (RFC 9110, 10.2.3), or None."""
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    moment = read_http_date(text)
    return None if moment is None else max(0.0, moment - now)
