"""Views of code browsers that a pattern cannot tell: those of versions, by the page with the link.

A code browser shows each file with its authors, as a difference, raw, and at each old version.
Files are pages as they are at the end of a branch; a tag is a page, the files at a tag are old.

Sources: the actions of gitweb (gitweb(1) and ``%actions`` of gitweb.perl), the commands of cgit
(cmd.c), those of hgweb (``hg help hgweb``, webcommands.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus

from sitecrawl.policy.urls.url_rules import read_target

_VERSION = re.compile(r"[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64}")
"""Names of commits: Mercurial's short form, SHA-1, SHA-256."""
_CGIT_PAGES = frozenset({"about", "commit", "log", "refs", "summary", "tag", "tree"})
_CGIT_VIEWS = frozenset(
    {"atom", "blame", "blob", "diff", "patch", "plain", "rawdiff", "snapshot", "stats"}
)
_CGIT_COMMANDS = _CGIT_PAGES | _CGIT_VIEWS
_CGIT_PRESENTATION = frozenset(
    {"context", "dt", "follow", "ignorews", "period", "q", "qt", "s", "showmsg", "ss"}
)
_GITWEB_PAGES = frozenset(
    {"blob", "commit", "forks", "heads", "project_list", "remotes", "shortlog", "summary", "tag"}
    | {"tags", "tree"}
)
_GITWEB_VIEWS = frozenset(
    {"atom", "blame", "blame_data", "blame_incremental", "blob_plain", "blobdiff"}
    | {"blobdiff_plain", "commitdiff", "commitdiff_plain", "history", "log", "object", "opml"}
    | {"patch", "patches", "project_index", "rss", "search", "search_help", "snapshot"}
)
_GITWEB_ACTIONS = _GITWEB_PAGES | _GITWEB_VIEWS
_GITWEB_OF_VERSION = frozenset({"blob", "shortlog", "tree"})
_HGWEB_PAGES = frozenset(
    {"bookmarks", "branches", "changeset", "file", "rev", "shortlog", "summary", "tags"}
)
_HGWEB_FEEDS = ("bookmarks", "branches", "changelog", "filelog", "log", "tags")
_HGWEB_VIEWS = frozenset(
    {"annotate", "archive", "changelog", "comparison", "diff", "filediff", "filelog", "graph"}
    | {"help", "log", "manifest"}
    | {f"{form}-{of}" for form in ("atom", "json", "rss") for of in _HGWEB_FEEDS}
    | {f"raw-{of}" for of in ("annotate", "diff", "file", "filelog", "log", "rev")}
)
_HGWEB_COMMANDS = _HGWEB_PAGES | _HGWEB_VIEWS
_HGWEB_PRESENTATION = frozenset({"graphtop", "linerange", "patch", "revcount", "sort", "style"})
_SEPARATORS = re.compile("[&;]")


class Address(NamedTuple):
    """The segments of a path and the parameters of a query, decoded; the last of a name counts."""

    segments: tuple[str, ...]
    parameters: Mapping[str, str]


def _is_version(text: str) -> bool:
    return _VERSION.fullmatch(text) is not None


