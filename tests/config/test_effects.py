"""Each option is changed on a crawled database: what differs then is what its effect declares."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fixtures.many_crawls import Documents, Job, run_all
from fixtures.server import Answer, Server, Site, page
from sitecrawl.config.option import Effect, effect_of
from sitecrawl.config.options.crawl_options import CrawlParams

CASES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "cases" / "effects.toml").read_text("utf-8")
)
TAG = {"ETag": '"1"'}
ALWAYS = {"delay": "0", "politeness": "0", "contact": "https://a.example/", "max_lost_share": "1"}
OF_A_RUN = {
    *("seq", "run_id", "change", "id", "first_seen_at", "last_crawled_at", "last_changed_at"),
    *("order", "source_url", "depth", "discovered_via", "additional_urls"),
}
TEXT = "The ferry leaves the harbour at noon and returns with the tide of the same evening. "
ARTICLE = f"""<!doctype html><html lang=en><head><title>A PAGE OF FERRIES - Harbour</title>
<meta name=description content="Of the harbour"><meta name=cost content=12>
<meta property=og:site_name content="Harbour"></head><body><nav><a href=/>Start</a> Menu</nav>
<main><h1>Ferries</h1><h2>Times</h2><p class=price>12 crowns</p><p>{TEXT * 4}</p>
<p class=noindex>Left out</p><aside>Beside the text</aside><!--quiet-->Silence<!--/quiet-->
<img src=/i.png alt="A boat" title="In the harbour" longdesc=/long><h2>Prices</h2><p>{TEXT * 4}</p>
<h2>Short</h2><p>A line.</p>
<section id=comments class=comments><h2>Comments</h2><p>A reader says so.</p></section></main>
<div data-href=/attribute></div><object data=/object></object><base href=/below/><a href=in>In</a>
<script>document.write("<a href=/written>Written</a>")</script><a href="/sp
  lit">Split</a><a href='/quo"ted'>Quoted</a><form><iframe src=/frame></iframe></form>
