"""Reads the case tables of pages, and says of a page what a table can hold."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

CASES = Path(__file__).parent / "cases"
URL = "http://example.org/folder/page.html"


def load(name: str) -> list[Any]:
    """The cases of a table as parameters, each with the behaviours it proves."""
    table = tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))
    defaults = {key: value for key, value in table.items() if key != "case"}
    return [
        pytest.param(
            {**defaults, **case},
            id=case["name"],
            marks=[pytest.mark.behaviour(*case["ids"])] if "ids" in case else [],
        )
        for case in table["case"]
    ]


def read(case: dict[str, Any]) -> Page:
    """The page of a case."""
    body = case["html"]
    options = {name: frozen(value) for name, value in case.get("options", {}).items()}
    return read_page(
        body.encode("latin-1") if case.get("bytes") else body.encode(),
        url=case.get("url", URL),
        content_type=case.get("type", "text/html; charset=utf-8"),
        headers=case.get("headers", {}),
        options=ReadOptions(**options),
    )


def frozen(value: Any) -> Any:
    """A value of a table as options hold it."""
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def told(page: Page, name: str) -> Any:
    """One thing that a page tells, in the form of the tables."""
    views: dict[str, Callable[[], Any]] = {
        "links": lambda: [link.url.replace("http://example.org/", "/", 1) for link in page.links],
        "vias": lambda: [link.via for link in page.links],
        "rels": lambda: [sorted(link.rel) for link in page.links],
        "link_texts": lambda: [link.text for link in page.links],
        "alternates": lambda: [[a.url, a.title, a.type, a.hreflang] for a in page.alternates],
        "definitions": lambda: [[d.term, d.anchor] for d in page.definitions],
        "headings": lambda: [[h.level, h.text, h.anchor] for h in page.headings],
        "blocks": lambda: [[block.language, block.text] for block in page.blocks],
        "refresh": lambda: [page.refresh.delay, page.refresh.url] if page.refresh else [],
        "robots": lambda: robots(page),
        "metas": lambda: {key: list(values) for key, values in page.metas.items()},
        "json_ld": lambda: {key: list(values) for key, values in page.json_ld.items()},
        "fields": lambda: {key: list(values) for key, values in page.fields.items()},
        "canonical": lambda: page.canonical or "",
        "from_heading": lambda: from_heading(page),
        "cuts": lambda: list(page.cuts),
        "generators": lambda: list(page.generators),
        "images": lambda: list(page.images),
    }
    return views[name]() if name in views else getattr(page, name)


def from_heading(page: Page) -> str:
    """The lasting text from the useful heading on, empty without any."""
    text = page.stable_text or page.text
    return text[page.heading_at :] if page.heading_at >= 0 else ""


def robots(page: Page) -> list[str]:
    """The restrictions of a page as words, the date last."""
    directives = page.directives
    names = ("noindex", "nofollow", "noarchive", "nosnippet")
    date = directives.unavailable_after
    return [name for name in names if getattr(directives, name)] + [
        moment.isoformat() for moment in (date,) if moment is not None
    ]
