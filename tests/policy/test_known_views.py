"""Links to views of known software, as its own pages write them."""

from __future__ import annotations

import pytest

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_rules

COMMIT, OLDER, BLOB = "9" * 40, "a1" * 20, "c3" * 20
NODE, OLD_NODE = "643080dc319c", "345f081a510b"

CGIT = {
    "/notes/": {
        "/": "",
        "/?q=Ada": "list with q",
        "/?s=idle": "list with s",
        "/notes/log/": "",
        "/notes/log/?ofs=50": "",
        "/notes/log/?h=next": "",
        "/notes/log/?qt=author&q=Ada": "log with q",
        "/notes/refs/": "",
        "/notes/tree/": "",
        f"/notes/commit/?id={COMMIT}": "",
        "/notes/diff/": "diff",
        "/notes/stats/": "stats",
        "/notes/atom/?h=main": "atom",
    },
    "/notes/tree/src": {
        "/notes/tree/src/diff/patch.c": "",
        "/notes/tree/src/a.c?h=next": "",
        "/notes/plain/src/a.c": "plain",
        "/notes/blame/src/a.c": "blame",
        "/notes/log/src/a.c": "log of one file",
        "/notes/commit/src": "commit of one file",
        f"/notes/tree/src/a.c?id={OLDER}": "tree at an old version",
        # A project may lie in folders, and be named like a command.
        "/pub/scm/linux.git/tree/Makefile": "",
        "/pub/scm/linux.git/plain/Makefile": "plain",
        "/stats/tree/Makefile": "",
        "/stats/diff/": "diff",
    },
    f"/notes/commit/?id={COMMIT}": {
        f"/notes/commit/?id={OLDER}": "",
        f"/notes/patch/?id={COMMIT}": "patch",
        f"/notes/diff/?id={COMMIT}&id2={OLDER}": "diff",
        f"/notes/tree/?id={COMMIT}": "tree at an old version",
        f"/notes/tree/src/a.c?id={COMMIT}": "tree at an old version",
        f"/notes/commit/?id={COMMIT}&ss=1": "commit with ss",
    },
    # Whoever starts at a version means it.
    f"/notes/tree/?id={OLDER}": {
        f"/notes/tree/src?id={OLDER}": "",
        f"/notes/tree/src?id={COMMIT}": "tree at an old version",
    },
}
GITWEB = {
    "/?p=notes/.git;a=summary": {
        "/": "",
        "/?o=age": "list in another order",
        "/?p=notes/.git;a=tree": "",
        "/?p=notes/.git;a=shortlog": "",
        "/?p=notes/.git;a=shortlog;pg=1": "",
        "/?p=notes/.git;a=shortlog;h=refs/heads/next": "",
        "/?p=notes/.git;a=log": "log",
        "/?p=notes/.git;a=heads": "",
        f"/?p=notes/.git;a=commit;h={COMMIT}": "",
        f"/?p=notes/.git;a=commitdiff;h={COMMIT}": "commitdiff",
        f"/?p=notes/.git;a=snapshot;h={COMMIT};sf=tgz": "snapshot",
        "/?p=notes/.git;a=search_help": "search_help",
    },
    "/?p=notes/.git;a=tree": {
        f"/?p=notes/.git;a=tree;f=src;h={BLOB};hb=HEAD": "",
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb=HEAD": "",
        "/?p=notes/.git;a=blob_plain;f=src/a.c;hb=HEAD": "blob_plain",
        f"/?p=notes/.git;a=history;f=src/a.c;h={BLOB};hb=HEAD": "history",
    },
    f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb=HEAD": {
        "/?p=notes/.git;a=blob;f=src/a.c;hb=HEAD": "the same file",
        "/?p=notes/.git;a=blame;f=src/a.c;hb=HEAD": "blame",
    },
    f"/?p=notes/.git;a=commit;h={COMMIT}": {
        f"/?p=notes/.git;a=commit;h={OLDER}": "",
        f"/?p=notes/.git;a=shortlog;h={COMMIT}": "shortlog at an old version",
        f"/?p=notes/.git;a=tree;h={BLOB};hb={COMMIT}": "tree at an old version",
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb={COMMIT}": "blob at an old version",
        f"/?p=notes/.git;a=patch;h={COMMIT}": "patch",
    },
    f"/?p=notes/.git;a=tree;h={BLOB};hb={OLDER}": {
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb={OLDER}": "",
    },
    "/notes.git/tree": {
        "/notes.git/blob/HEAD:/src/a.c": "",
        "/notes.git/blame/HEAD:/src/a.c": "blame",
        f"/notes.git/commit/{COMMIT}": "",
        f"/notes.git/blob/{OLDER}:/src/a.c": "blob at an old version",
    },
}
HGWEB = {
    "/shortlog": {
        "/rev/tip": "",
        f"/rev/{NODE}": "",
        f"/shortlog/{OLD_NODE}": "",
        "/shortlog/tip?revcount=120": "shortlog with revcount",
        "/file/tip": "",
        "/log": "log",
        "/?sort=-lastchange": "list with sort",
        "/graph/tip": "graph",
        "/help": "help",
        "/atom-log": "atom-log",
    },
    "/file/tip/src": {
        "/file/tip/src/a.c": "",
        "/file/tip/src/diff/log.c": "",
        "/annotate/tip/src/a.c": "annotate",
        "/raw-file/tip/src/a.c": "raw-file",
        "/log/tip/src/a.c": "log",
        f"/file/{NODE}/src/a.c": "file at an old version",
    },
    f"/rev/{NODE}": {
        f"/rev/{OLD_NODE}": "",
        f"/rev/{NODE}/src/a.c": "rev of one file",
        f"/shortlog/{NODE}": "shortlog from a commit",
        f"/file/{NODE}": "file at an old version",
        f"/comparison/{NODE}/src/a.c": "comparison",
        f"/raw-rev/{NODE}": "raw-rev",
    },
    f"/file/{OLD_NODE}": {f"/file/{OLD_NODE}/src": ""},
}
MEDIAWIKI = {
    "/wiki/Main_Page": {
        "/wiki/Bread": "",
        "/wiki/Category:Food": "",
        "/wiki/Talk:Bread": "",
        "/index.php?title=Bread": "",
        "/index.php?title=Bread&action=view": "",
        "/index.php?title=Bread&action=history": "action=history",
        "/index.php?title=Bread&action=edit": "action=edit",
        "/index.php?title=Rye&action=edit&redlink=1": "",
        "/index.php?title=Bread&oldid=7": "oldid",
        "/index.php?title=Bread&printable=yes": "printable",
        "/wiki/Special:AllPages": "",
        "/wiki/Special:RecentChanges": "special page",
        "/wiki/Special:WhatLinksHere/Bread": "special page",
        "/index.php?title=Special%3AUserLogin&returnto=Bread": "special page",
        "/index.php?title=Special:AllPages&from=B": "",
    },
}
DOKUWIKI = {
    "/doku.php?id=start": {
        "/doku.php?id=bread": "",
        "/doku.php?id=bread&do=edit": "do=edit",
        "/doku.php?id=bread&do=index": "",
        "/doku.php?id=bread&rev=1700000000": "rev",
        "/lib/exe/fetch.php?media=bread.pdf": "",
    },
}
WORDPRESS = {
    "/2026/01/bread/": {
        "/2026/01/rye/": "",
        "/category/food/page/2/": "",
        "/feed/": "",
        "/guide/embed/": "",
        "/2026/01/bread/?replytocom=5": "replytocom",
        "/wp-login.php?redirect_to=x": "wp-login.php",
        "/wp-json/wp/v2/posts/1": "wp-json",
    },
}
SOFTWARE = {
    "cgit": CGIT,
    "dokuwiki": DOKUWIKI,
    "gitweb": GITWEB,
    "mediawiki": MEDIAWIKI,
    "mercurial": HGWEB,
    "wordpress": WORDPRESS,
}
ORIGIN = "http://code.example.org"