<footer>Beside it all</footer><a href=/nofollow rel=nofollow>No</a></body></html>"""
LINKS = [
    "/article",
    "/plain",
    "/nofollow-page",
    "/Report",
    "/deep/er/page",
    "/a/a/a/a/page",
    "/shop?id=1",
    "/shop?b=2&a=1",
    "/shop?a=1&b=2",
    "/shop?sid=0123456789abcdef0123456789abcdef",
    "/shop?utm_source=x",
    "/index.html",
    "/dir",
    "/dir/",
    "/x//y",
    "/file.zip",
    "/refresh",
    "/untyped",
    "/small",
    "/login",
    "/xml",
    "/view.nsf/a?OpenView&Start=1",
    "/new",
    "/equal",
    "/trained",
    "/wiki",
    "//127.0.0.1:1/",
    "//127.0.0.3/",
]


def site() -> Site:
    """A site on which most options show, and whose pages need not be sent again."""
    found: Site = {f"/{name}": page(text=f"{name}: {TEXT}") for name in ("Report", "dir")}
    equal = page(title="Equal", text=TEXT)
    found |= {
        "/robots.txt": "User-agent: *\nDisallow: /report\nDisallow: /deep\nSitemap: /map.xml\n"
        "Content-Usage: /trained train-ai=n\n",
        "/map.xml": Answer(
            "<urlset><url><loc>/listed</loc></url></urlset>", headers={"Content-Type": "text/xml"}
        ),
        "/": page(*LINKS, title="Start"),
        "/article": Answer(ARTICLE),
        "/plain": Answer("Plain text", headers={"Content-Type": "text/plain"}),
        "/nofollow-page": Answer(
            "<meta name=robots content=nofollow><title>N</title><p>Text<a href=/beyond>B</a>"
        ),
        "/refresh": Answer("<meta http-equiv=refresh content='2;url=/fresh'><p>Moving" + TEXT),
        "/untyped": Answer("<p>No type", headers={"Content-Type": None}),
        "/small": Answer("Small"),
        "/new": equal,
        "/equal": equal,
        "/wiki": Answer(
            "<meta name=generator content='cgit v1.2.3'><p>W<a href=/wiki/diff/>Diff</a>"
        ),
        "/login": Answer("<title>Log in</title><form><input type=password></form>"),
        "/xml": Answer("<a><b>c</b></a>", headers={"Content-Type": "application/xml"}),
    }
    for path, each in found.items():
        answer = each if isinstance(each, Answer) else Answer(str(each))
        if path not in {"/robots.txt", "/map.xml"}:
            found[path] = replace(answer, headers={**answer.headers, "ETag": '"1"'})
    return found | {"*": lambda asked: Answer(page(text=f"Page {asked.target}"), headers=TAG)}


def shown(documents: Documents | str) -> dict[str, dict[str, Any]]:
    """The documents without what differs between two runs."""
    assert not isinstance(documents, str), documents
    return {
        url: {name: value for name, value in each.items() if name not in OF_A_RUN}
        for url, each in documents.items()
    }


def declared_by(before: Documents | str, after: Documents | str) -> Effect:
    """The effects of which an option must declare one, by the documents before and after."""
    old, new = shown(before), shown(after)
    if any(old[url] != new[url] for url in old.keys() & new.keys()):
        return Effect.READING
    return ~Effect.RUN if old.keys() != new.keys() else Effect(0)


def _items(document: dict[str, Any] | None) -> set[tuple[str, str]]:
    return {(name, str(value)) for name, value in (document or {}).items()}


def differing(before: Documents | str, after: Documents | str) -> dict[str, set[str]]:
    """The fields by which documents differ, by URL."""
    old, new = shown(before), shown(after)
    found = {
        url: {name for name, _ in _items(old.get(url)) ^ _items(new.get(url))}
        for url in old.keys() | new.keys()
    }
    return {url: names for url, names in found.items() if names}


def test_every_option_has_a_case() -> None:
    assert CASES.keys() == CrawlParams.model_fields.keys()


@pytest.mark.slow
def test_what_an_option_changes_is_its_effect(server: Server, tmp_path: Path) -> None:
    origin = server.serve(site())
    start = {**ALWAYS, "start": f"{origin}/"}
    cases = {name: each for name, each in CASES.items() if "value" in each}
    bases = {str(each.get("with", {})): each.get("with", {}) for each in cases.values()}

    def job(place: str, options: dict[str, str]) -> Job:
        return Job(f"sqlite:///{tmp_path}/{place}.db", {**start, **options})

    names = {key: f"base{number}" for number, key in enumerate(bases)}
    before = dict(zip(bases, run_all([job(names[key], bases[key]) for key in bases]), strict=True))
    for name, each in cases.items():
        base = names[str(each.get("with", {}))]
        shutil.copy(tmp_path / f"{base}.db", tmp_path / f"{name}-again.db")
    changed = {name: {**each.get("with", {}), name: each["value"]} for name, each in cases.items()}
    fresh = run_all([job(name, options) for name, options in changed.items()])
    again = run_all(
        [job(f"{name}-again", {**given, "recrawl": "0"}) for name, given in changed.items()]
    )
    wrong: dict[str, str] = {}
    for name, alone, later in zip(cases, fresh, again, strict=True):
        effect = effect_of(CrawlParams.model_fields[name]) or Effect(0)
        without = before[str(cases[name].get("with", {}))]
        needed = declared_by(without, alone)
        if bool(needed) != bool(needed & effect):
            wrong[name] = f"{effect} is declared, but {differing(without, alone)}"
        elif effect != Effect.RUN and not needed:
            wrong[name] = f"{effect} is declared, but nothing differs"
        elif "again" not in cases[name] and effect & (Effect.READING | Effect.FOLLOWING):
            missing = shown(alone).keys() - shown(later)
            if missing or declared_by(later, alone) == Effect.READING:
                wrong[name] = f"not read again: {differing(later, alone)}"
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items())
