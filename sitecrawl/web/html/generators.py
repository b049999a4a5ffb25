"""Name of the software that made a page, as the page itself tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitecrawl.web.html.head import Head

_NAME = re.compile(r"[^\W\d_][\w.+-]*")
_BY_FILE = {"hgicon.png": "mercurial"}
"""Software without a generator meta, by the icon that its pages have (hgweb's templates)."""
_BY_RELATION = {"https://api.w.org/": "wordpress"}
"""Software whose generator meta is often removed, by the link elements of its pages."""


def generators(head: Head) -> tuple[str, ...]:
    """Return the names of the software that made a page, in lower case and without versions.

    ``<meta name=generator content="MediaWiki 1.39.10">`` gives ``mediawiki``, ``gitweb/2.39.5
    git/2.39.5`` gives ``gitweb``; pages of extended software may have several.
    """
    return tuple(dict.fromkeys(_names(head)))


def _names(head: Head) -> Iterator[str]:
    for content in head.metas.get("generator", ()):
        if name := _NAME.match(content):
            yield name[0].lower()
    for link in head.links:
        relations = (link.get("rel") or "").lower().split()
        for relation in relations:
            if relation in _BY_RELATION:
                yield _BY_RELATION[relation]
        file = (link.get("href") or "").rpartition("/")[2]
        if "icon" in relations and file in _BY_FILE:
            yield _BY_FILE[file]
