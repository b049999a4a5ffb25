"""Pages that are alike and no copies: releases of Clang's and LLVM's manuals, and a Java reference.

The folders of releases are named after the releases, ``stable`` is a copy of the newest one. Most pages have
95 to 100 % of their text in common with those of the release before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

from benchmarks.real_sites.manuals import is_index
from benchmarks.real_sites.site import NEUTRAL, Served
from fixtures.nginx import Nginx

DOCUMENTATION = Path("/usr/share/doc")
CLANG = {number: DOCUMENTATION / f"clang-{number}" / "html" for number in ("14", "15", "16")}
LLVM = {number: DOCUMENTATION / f"llvm-{number}-doc" / "html" for number in ("15", "16")}
CLANG_PACKAGES = tuple(f"clang-{number}-doc" for number in CLANG)
LLVM_PACKAGES = tuple(f"llvm-{number}-doc" for number in LLVM)
JAVA = DOCUMENTATION / "libcommons-lang3-java" / "api"
JAVA_PACKAGES = ("libcommons-lang3-java-doc",)
STABLE = "stable"
_REFRESH = 'http-equiv="Refresh"'
_START = """\
<!DOCTYPE html><html lang="en"><head><title>Documentation</title></head>
<body><h1>Documentation</h1><p>Choose a release.</p>{menu}</body></html>
"""


@contextmanager
def reference(folder: Path) -> Iterator[Served]:
    """Serve a Java reference: classes, packages, trees, uses ("No usage of ...") and code."""
    files = (file for file in JAVA.rglob("*.html") if "legal" not in file.parts)
    markup = {f"/{file.relative_to(JAVA)}": file.read_text(encoding="utf-8") for file in files}
    texts = {path: text_of(each) for path, each in markup.items() if _REFRESH not in each}
    with _served(folder, JAVA, texts) as served:
        yield served


@contextmanager
def releases(folder: Path, sources: Mapping[str, Path], *, has_menu: bool) -> Iterator[Served]:
    """Serve releases; pages with the same title and text are one true page.

    With a menu each page links to the same page of the other releases, as Read the Docs has it;
    otherwise only the start page links to more than one of them.
    """
    root = folder / "releases"
    texts: dict[str, str] = {}
    for path, markup, text in pages_of(sources, has_menu=has_menu):
        texts[path] = text
        copy = root / path[1:]
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(markup, encoding="utf-8")
    with _served(folder, root, texts) as served:
        yield served


def pages_of(sources: Mapping[str, Path], *, has_menu: bool) -> Iterator[tuple[str, str, str]]:
    """Yield path, markup and text of all pages of releases and of their start page."""
    folders = {**sources, STABLE: list(sources.values())[-1]}
    for name, source in folders.items():
        for file in sorted(source.rglob("*.html")):
            page = str(file.relative_to(source))
            markup = file.read_text(encoding="utf-8")
            menu = _menu(folders, page) if has_menu else ""
            text = NEUTRAL if is_index(page) else text_of(markup)
            yield f"/{name}/{page}", markup.replace("</body>", f"{menu}</body>"), text
    yield "/index.html", _START.format(menu=_menu(folders, "index.html")), NEUTRAL


@contextmanager
def _served(folder: Path, root: Path, texts: Mapping[str, str]) -> Iterator[Served]:
    """Serve a folder; ``texts`` names the true page at each path."""

    def page_of(url: str) -> str | None:
        path = unquote(urlsplit(url).path)
        return texts.get(f"{path}index.html" if path.endswith("/") else path)

    with Nginx(folder, {"127.0.0.1": root}) as nginx:
        (origin,) = nginx.origins.values()
        pages = frozenset(texts.values()) - {NEUTRAL}
        yield Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))


def _menu(folders: Mapping[str, Path], page: str) -> str:
    """Return links to a page in each release that has it, otherwise to the start of the release."""
    links = (
        f'<dd><a href="/{name}/{page if (source / page).is_file() else "index.html"}">{name}</a></dd>'
        for name, source in folders.items()
    )
    return f'<div class="rst-versions" role="note"><dl><dt>Versions</dt>{"".join(links)}</dl></div>'


def text_of(markup: str) -> str:
    """Title and words of the content of a page that Sphinx or javadoc made.

    Sphinx's list of headings stands in a ``nav`` in newer releases and belongs to the text of older ones.
    """
    tree = html.document_fromstring(markup.encode())
    [content] = tree.xpath("//*[@role='main']") or [tree]
    for lists in content.xpath(".//nav"):
        lists.drop_tree()
    return " ".join([*tree.xpath("//title/text()"), *content.text_content().split()])
