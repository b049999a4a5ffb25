"""Constructed sites of two kinds: pages whose contents share lines, and pages with furniture.

Every line of a content that many pages share must stay, in every shape of a document; of the
furniture at most 2 % may. All sites are crawled by one command, which writes no document twice.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from fixtures.server import Server

PAGES = 16
_SIGNS = re.compile(r"[\W_]+")
SENTENCES = (
    "The {subject} of unit {n} was measured on a bench of the workshop before it left the building.",
    "Its {subject} depends on the load, on the temperature and on the position in which it is kept.",
    "Number {n} replaces an earlier one, whose {subject} could not be adjusted without a tool.",
    "Further notes on the {subject} are found in report {n}, which the workshop sends on request.",
)


class Constructed(NamedTuple):
    """A site: markup of a page with its number as ``{n}``, its own text as ``{own}``.

    ``lines`` are those to be found in every document, or in none if ``is_furniture``.
    """

    name: str
    markup: str
    lines: tuple[str, ...]
    is_furniture: bool = False


def own_text(subject: str, number: int) -> str:
    """The text of one page that no other page has."""
    return "".join(f"<p>{each.format(subject=subject, n=number)}</p>" for each in SENTENCES)


def lines_of(markup: str) -> tuple[str, ...]:
    """The lines of some markup: the texts of its elements, listings line by line."""
    body = LexborHTMLParser(markup).body
    texts = body.text(separator="\n").split("\n") if body is not None else []
    return tuple(line for each in texts if (line := " ".join(each.split())) and _flat(line))


def rows(*cells: str) -> str:
    """A table of two columns."""
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return f"<table>{''.join(f'<tr><th>{a}</th><td>{b}</td></tr>' for a, b in pairs)}</table>"


def listed(*items: str, tag: str = "ul") -> str:
    """A list."""
    return f"<{tag}>{''.join(f'<li>{each}</li>' for each in items)}</{tag}>"


def paragraphs(*texts: str) -> str:
    """Paragraphs."""
    return "".join(f"<p>{each}</p>" for each in texts)


def links(*texts: str, tag: str = "div") -> str:
    """Elements that hold nothing but a link."""
    return "".join(f"<{tag}><a href=/{n}>{each}</a></{tag}>" for n, each in enumerate(texts))


SCREW = rows("Standard", "DIN 912", "Material", "stainless A2", "Head", "hexagon socket")
SAFETY = listed(
    "Switch the mains off.", "Wait five minutes.", "Wear gloves.", "Keep children away."
)
WARRANTY = paragraphs(
    "The warranty covers two years.",
    "It does not cover wear.",
    "Send the unit back at your own cost.",
    "This clause does not limit your rights.",
)
STEPS = listed(
    "Heat the oven to 180 degrees.",
    "Grease the tin.",
    "Bake for 40 minutes.",
    "Let it cool.",
    tag="ol",
)
REFRAIN = (
    "<p>Row, row, row your boat,<br>gently down the stream,<br>merrily, merrily,<br>merrily</p>"
)
METHODS = (
    "<h2>Parameters</h2><dl><dt>timeout</dt><dd>Seconds to wait.</dd></dl><h2>Returns</h2>"
    "<p>None.</p><h2>Raises</h2><p>OSError</p><h2>See also</h2><p>close</p>"
)
IMPORTS = "<pre>import os\nimport sys\nfrom pathlib import Path\n\nROOT = Path(sys.argv[1])</pre>"
RECALL = "<p><strong>Recall: stop using this heater, it may catch fire.</strong></p>"
HOURS = rows("Monday", "9 to 17", "Tuesday", "9 to 17", "Wednesday", "closed")
GLOSSARY = "<dl><dt>Bore</dt><dd>Inner diameter</dd><dt>Pitch</dt><dd>Distance of threads</dd></dl>"
CONTRACT = paragraphs(
    "1. The parties agree on the following.",
    "2. Notice is one month.",
    "3. Oral agreements are void.",
    "4. The place of jurisdiction is Bern.",
)
ALLERGENS = listed("Contains gluten", "Contains milk", "May contain traces of nuts")
DOSAGE = "<h2>Dosage</h2><p>One tablet a day.</p><h2>Storage</h2><p>Below 25 degrees.</p>"
LICENCE = "<pre># Permission is granted\n# free of charge\n# to any person</pre>"
QUESTIONS = "<details><summary>Can I return it?</summary><p>Within 30 days.</p></details>"
SEE_ALSO = f"<h2>See also</h2>{links('First chapter', 'Second chapter', 'Index', tag='li')}"
NOTE = "<aside class=note><p>This applies to version 3 only.</p></aside>"
CONTENTS = f"<nav><h2>Chapters</h2>{links('Alpha', 'Beta', 'Gamma', 'Delta', tag='li')}</nav>"
MENU_CARD = (
    "<div class=menu><h3>Soups</h3><p>Tomato soup 5.50</p><p>Leek soup 6.00</p>"
    "<h3>Mains</h3><p>Noodles 9.80</p></div>"
)
COOKIE_RECIPE = "<div id=cookie-box><p>Cookies keep for a week in a tin box.</p></div>"
FORMULA = "<p>E = m c<sup>2</sup> holds for all units.</p>"
RULES = paragraphs("Offside is not called in this league.", "A match takes 2 times 20 minutes.")

SHARED: dict[str, str] = {
    "table of a screw": SCREW,
    "safety rules": SAFETY,
    "warranty": WARRANTY,
    "recipe": STEPS,
    "refrain": REFRAIN,
    "methods": METHODS,
    "imports": IMPORTS,
    "recall": RECALL,
    "opening hours": HOURS,
    "glossary": GLOSSARY,
    "contract": CONTRACT,
    "allergens": ALLERGENS,
    "dosage": DOSAGE,
    "licence": LICENCE,
    "questions": QUESTIONS,
    "see also": SEE_ALSO,
    "note": NOTE,
    "menu card": MENU_CARD,
    "cookies to eat": COOKIE_RECIPE,
    "rules": RULES,
}
FRAMES = {
    "main": "<header><a href=/>Maker</a></header><main><h1>Unit {n}</h1>{own}{shared}</main>",
    "shared first": "<main><h1>Unit {n}</h1>{shared}{own}</main><footer>Imprint</footer>",
    "article": "<div><a href=/>Maker</a></div><article><h1>Unit {n}</h1>{own}{shared}</article>",
    "no landmark": "<div class=page><h1>Unit {n}</h1>{own}{shared}{own2}</div>",
}
MENU = ("Products", "Solutions", "Support", "Company", "Careers")
FOOT = ("Imprint", "Privacy", "Terms of use", "Contact us")
COPYRIGHT = "<p>Copyright 2026 Maker Ltd. All rights reserved.</p>"
AROUND: dict[str, tuple[str, str]] = {
    "landmarks": (f"<header>{links(*MENU)}</header>", f"<footer>{COPYRIGHT}</footer>"),
    "navigation": (f"<nav>{links(*MENU)}</nav>", f"<nav>{links(*FOOT)}</nav>"),
    "roles": (
        f"<div role=navigation>{links(*MENU)}</div>",
        f"<div role=contentinfo>{COPYRIGHT}</div>",
    ),
    "divs of links": (f"<div>{links(*MENU)}</div>", f"<div>{links(*FOOT)}</div>"),
    "list of links": (f"<ul>{links(*MENU, tag='li')}</ul>", f"<ul>{links(*FOOT, tag='li')}</ul>"),
    "links in a line": (
        "<div><a href=/1>Products</a> | <a href=/2>Support</a> | <a href=/3>Company</a></div>",
        "<p><a href=/4>Imprint</a> | <a href=/5>Privacy</a> | <a href=/6>Terms</a></p>",
    ),
    "named menu": (
        f"<div class=main-menu>{links(*MENU)}</div>",
        f"<div id=footer>{COPYRIGHT}</div>",
    ),
    "named sidebar": (f"<div class=sidebar><b>Topics</b>{links(*MENU)}</div>", ""),
    "breadcrumb": (
        "<div class=breadcrumb><a href=/>Home</a> &gt; <a href=/p>Units</a></div>",
        "",
    ),
    "share bar": ("", f"<div class=share-buttons><b>Share</b>{links('Mail', 'Print')}</div>"),
    "newsletter": (
        "",
        "<form class=newsletter><label>Our newsletter</label><input><button>Sign up</button></form>",
    ),
    "cookie banner": (
        "<div class=cookie-banner><p>We use cookies.</p><button>OK</button></div>",
        "",
    ),
    "search form": ("<form action=/s><label>Search the site</label><input></form>", ""),
    "table of links": (
        f"<table><tr>{links('Up', 'Next', 'Previous', tag='td')}</tr></table>",
        "",
    ),
    "related": ("", f"<div class=related><h3>Related units</h3>{links('A 1', 'A 2', 'A 3')}</div>"),
    "skip links": ("<a href=#c>Skip to content</a>", ""),
    "login": (f"<div class=login>{links('Log in', 'Register')}</div>", ""),
    "copyright": ("", f"<div class=copyright>{COPYRIGHT}</div>"),
    "social": ("", f"<ul class=social>{links('Mastodon', 'Matrix', tag='li')}</ul>"),
    "pager": ("", f"<div class=pagination>{links('Previous', 'Next')}</div>"),
    "languages": (
        f"<ul class=languages>{links('Deutsch', 'English', 'Polski', tag='li')}</ul>",
        "",
    ),
    "modal": ("", "<div class=modal role=dialog><p>Subscribe now and save.</p></div>"),
    "tags": ("", f"<div class=tags>{links('steel', 'screw', 'metric')}</div>"),
}


def sites() -> Iterator[Constructed]:
    """All sites; the frames of shared content take turns."""
    frames = list(FRAMES.values())
    for number, (name, shared) in enumerate(SHARED.items()):
        for frame in (frames[number % 4], frames[(number + 1) % 4]):
            markup = frame.replace("{shared}", shared)
            yield Constructed(name, markup, lines_of(shared))
    chapters = f"<main><h1>Book {{n}}</h1>{CONTENTS}<p>Edition {{n}}</p></main>{{own}}"
    yield Constructed("chapters", chapters, lines_of(CONTENTS))
    for number, (name, (before, after)) in enumerate(AROUND.items()):
        inside = "<h1>Unit {n}</h1>{own}{own2}"
        main = f"<main>{inside}</main>" if number % 2 else f"<div>{inside}</div>"
        lines = lines_of(before + after)
        yield Constructed(name, f"{before}{main}{after}", lines, is_furniture=True)


def pages_of(site: Constructed) -> dict[str, Any]:
    """The pages of a site; the first one links to the others."""
    every = [f"/p/{number}" for number in range(PAGES)]
    found: dict[str, Any] = {}
    for number, path in enumerate(every):
        own = own_text("bearing", number)
        if not number:
            own += "".join(f"<a href={each}></a>" for each in every)
        markup = site.markup.replace("{own2}", own_text("thread", number)).replace("{own}", own)
        found[path] = f"<title>Unit {number}</title>{markup.replace('{n}', str(number))}"
    return {"/": f"<title>Units</title><a href=/p/0>units</a>{found['/p/0']}", **found}


def shapes(document: dict[str, Any]) -> dict[str, Counter[str]]:
    """The lines of each shape of a document, without signs."""
    sections = document.get("sections", [])
    texts = {
        "body": document.get("body", ""),
        "markdown": document.get("markdown", ""),
        "sections": "\n".join(each["text"] for each in sections),
    }
    return {name: Counter(_flat(line) for line in text.split("\n")) for name, text in texts.items()}


def _flat(text: str) -> str:
    return _SIGNS.sub("", re.sub(r"\]\([^)]*\)", "]", text)).casefold()


def kept(lines: Sequence[str], found: Counter[str]) -> int:
    """The number of lines that a shape of a document holds, within a longer line too."""
    whole = "\n".join(found)
    return sum(_flat(line) in whole for line in lines)


def crawl(constructed: Sequence[Constructed]) -> list[list[dict[str, Any]]]:
    """Crawl all sites by one command; return the lines of the output, by site."""
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        origins = [
            server.serve(pages_of(site), address=f"127.0.1.{number}")
            for number, site in enumerate(constructed, start=1)
        ]
        (Path(folder) / "starts").write_text("\n".join(f"{each}/p/0" for each in origins))
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"start=@{folder}/starts"]
        command += ["-a", "preset=rag", "-a", "section_min=0", "-a", "delay=0"]
        command += ["-O", f"{folder}/documents.jsonl", "-L", "ERROR"]
        command += ["-s", f"SITECRAWL_DATABASE=sqlite:///{folder}/crawl.db"]
        subprocess.run(command, check=True, timeout=600)
        written = map(json.loads, (Path(folder) / "documents.jsonl").read_text().splitlines())
        by_origin: dict[str, list[dict[str, Any]]] = {}
        for line in written:
            by_origin.setdefault("/".join(line["url"].split("/")[:3]), []).append(line)
    return [by_origin.get(origin, []) for origin in origins]


def shared_lines() -> None:
    """Print the lines lost of shared content, and those left of furniture, by shape."""
    constructed = list(sites())
    counts: dict[tuple[bool, str], Counter[str]] = {}
    bad: list[str] = []
    twice = 0
    for site, lines in zip(constructed, crawl(constructed), strict=True):
        documents = {line["url"]: line for line in lines if line["op"] == "upsert"}
        twice += len(lines) - len(documents)
        for document in documents.values():
            for shape, found in shapes(document).items():
                count = counts.setdefault((site.is_furniture, shape), Counter())
                there = kept(site.lines, found)
                count["lines"] += len(site.lines)
                count["kept"] += there
                if there != (0 if site.is_furniture else len(site.lines)):
                    bad.append(f"{site.name} ({shape})")
    kinds = (False, True)
    number = [sum(site.is_furniture is kind for site in constructed) for kind in kinds]
    print(
        f"\n## Lines on all pages: {number[0]} sites of shared content, {number[1]} of furniture\n"
    )
    print("| shape | lines of content lost | lines of furniture left |\n|---|---|---|")
    for shape in ("body", "markdown", "sections"):
        content, furniture = (counts[kind, shape] for kind in kinds)
        lost = content["lines"] - content["kept"]
        print(
            f"| {shape} | {lost} of {content['lines']} |"
            f" {furniture['kept']} of {furniture['lines']} ({furniture['kept'] / furniture['lines']:.1%}) |"
        )
    print(f"\nDocuments written twice: {twice}.")
    for name, pages in sorted(Counter(bad).items()):
        print(f"- {name}: {pages} pages")