@pytest.mark.behaviour("Q-50")
@pytest.mark.parametrize(
    ("software", "page"), [(name, page) for name, pages in SOFTWARE.items() for page in pages]
)
def test_views_are_left_out_and_pages_are_followed(software: str, page: str) -> None:
    rules = build_rules(CrawlParams(start=[ORIGIN]), {})
    views = rules.known_views.on_page(ORIGIN + page, (software,))
    expected = SOFTWARE[software][page]
    found = {}
    for link in expected:
        decision = rules.admit(ORIGIN + link, views=views).decision
        assert decision.reason == ("" if decision.allowed else "known_view")
        view, _, setting = decision.rule.partition(", ")
        assert setting == ("" if decision.allowed else "skip_known_views True (default)")
        found[link] = view.removeprefix(f"{software}: ")
    assert found == expected


@pytest.mark.behaviour("Q-50")
@pytest.mark.parametrize(
    ("generators", "options"), [((), {}), (("hugo",), {}), (("cgit",), {"skip_known_views": False})]
)
def test_other_pages_have_no_views(generators: tuple[str, ...], options: dict[str, bool]) -> None:
    rules = build_rules(CrawlParams(start=[ORIGIN], **options), {})
    assert rules.known_views.on_page(f"{ORIGIN}/notes/", generators) is None
