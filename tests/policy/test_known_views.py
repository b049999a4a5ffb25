"""Links to views of known software, as its own pages write them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.urls.known_views import programs
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

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
        "/notes/commit/": "the last commit, as the log has it",
        "/notes/commit/?h=next": "the last commit, as the log has it",
        f"/notes/commit/?h=next&id={COMMIT}": f"/notes/commit/?id={COMMIT}",
        "/notes/?h=next": "summary of a branch",
        "/notes/refs/?h=next": "refs of a branch",
        "/notes/tag/?h=v1.0": "",
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
    "/notes/tag/?h=v1.0": {
        f"/notes/commit/?h=v1.0&id={COMMIT}": f"/notes/commit/?id={COMMIT}",
        "/notes/log/?h=v1.0": "log at a tag",
        "/notes/tree/?h=v1.0": "tree at a tag",
        "/notes/log/": "",
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
        "/?p=notes/.git;a=commit": "the last commit, as the log has it",
        "/?p=notes/.git;a=commit;h=refs/heads/next": "the last commit, as the log has it",
        "/?p=notes/.git;a=tag;h=refs/tags/v1.0": "",
        "/?p=notes/.git;a=tree;hb=refs/heads/next": "",
        "/?p=notes/.git;a=tree;hb=refs/tags/v1.0": "tree at a tag",
        "/?p=notes/.git;a=shortlog;h=refs/tags/v1.0": "shortlog at a tag",
        f"/?p=notes/.git;a=commitdiff;h={COMMIT}": "commitdiff",
        f"/?p=notes/.git;a=snapshot;h={COMMIT};sf=tgz": "snapshot",
        "/?p=notes/.git;a=search_help": "search_help",
    },
    "/?p=notes/.git;a=tree": {
        f"/?p=notes/.git;a=tree;f=src;h={BLOB};hb=HEAD": "",
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb=HEAD": f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB}",
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb=refs/heads/next": (
            f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB}"
        ),
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
        f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB};hb={OLDER}": (
            f"/?p=notes/.git;a=blob;f=src/a.c;h={BLOB}"
        ),
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
BROWSERS = {"cgit": CGIT, "gitweb": GITWEB, "mercurial": HGWEB}
FILE = Path(__file__).parent / "cases" / "known_views.toml"
CASES = tomllib.loads(FILE.read_text(encoding="utf-8"))
ORIGIN = "http://code.example.org"


def outcomes(software: str, page: str, links: Iterable[str]) -> dict[str, str]:
    """Of each link the view for which it is left, else the URL that is requested in its place."""
    rules = build_rules(CrawlParams(start=[ORIGIN]), {})
    views = rules.known_views.on_page(ORIGIN + page, (software,))
    assert views is not None
    found = {}
    for link in links:
        decision = views.decide(ORIGIN + link)
        target = rules.admit(ORIGIN + link, views=views).url.removeprefix(ORIGIN)
        assert decision.reason == ("" if decision.allowed else "known_view")
        view, _, setting = decision.rule.rpartition(", ")
        assert setting == ("" if decision.allowed else "skip_known_views True (default)")
        found[link] = view.removeprefix(f"{software}: ") or (target if target != link else "")
    return found


@pytest.mark.behaviour("Q-50")
@pytest.mark.parametrize(
    ("software", "page"), [(name, page) for name, pages in BROWSERS.items() for page in pages]
)
def test_views_of_code_browsers_are_left_out_and_pages_are_followed(
    software: str, page: str
) -> None:
    expected = BROWSERS[software][page]
    assert outcomes(software, page, expected) == expected


@pytest.mark.behaviour("Q-50")
@pytest.mark.parametrize("software", CASES)
def test_views_of_a_program_are_left_out_and_pages_are_followed(software: str) -> None:
    case = CASES[software]
    page = read_page(
        case["html"].encode(),
        url=ORIGIN + case["page"],
        content_type="text/html",
        headers={},
        options=ReadOptions(),
    )
    assert software in page.generators
    expected = dict.fromkeys(case["followed"], "") | case.get("plain", {})
    for view, links in case["left"].items():
        expected |= dict.fromkeys(links, view.replace("_", " "))
    assert outcomes(software, case["page"], expected) == expected


@pytest.mark.behaviour("Q-50")
def test_each_view_of_each_program_has_a_case() -> None:
    views = {name: set(program.views.groupindex) for name, program in programs().items()}
    cases = {name: set(case["left"]) for name, case in CASES.items()}
    assert views == {**cases, "cgit": set(), "gitweb": set(), "mercurial": set()}


@pytest.mark.behaviour("Q-50")
def test_whoever_starts_at_a_view_gets_this_view() -> None:
    old = "/ada/notes/src/commit/0a1b2c3d4e"
    links = [f"{old}/a.c", "/ada/notes/src/commit/5f6a7b8c9d/a.c"]
    assert outcomes("gitea", f"{old}/", links) == {links[0]: "", links[1]: "old version"}


@pytest.mark.behaviour("Q-50")
@pytest.mark.parametrize(
    ("generators", "options"), [((), {}), (("hugo",), {}), (("cgit",), {"skip_known_views": False})]
)
def test_other_pages_have_no_views(generators: tuple[str, ...], options: dict[str, bool]) -> None:
    rules = build_rules(CrawlParams(start=[ORIGIN], **options), {})
    assert rules.known_views.on_page(f"{ORIGIN}/notes/", generators) is None
