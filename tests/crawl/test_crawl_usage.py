"""A web of sites that permit and forbid uses of their pages, in every notation, and contradict themselves."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.robots.usage_terms import TDMREP

Y, N, UNKNOWN = True, False, None
NOAI = '<meta name="robots" content="noai, index">'
TDM = '<meta name="tdm-reservation" content="{}">'
Site = tuple[str, dict[str, str], str, tuple[bool | None, ...]]
"""robots.txt, headers and head of a site, and what it permits: search, ai-input, ai-train."""
SITES: dict[str, Site] = {
    "silent": ("", {}, "", ()),
    "signal": ("User-agent: *\nContent-Signal: search=yes, ai-train=no", {}, "", (Y, UNKNOWN, N)),
    "signal-outside": ("Content-Signal: ai-input=no", {}, "", (UNKNOWN, N, UNKNOWN)),
    "signal-header": ("", {"Content-Signal": "ai-train=yes"}, "", (UNKNOWN, UNKNOWN, Y)),
    "signal-broken": ("Content-Signal: everything=no", {}, "", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "usage": ("User-agent: *\nContent-Usage: train-ai=n", {}, "", (UNKNOWN, UNKNOWN, N)),
    "usage-path": (
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /$ train-ai=y",
        {},
        "",
        (UNKNOWN, UNKNOWN, Y),
    ),
    "usage-header": ("", {"Content-Usage": "search=n"}, "", (N, UNKNOWN, UNKNOWN)),
    "usage-broken": ("", {"Content-Usage": "train-ai=n,,"}, "", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "tdm-header": ("", {"tdm-reservation": "1"}, "", (UNKNOWN, N, N)),
    "tdm-meta": ("", {}, TDM.format(1), (UNKNOWN, N, N)),
    "tdm-both": ("", {"tdm-reservation": "1"}, TDM.format(0), (UNKNOWN, Y, Y)),
    "noai-meta": ("", {}, NOAI, (UNKNOWN, N, N)),
    "noai-header": ("", {"X-Robots-Tag": "noai"}, "", (UNKNOWN, N, N)),
    "noai-others": ("", {"X-Robots-Tag": "otherbot: noai"}, "", ()),
    "noimageai": ("", {"X-Robots-Tag": "noimageai"}, "", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "license": ("License: https://rsl.test/all.xml", {}, "", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "other-agents": ("User-agent: GPTBot\nDisallow: /\nContent-Signal: ai-train=no", {}, "", ()),
    "contradiction": (
        "User-agent: *\nContent-Signal: ai-train=yes",
        {"Content-Usage": "train-ai=n"},
        "",
        (UNKNOWN, UNKNOWN, N),
    ),
    "contradiction-meta": (
        "Content-Signal: search=yes, ai-input=yes, ai-train=yes",
        {},
        NOAI,
        (Y, N, N),
    ),
}
NAMES = ("search", "ai_input", "ai_train")


def served(name: str) -> dict[str, Page]:
    robots, headers, head, _ = SITES[name]
    first = Answer(page("/more", title=name, head=head), headers={**headers, "ETag": '"1"'})
    return {"/robots.txt": f"{robots}\n", "/": first, "/more": page(title=f"{name} more")}


def permitted(name: str, purpose: str) -> bool:
    said = dict(zip(NAMES, SITES[name][3], strict=False))
    return said.get(purpose) is not False


def ledger(crawl: CrawlCommand) -> dict[str, list[dict[str, Any]]]:
    status, told = crawl.command("report", "--list", "permissions", "--format", "json")
    assert status == 0, told
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(told):
        rows.setdefault(row["origin"], []).append(row)
    return rows


@pytest.mark.behaviour("PERM-01", "PERM-02", "PERM-03", "PERM-04", "PERM-05", "PERM-06")
def test_a_web_of_twenty_sites(server: Server, crawl: CrawlCommand) -> None:
    origins = {name: server.serve(served(name)) for name in SITES}
    starts = [f"{origin}/" for origin in origins.values()]
    run = crawl(*starts)
    assert run.status == 0, run.log[-3000:]
    for name, origin in origins.items():
        usage = run.documents[f"{origin}/"].get("usage", {})
        assert tuple(usage[each] for each in NAMES if usage) == SITES[name][3], name
    usage = run.documents[f"{origins['signal']}/"]["usage"]
    line = {"from": "robots.txt", "line": 2, "text": "Content-Signal: search=yes, ai-train=no"}
    assert usage["sources"] == [{**line, "forbids": ["ai_train"]}]
    usage = run.documents[f"{origins['license']}/"]["usage"]
    assert usage["licenses"] == ["https://rsl.test/all.xml"]
    assert "usage" not in run.documents[f"{origins['noai-meta']}/more"]

    rows = ledger(crawl)
    assert rows.keys() == set(origins.values())
    [row] = rows[origins["silent"]]
    assert [row[name] for name in (*NAMES, "pages")] == ["unknown", "unknown", "unknown", 2]
    no, open_page = rows[origins["tdm-header"]]
    assert [no[name] for name in (*NAMES, "pages")] == ["unknown", "no", "no", 1]
    assert [open_page[name] for name in (*NAMES, "pages")] == ["unknown", "unknown", "unknown", 1]
    assert (no["said"], open_page["said"]) == (["header: tdm-reservation: 1"], [])

    asked = len(server.log.of())
    status, told = crawl.command("reindex", "-a", "purpose=ai-train", "--dry-run")
    forbidden = {name for name in SITES if not permitted(name, "ai_train")}
    assert "documents deleted (usage)" in told
    status, told = crawl.command("reindex", "-a", "purpose=ai-train")
    assert (status, len(server.log.of())) == (0, asked), told
    run = crawl(*starts, purpose="ai-train")
    assert run.status == 0, run.log[-3000:]
    gone = {url for url, reason in run.deletions.items() if reason == "usage"}
    assert {f"{origins[name]}/" for name in forbidden} <= gone
    assert gone.isdisjoint(f"{origins[name]}/" for name in SITES.keys() - forbidden)

    status, told = crawl.command("reindex", "-a", "purpose=search")
    run = crawl(*starts, purpose="search")
    assert f"{origins['usage-header']}/" not in run.documents


@pytest.mark.behaviour("PERM-04", "PERM-05")
def test_a_purpose_from_the_start(server: Server, crawl: CrawlCommand) -> None:
    names = ("signal", "noai-header", "noai-meta", "silent", "contradiction")
    origins = {name: server.serve(served(name)) for name in names}
    starts = [f"{origin}/" for origin in origins.values()]
    run = crawl(*starts, purpose="search ai-train")
    assert f"{origins['silent']}/" in run.documents
    for name in ("signal", "noai-header", "noai-meta", "contradiction"):
        assert f"{origins[name]}/" not in run.documents
    assert f"{origins['noai-meta']}/more" in run.documents, "links are followed"
    for name, words in (
        ("signal", "line 2 of robots.txt: Content-Signal: search=yes, ai-train=no: no document"),
        ("noai-meta", "meta: robots: noai, index: no document"),
        ("contradiction", "header: Content-Usage: train-ai=n: no document"),
    ):
        _, told = crawl.command("explain", f"{origins[name]}/", "-a", "purpose=search ai-train")
        assert words in told, told

    status, told = crawl.command("reindex", "-a", "purpose=search")
    assert status == 0, told
    assert "5 documents due" in told
    again = crawl(*starts, purpose="search")
    permitted_again = {f"{origins[name]}/" for name in names if name != "silent"}
    assert again.documents.keys() == permitted_again | {f"{origins['signal']}/more"}


RSL = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/">{}</content></rsl>'
GRANT = '<license><permits type="usage">search ai-input</permits></license>'
RESERVED = json.dumps([{"location": "/", "tdm-reservation": 1}])
LINK = '<link rel="license" type="application/rsl+xml" href="{}">'
EMBEDDED = '<script type="application/rsl+xml">{}</script>'
FILES: dict[str, tuple[dict[str, Page], str, tuple[bool | None, ...]]] = {
    "tdmrep": ({TDMREP: RESERVED}, "", (UNKNOWN, N, N)),
    "tdmrep-part": ({TDMREP: RESERVED.replace("/", "/more")}, "", ()),
    "tdmrep-meta": ({TDMREP: RESERVED}, TDM.format(0), (UNKNOWN, Y, Y)),
    "tdmrep-broken": ({TDMREP: "<html>"}, "", ()),
    "tdmrep-down": ({TDMREP: Answer(status=503)}, "", ()),
    "license": ({"/robots.txt": "License: {}/l.xml", "/l.xml": RSL.format(GRANT)}, "", (Y, Y, N)),
    "license-meta": (
        {"/robots.txt": "License: {}/l.xml", "/l.xml": RSL.format(GRANT)},
        NOAI,
        (Y, N, N),
    ),
    "license-gone": ({"/robots.txt": "License: {}/l.xml"}, "", (UNKNOWN,) * 3),
    "license-elsewhere": (
        {"/robots.txt": "License: https://rsl.test/l.xml"},
        "",
        (UNKNOWN,) * 3,
    ),
    "license-of-page": ({"/l.xml": RSL.format(GRANT)}, LINK.format("/l.xml"), (Y, Y, N)),
    "license-of-page-gone": ({}, LINK.format("/a|b.xml"), (UNKNOWN,) * 3),
    "license-of-page-elsewhere": ({}, LINK.format("https://rsl.test/l.xml"), (UNKNOWN,) * 3),
    "license-in-page": ({}, EMBEDDED.format(RSL.format(GRANT)), (Y, Y, N)),
}


@pytest.mark.behaviour("PERM-06", "PERM-08")
def test_files_about_usage(server: Server, crawl: CrawlCommand) -> None:
    origins: dict[str, str] = {}
    for name, (files, head, _) in FILES.items():
        site: dict[str, Page] = {}
        origins[name] = origin = server.serve(site)
        page_of_site = page("/more", "/notes.txt", title=name, head=head)
        site |= {
            "/": Answer(page_of_site, headers={"ETag": '"1"'}),
            "/more": page(title=f"{name} more"),
            "/notes.txt": Answer(f"Notes of {name}", headers={"Content-Type": "text/plain"}),
        }
        for path, body in files.items():
            text = body.replace("{}", origin) if isinstance(body, str) else ""
            site[path] = Answer(text, headers={"ETag": '"f"'}) if text else body
    starts = [f"{origin}/" for origin in origins.values()]
    options = {"content_types": "text/html text/plain"}
    run = crawl(*starts, **options)
    assert run.status == 0, run.log[-3000:]
    assert server.log.count(TDMREP) == server.log.count("/l.xml") == 0, "not without a purpose"

    server.log.clear()
    run = crawl(*starts, purpose="search", force=1, **options)
    for name, origin in origins.items():
        asked = server.log.targets(origin)
        named = [TDMREP, "/l.xml"][: 1 + (name in {"license", "license-meta", "license-gone"})]
        assert asked[: 1 + len(named)] == ["/robots.txt", *named], name
        again = {"license-of-page": "/l.xml", "license-of-page-gone": "/a%7Cb.xml"}.get(name)
        twice = ["/", again, "/"] if again else ["/"]
        assert asked[1 + len(named) :][: len(twice)] == twice
        assert len(asked) == len(set(asked)) + bool(again)
    _, told = crawl.command("export")
    documents = {each["url"]: each for each in map(json.loads, told.splitlines())}
    for name, origin in origins.items():
        usage = documents[f"{origin}/"].get("usage", {})
        assert tuple(usage[each] for each in NAMES if usage) == FILES[name][2], name
    rows = ledger(crawl)
    [row] = rows[origins["license"]]
    assert [row[each] for each in (*NAMES, "pages")] == ["yes", "yes", "no", 3]
    assert any("license: " in each and "permits search ai-input" in each for each in row["said"])
    assert {row["pages"] for row in rows[origins["tdmrep-part"]]} == {1, 2}
    for name in ("license-elsewhere", "license-of-page-elsewhere"):
        said = {each for row in rows[origins[name]] for each in row["said"]}
        assert "license: https://rsl.test/l.xml: no terms were read" in said

    server.log.clear()
    run = crawl(*starts, purpose="ai-train", recrawl=0, **options)
    forbidden = {name for name, (*_, said) in FILES.items() if said[2:] == (N,)}
    found = crawl.rows(f"SELECT url FROM url WHERE outcome = {int(Outcome.USAGE_FORBIDDEN)}")
    starts_of = {name: (f"{origin}/",) for name, origin in origins.items()}
    assert {name for name, row in starts_of.items() if row in found} == forbidden, run.log[-3000:]
    assert {each.status for each in server.log.of(origins["tdmrep"]) if each.target == TDMREP} == {
        304
    }


@pytest.mark.behaviour("PERM-08")
def test_a_page_that_is_visited_again_counts_once(server: Server, crawl: CrawlCommand) -> None:
    head = LINK.format("/l.xml")
    site: dict[str, Page] = {"/": page("/a", head=head), "/a": page(title="A", head=head)}
    origin = server.serve(site | {"/l.xml": RSL.format(GRANT)})
    run = crawl(f"{origin}/", purpose="search", max_pages=1)
    assert run.documents.keys() == {f"{origin}/"}, run.log[-3000:]
    run = crawl(f"{origin}/", purpose="search", max_pages=1)
    assert run.documents.keys() == {f"{origin}/a"}, run.log[-3000:]
    assert server.log.targets(origin).count("/l.xml") == 2


@pytest.mark.behaviour("PERM-05")
def test_a_304_after_a_change_of_purpose(server: Server, crawl: CrawlCommand) -> None:
    site = served("noai-meta")
    site |= {f"/{number}": page(title=f"Page {number}") for number in range(3)}
    site["/more"] = page("/0", "/1", "/2", title="More")
    origin = server.serve(site)
    assert len(crawl(f"{origin}/").documents) == 5
    server.log.clear()
    run = crawl(f"{origin}/", purpose="ai-input", recrawl=0)
    assert [each.status for each in server.log.of(origin) if each.target == "/"] == [304]
    assert run.deletions == {f"{origin}/": "usage"}, run.log[-3000:]
    assert f"{origin}/" in crawl(f"{origin}/", purpose="search", recrawl=0).documents


@pytest.mark.behaviour("PERM-05")
def test_a_304_withdraws_what_is_forbidden_since(server: Server, crawl: CrawlCommand) -> None:
    site = served("silent")
    site |= {f"/{number}": page(title=f"Page {number}") for number in range(3)}
    site["/more"] = page("/0", "/1", "/2", title="More")
    origin, often = server.serve(site), {"recrawl": "1s", "robots_lifetime": "1s"}
    run = crawl(f"{origin}/", purpose="ai-input", **often)
    assert len(run.documents) == 5
    time.sleep(1.1)
    site["/robots.txt"] = "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-input=yes\n"
    assert not crawl(f"{origin}/", purpose="ai-input", **often).deletions
    time.sleep(1.1)
    site["/"] = Answer(status=304, headers={"Content-Signal": "ai-input=no"})
    run = crawl(f"{origin}/", purpose="ai-input", **often)
    assert run.deletions == {f"{origin}/": "usage"}, run.log[-3000:]


@pytest.mark.behaviour("PERM-04")
def test_an_unknown_purpose_is_refused(crawl: CrawlCommand) -> None:
    run = crawl("http://127.0.0.1:9/", purpose="training")
    assert run.status == 2
    assert "'training' is none of search, ai-input, ai-train" in run.log