def _command(segments: Sequence[str], commands: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the first segment that is one of ``commands``, and the segments after it.

    A project may be named like a command: of several in a row the last counts.
    """
    place = next((n for n, each in enumerate(segments) if each in commands), None)
    if place is None:
        return "", ()
    while place + 1 < len(segments) and segments[place + 1] in commands:
        place += 1
    return segments[place], tuple(segments[place + 1 :])


def cgit_view(link: Address, page: Address) -> str:
    """Return the view of cgit to which a link leads, "" for a file, folder, commit or list.

    ``/project/command/path?h=branch&id=version``; of a commit ``id`` is the name.
    """
    command, path = _command(link.segments, _CGIT_COMMANDS)
    version, branch = link.parameters.get("id", ""), link.parameters.get("h", "")
    own, _ = _command(page.segments, _CGIT_COMMANDS)
    if command in _CGIT_VIEWS:
        return command
    if found := _CGIT_PRESENTATION & link.parameters.keys():
        return f"{command or 'list'} with {min(found)}"
    if path and command in ("commit", "log"):
        return f"{command} of one file"
    if command == "commit" and not version:
        return "the last commit, as the log has it"
    if branch and command in ("", "refs", "summary"):
        return f"{command or 'summary'} of a branch"
    if own == "tag" and command not in ("commit", "tag") and branch == page.parameters.get("h"):
        return f"{command} at a tag"
    same_version = own != "commit" and version == page.parameters.get("id", "")
    if version and command not in ("", "commit", "tag") and not same_version:
        return f"{command} at an old version"
    return ""


def _gitweb_request(address: Address) -> tuple[str, str]:
    """Return action and version of ``?p=project;a=action;hb=version``, or ``/project/action/...``.

    In a path the version stands before a colon: ``/project/blob/version:/file``.
    """
    query = address.parameters
    if address.segments and not {"a", "p"} & query.keys():
        action, rest = _command(address.segments, _GITWEB_ACTIONS)
        return action, rest[0].partition(":")[0] if rest else ""
    action = query.get("a", "")
    return action, query.get("hb", "" if action == "blob" else query.get("h", ""))


def gitweb_view(link: Address, page: Address) -> str:
    """Return the view of gitweb to which a link leads, "" for a file, folder, commit or list."""
    action, version = _gitweb_request(link)
    if action in _GITWEB_VIEWS:
        return action
    if "o" in link.parameters:
        return "list in another order"
    own, own_version = _gitweb_request(page)
    file = link.parameters.get("f")
    if action == own == "blob" and file and file == page.parameters.get("f"):
        return "the same file"
    if action == "commit" and not _is_version(version):
        return "the last commit, as the log has it"
    same_version = own in _GITWEB_OF_VERSION and version == own_version
    if action in _GITWEB_OF_VERSION and version.startswith("refs/tags/") and not same_version:
        return f"{action} at a tag"
    if action in _GITWEB_OF_VERSION and _is_version(version) and not same_version:
        return f"{action} at an old version"
    return ""


def hgweb_view(link: Address, page: Address) -> str:
    """Return the view of hgweb to which a link leads, "" for a file, folder, commit or list.

    ``/project/command/version/path``. Its list of commits leads to its next part by a version, to
    which commits link as well: such a link counts on the list alone.
    """
    command, rest = _command(link.segments, _HGWEB_COMMANDS)
    if command in _HGWEB_VIEWS:
        return command
    if found := _HGWEB_PRESENTATION & link.parameters.keys():
        return f"{command or 'list'} with {min(found)}"
    own, own_rest = _command(page.segments, _HGWEB_COMMANDS)
    version, path = (rest[0], rest[1:]) if rest else ("", ())
    if command in ("rev", "changeset") and path:
        return f"{command} of one file"
    if command == "file" and _is_version(version) and (own, own_rest[:1]) != ("file", (version,)):
        return "file at an old version"
    if command == "shortlog" and version and own not in ("", "shortlog"):
        return "shortlog from a commit"
    return ""


CODE_BROWSERS: Mapping[str, Callable[[Address, Address], str]] = {
    "cgit": cgit_view,
    "gitweb": gitweb_view,
    "mercurial": hgweb_view,
}
"""For each code browser the name of the view of a link on a page."""


@lru_cache(maxsize=1024)  # the same navigation is on every page of a site
def read_address(url: str) -> Address:
    """Return the segments and parameters of a URL; parameters are parted by ``&`` or ``;``."""
    parts = read_target(url).parts
    pairs = (each.partition("=") for each in _SEPARATORS.split(parts.query) if each)
    return Address(
        tuple(unquote(each) for each in parts.path.split("/") if each),
        {unquote_plus(name): unquote_plus(value) for name, _, value in pairs},
    )
