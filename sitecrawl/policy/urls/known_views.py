"""Views that known software offers of its pages, told by their URLs.

A code browser shows each file with its authors, as a difference, raw, and at each old version; a
wiki has forms and histories. What is left out here is what the authors of the software keep from
crawlers themselves, by nofollow and noindex, as far as the same text stands on another page: the
owner of a site who wants its pages to be found allows those directives to be ignored, and means
the files and articles. A view is told on the page that links to it, from the software that this
page names as its generator; the same URL on another site is a page like any other.

Sources: the actions of gitweb (gitweb(1) and ``%actions`` of gitweb.perl), the commands of cgit
(cmd.c), those of hgweb (``hg help hgweb``, webcommands.py), MediaWiki's "Manual:Parameters to
index.php", DokuWiki's "Action modes", WordPress' reserved paths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple, Self
from urllib.parse import unquote, unquote_plus

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.policy.urls.url_rules import read_target

_VERSION = re.compile(r"[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64}")
"""Names of commits: Mercurial's short form, SHA-1, SHA-256."""


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


_CGIT_PAGES = frozenset({"about", "commit", "log", "refs", "summary", "tag", "tree"})
_CGIT_VIEWS = frozenset(
    {"atom", "blame", "blob", "diff", "patch", "plain", "rawdiff", "snapshot", "stats"}
)
_CGIT_COMMANDS = _CGIT_PAGES | _CGIT_VIEWS
_CGIT_PRESENTATION = frozenset(
    {"context", "dt", "follow", "ignorews", "period", "q", "qt", "s", "showmsg", "ss"}
)


def cgit_view(link: Address, page: Address) -> str:
    """Return the view of cgit to which a link leads, "" for a file, folder, commit or list.

    ``/project/command/path?h=branch&id=version``; of a commit ``id`` is the name.
    """
    command, path = _command(link.segments, _CGIT_COMMANDS)
    version = link.parameters.get("id", "")
    if command in _CGIT_VIEWS:
        return command
    if found := _CGIT_PRESENTATION & link.parameters.keys():
        return f"{command or 'list'} with {min(found)}"
    if path and command in ("commit", "log"):
        return f"{command} of one file"
    if version and command not in ("", "commit", "tag"):
        own, _ = _command(page.segments, _CGIT_COMMANDS)
        if own == "commit" or version != page.parameters.get("id"):
            return f"{command} at an old version"
    return ""


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
    same_version = own in _GITWEB_OF_VERSION and version == own_version
    if action in _GITWEB_OF_VERSION and _is_version(version) and not same_version:
        return f"{action} at an old version"
    return ""


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


_MEDIAWIKI_VIEWS = frozenset(
    {"curid", "diff", "direction", "mobileaction", "oldid", "printable", "section", "uselang"}
    | {"useskin", "veaction"}
)
_MEDIAWIKI_LISTS = ("allpages", "categories", "specialpages")
"""Special pages that lead to articles which nothing else names."""


def mediawiki_view(link: Address, page: Address) -> str:  # noqa: ARG001 -- the URL tells it
    """Return the view of MediaWiki to which a link leads, "" for an article or a list of them.

    ``index.php?title=Name&action=view`` or ``/wiki/Name``; special pages have the prefix
    ``Special:``, in other languages their own, which a crawl learns. A link to a missing article
    (``redlink=1``) on a page that is older than the article redirects to it.
    """
    query = link.parameters
    if "redlink" in query:
        return ""
    if query.get("action", "view") != "view":
        return f"action={query['action']}"
    if found := _MEDIAWIKI_VIEWS & query.keys():
        return min(found)
    titles = (query.get("title", ""), *link.segments)
    names = [each[8:].lower() for each in titles if each.startswith("Special:")]
    if names and names[0].replace("_", "") not in _MEDIAWIKI_LISTS:
        return "special page"
    return ""


_DOKUWIKI_PRESENTATION = frozenset({"at", "rev", "tab_details", "tab_files"})


def dokuwiki_view(link: Address, page: Address) -> str:  # noqa: ARG001 -- the URL tells it
    """Return the view of DokuWiki to which a link leads, "" for an article or the index."""
    mode = link.parameters.get("do", "show")
    if mode not in ("show", "index", ""):
        return f"do={mode}"
    if found := _DOKUWIKI_PRESENTATION & link.parameters.keys():
        return min(found)
    return ""


_WORDPRESS_PATHS = frozenset({"wp-admin", "wp-json", "wp-login.php", "xmlrpc.php"})
_WORDPRESS_PARAMETERS = frozenset({"like_comment", "replytocom", "share"})


def wordpress_view(link: Address, page: Address) -> str:  # noqa: ARG001 -- the URL tells it
    """Return the view of WordPress to which a link leads, "" for a post, page or list."""
    if found := _WORDPRESS_PARAMETERS & link.parameters.keys():
        return min(found)
    return min(_WORDPRESS_PATHS.intersection(link.segments), default="")


VIEWS: Mapping[str, Callable[[Address, Address], str]] = {
    "cgit": cgit_view,
    "dokuwiki": dokuwiki_view,
    "gitweb": gitweb_view,
    "mediawiki": mediawiki_view,
    "mercurial": hgweb_view,
    "wordpress": wordpress_view,
}
"""For each software, in lower case as its pages name it, the name of the view of a link."""

_SEPARATORS = re.compile("[&;]")


@lru_cache(maxsize=1024)  # the same navigation is on every page of a site
def read_address(url: str) -> Address:
    """Return the segments and parameters of a URL; parameters are parted by ``&`` or ``;``."""
    parts = read_target(url).parts
    pairs = (each.partition("=") for each in _SEPARATORS.split(parts.query) if each)
    return Address(
        tuple(unquote(each) for each in parts.path.split("/") if each),
        {unquote_plus(name): unquote_plus(value) for name, _, value in pairs},
    )


class PageViews(NamedTuple):
    """The test of the links on one page of known software."""

    software: str
    page: Address
    view_of: Callable[[Address, Address], str]
    setting: str

    def decide(self, url: str) -> Decision:
        """Refuse a link to a view; the refusal names software, view and option."""
        view = self.view_of(read_address(url), self.page)
        if not view:
            return ALLOWED
        return KnownViews.reason.refuse(f"{self.software}: {view}, {self.setting}")


@dataclass(slots=True)
class KnownViews:
    """Refuse links to the views that known software offers of its pages."""

    skipped: bool
    setting: str
    reason: ClassVar[RefusalReason] = RefusalReason(
        "known_view",
        "a view that known software offers of a page: blame, difference, old version, history, "
        "form (`skip_known_views`)",
        options=("skip_known_views",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the rule from the option."""
        return cls(options.value("skip_known_views"), options.setting("skip_known_views"))

    def on_page(self, url: str, generators: Sequence[str]) -> PageViews | None:
        """Return the test of the links on a page; None if nothing is known of its software."""
        software = next((each for each in generators if each in VIEWS), "")
        if not software or not self.skipped:
            return None
        return PageViews(software, read_address(url), VIEWS[software], self.setting)
