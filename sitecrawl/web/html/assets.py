"""Assets of a page: the files that a browser loads to show it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from selectolax.lexbor import LexborNode


MAX_ASSETS = 200
"""Addresses read of one page."""
MAX_INSECURE = 5
"""Addresses loaded by HTTP that are kept of one page."""
_ASSETS = (
    "img[src], script[src], video[src], audio[src], source[src], track[src], "
    'link[rel~="stylesheet" i][href]'
)


def read_assets(root: LexborNode, images: Iterable[str]) -> list[str]:
    """Return the addresses of images, scripts, style sheets and media, as written.

    ``images`` are those that the walk has found, which include the images of noscript.
    """
    found = {address: None for address in _addresses(root) if not address.startswith("data:")}
    found.update(dict.fromkeys(images))
    return list(islice(filter(str.strip, found), MAX_ASSETS))


def insecure_assets(
    root: LexborNode | None, links: Iterable[Mapping[str, str | None]]
) -> list[str]:
    """Return the addresses of assets that are loaded by HTTP; without a root, of styles alone."""
    styles = [each for each in links if "stylesheet" in (each.get("rel") or "").lower()]
    found = [*(_addresses(root) if root else ()), *(each.get("href") or "" for each in styles)]
    insecure = (each for each in found if each[:7].lower() == "http://")
    return list(islice(dict.fromkeys(insecure), MAX_INSECURE))


def _addresses(root: LexborNode) -> Iterator[str]:
    for node in root.css(_ASSETS):
        yield node.attributes["href" if node.tag == "link" else "src"] or ""
