"""Refresh, by meta element or header: another page after some seconds."""

from __future__ import annotations

import re

from sitecrawl.web.page import Refresh
from sitecrawl.web.urls import resolve, trim_quotes

# HTML, 4.2.5.3, shared declarative refresh steps; digits may have a fraction, url= may lack.
_REFRESH = re.compile(
    r"\s*(\d*)(?:\.[\d.]*)?(?:\s*[;,]\s*|\s+|$)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL
)
_MAX_DELAY = 10**9


def read_refresh(content: str, base: str) -> Refresh | None:
    """What a refresh asks for, None where a browser would do nothing.

    Without an address the page refreshes itself: the target is ``base``.
    """
    matched = _REFRESH.match(content)
    if matched is None or not (matched[1] or content.lstrip().startswith(".")):
        return None
    target = _unquoted(matched[2].strip())
    url = resolve(trim_quotes(target), base) if target else resolve("", base)
    if url is None or not url.startswith(("http:", "https:")):
        return None
    return Refresh(float(min(int(matched[1][:10] or 0), _MAX_DELAY)), url)


def _unquoted(target: str) -> str:
    """A target up to its closing quote, where it begins with one."""
    quote = target[:1]
    return target[1:].partition(quote)[0] if quote in {'"', "'"} else target
