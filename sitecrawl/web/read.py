"""From the bytes of a response to the facts of a page, by its media type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sitecrawl.web.encoding import decode
from sitecrawl.web.html import read_html
from sitecrawl.web.languages import read_language
from sitecrawl.web.media_type import is_html, is_text, media_type
from sitecrawl.web.options import ReadOptions
from sitecrawl.web.outgoing import Outgoing, fill_outgoing
from sitecrawl.web.page import Page
from sitecrawl.web.plain import read_plain


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    headers: Mapping[str, Sequence[str]],
    options: ReadOptions,
) -> Page:
    """Everything that one response tells. Never raises, whatever the bytes are.

    ``url`` is the one that answered; ``content_type`` the header's value, None or empty
    where there was none: the body is then sniffed. ``headers`` are all response headers,
    names in any case, each with its values.
    """
    kind = media_type(content_type, body)
    page = Page(url, url, kind)
    lowered = {name.lower(): values for name, values in headers.items()}
    page.language = read_language(next(iter(lowered.get("content-language", ())), ""))
    page.last_modified = next(iter(lowered.get("last-modified", ())), "")
    outgoing = _read_body(page, body, content_type or kind, options)
    fill_outgoing(page, outgoing, lowered, options)
    return page


def _read_body(page: Page, body: bytes, declared: str, options: ReadOptions) -> Outgoing:
    """Read the body by its media type; one that is not text tells nothing."""
    kind = page.content_type
    if not (is_html(kind) or is_text(kind)):
        return Outgoing()
    text, page.encoding = decode(body, declared)
    if is_html(kind):
        return read_html(page, text, options)
    read_plain(page, text)
    return Outgoing()
