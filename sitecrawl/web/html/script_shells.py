"""Script shells: metrics of an HTML document before and after its scripts ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.html.parser_bounds import bounded
from sitecrawl.web.html.scripts import runs

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


# Elements in which frameworks mount their applications.
_ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #ember-app, #react-root, #q-app,"
    " #application, app-root, [ng-app], [data-reactroot], [data-ng-app], [data-server-rendered]"
)
MAX_DEPTH = 512  # as Blink
MAX_NOTES = 50  # noscript elements; the first 1,000 characters of their text are kept
_MUTE = ["script", "style", "template", "noscript", "svg", "select"]


@dataclass(frozen=True, slots=True)
class Shell:
    """Metrics of an HTML document as seen without scripts.

    ``text`` counts the characters of its body, ``links`` the elements with an address,
    ``scripts`` the scripts that a browser would run. ``root`` names the element in which an
    application is mounted, ``root_text`` counts the characters within it; ``noscript``
    is the text of the noscript elements.
    """

    text: int = 0
    links: int = 0
    scripts: int = 0
    root: str = ""
    root_text: int = 0
    noscript: str = ""


def read_shell(markup: bytes | str) -> Shell:
    """Measure an HTML document; never raises."""
    raw = markup.encode("utf-8", "replace") if isinstance(markup, str) else markup
    parser = LexborHTMLParser(bounded(raw, len(raw), MAX_DEPTH)[0], scripting=False)
    body = parser.body
    if body is None:
        return Shell()
    noscript = " ".join(node.text(separator=" ") for node in parser.css("noscript")[:MAX_NOTES])
    scripts = sum(_runs(node) for node in parser.css("script"))
    links = len(body.css("a[href], area[href]"))
    parser.strip_tags(_MUTE)
    root = body.css_first(_ROOTS)
    return Shell(
        text=_length(body),
        links=links,
        scripts=scripts,
        root=_name(root) if root is not None else "",
        root_text=_length(root) if root is not None else 0,
        noscript=" ".join(noscript.split())[:1000],
    )


def without_scripts(html: str) -> str:
    """A document whose scripts have run, without its scripts and noscript elements.

    Their output is already in the document, and reading them would duplicate it. Data blocks stay.
    """
    raw = html.encode("utf-8", "replace")
    parser = LexborHTMLParser(bounded(raw, len(raw), MAX_DEPTH)[0], scripting=True)
    for node in parser.css("script, noscript"):
        if node.tag == "noscript" or _runs(node):
            node.decompose()
    return parser.html or ""


def _runs(node: LexborNode) -> bool:
    return runs(node.attributes.get("type"))


def _length(node: LexborNode) -> int:
    return len(" ".join(node.text(separator=" ").split()))


def _name(node: LexborNode) -> str:
    """A CSS selector for the element: its id, else its tag."""
    identity = node.attributes.get("id")
    return f"#{identity}" if identity else str(node.tag)
