"""Name of the software that made a page, as the page itself tells it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sitecrawl.web.html.head import Attributes, Head

_NAME = re.compile(r"[^\W\d_]\w*(?:[.+-]+(?!\d)\w*)*")
_METAS = {
    "description": (re.compile(r"Redmine$"), "redmine"),
    "generator": (re.compile(r"Open (?:Conference|Journal|Monograph|Preprint) "), "ojs"),
    "keywords": (re.compile(r"(?:.*,)?\s*(?:gitea|forgejo)\b"), "gitea"),
    "og:site_name": (re.compile(r"GitLab$"), "gitlab"),
}
_LINKS = {
    "alternate": re.compile(
        r"[^?]*(?:(?P<fossil>/timeline\.rss RSS Feed$)|(?P<moinmoin>\?action=raw Wiki Markup$))"
    ),
    "edituri": re.compile(r"(?P<mediawiki>[^?]*api\.php\?action=rsd )"),
    "help": re.compile(r"(?P<smf>[^?]*\?action=help )"),
    "https://api.w.org/": re.compile(r"(?P<wordpress>)"),
    "icon": re.compile(r"(?:.*/)?(?P<mercurial>hgicon\.png )"),
    "stylesheet": re.compile(
        r"(?:.*/)?(?:(?P<gitea>theme-(?:gitea|forgejo)\b)|(?P<javadoc>stylesheet\.css Style$))"
    ),
}
_SCRIPTS = {
    "doctools.js": ("_static", "sphinx"),
    "general.js": ("jscripts", "mybb"),
    "trac.js": ("common/js", "trac"),
}
_NAVIGATION_OF_DOCBOOK = b'<div class="navheader">'
_IDS = {
    "com-atlassian-confluence": "confluence",
    "phpbb": "phpbb",
    "XF": "xenforo",
    "XenForo": "xenforo",
}
"""Marks of software that names no generator, or whose generator meta is often removed: a meta's
content, a link's address and title by its relation, a script's file with its folder, the id of
the body or root, and the links around a chapter."""


def generators(head: Head, ids: Iterable[str], markup: bytes) -> tuple[str, ...]:
    """Return the names of the software that made a page, in lower case and without versions.

    ``<meta name=generator content="MediaWiki 1.39.10">`` gives ``mediawiki``, ``gitweb/2.39.5
    git/2.39.5`` gives ``gitweb``; pages of extended software may have several.
    """
    named = (_NAME.match(content) for content in head.metas.get("generator", ()))
    names = [name[0].lower() for name in named if name]
    if _NAVIGATION_OF_DOCBOOK in markup:
        names.append("docbook")
    return tuple(dict.fromkeys([*names, *_marks(head, ids)]))


def generators_of_links(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the software that the links of a page tell.

    MediaWiki has the tabs ``action=edit`` and ``action=history`` on each page, also where its
    owner removed the generator and calls its program otherwise.
    """
    titled = [each for each in urls if "action=" in each and "title=" in each]
    edits = {each.replace("action=history", "action=edit") for each in titled if "=history" in each}
    return () if edits.isdisjoint(titled) else ("mediawiki",)


def _marks(head: Head, ids: Iterable[str]) -> Iterator[str]:
    for name, (pattern, software) in _METAS.items():
        if any(pattern.match(content) for content in head.metas.get(name, ())):
            yield software
    for link in head.links:
        yield from _marks_of_link(link)
    for address in head.scripts:
        folder, _, file = address.partition("?")[0].rpartition("/")
        if file in _SCRIPTS and folder.endswith(_SCRIPTS[file][0]):
            yield _SCRIPTS[file][1]
    yield from (_IDS[each] for each in ids if each in _IDS)


def _marks_of_link(link: Attributes) -> Iterator[str]:
    for relation in (link.get("rel") or "").lower().split():
        if relation in _LINKS:
            mark = _LINKS[relation].match(f"{link.get('href') or ''} {link.get('title') or ''}")
            yield from (mark.lastgroup or "",) if mark else ()
