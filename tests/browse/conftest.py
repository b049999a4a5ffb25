"""One crawl, and the application that shows it, for all tests of a module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Shown, browsing

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

BROWSE = Path(__file__).parent.parent.parent / "docs" / "browse.md"
PUBLIC = "https://find.example.org"
EMBEDDING = "<!doctype html><html lang=en><title>A site</title><main><h1>A site</h1>"
POLICY = "default-src 'none'; script-src 'self'; connect-src {}"
GUIDE = """<html lang="en"><title>Guide to <em> & co</title><meta name="description" content="How to">
<body><main><h1 id="top">Guide</h1><p>Read on about Removal.</p>
<h2 id="install">Installation</h2><p>Unpack the archive. <b>Running</b> it creates a folder.</p>
<h2 id="remove">Removal</h2><p>Delete the folder, and its archives.</p></main></body></html>"""
HOSTILE = """<html lang="en"><head><title>&lt;script&gt;alert(1)&lt;/script&gt; \u202egnp.exe</title>
<meta property="og:image" content="http://{host}/tracker.png"></head><body>
<h2 id='"onmouseover="alert(2)'>&lt;img src=x onerror=alert(3)&gt;</h2>
<p>hostile &lt;img src="http://{host}/tracker.png"&gt; &lt;/article&gt;&lt;script&gt;document.title="x"&lt;/script&gt;
{{{{ 7 * 7 }}}} {{% raw %}}</p><a href="javascript:alert(4)">x</a></body></html>"""
RESERVED = """<html lang="en"><head><title>Reserved</title><meta name="robots" content="nosnippet"></head>
<body><p>A reserved secret of the publisher.</p></body></html>"""
GERMAN = (
    '<html lang="de"><title>Häuser</title><body><p>Das alte Haus am Hafen steht leer.</p></body>'
)
SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private/\n",
    "/": page(
        "/docs/guide", "/docs/de", "/docs/hostile", "/docs/reserved", "/old", "/dead", "/private/x",
        title="Home", text="the start page",
    ),
    "/docs/guide": GUIDE,
    "/docs/de": GERMAN,
    "/docs/hostile": HOSTILE.format(host="127.0.0.99:9"),
    "/docs/reserved": RESERVED,
    "/old": redirect("/docs/guide"),
    **{f"/many/{number}": page(title=f"Chapter {number}", text=f"many words {number}") for number in range(25)},
    "/many/": page(*(f"/many/{number}" for number in range(25)), title="Many"),
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """A crawl with Markdown, which ``scrapy browse`` shows."""
    command = CrawlCommand(tmp_path_factory.mktemp("browse"))
    with Server() as server:
        origin = server.serve(SITE)
        done = command(f"{origin}/", f"{origin}/many/", preset="rag")
        assert done.status == 0, done.log
        own: dict[str, Page] = {}
        embedding = server.serve(own)
        allowed = ("https://www.example.org", embedding)
        options = [word for each in allowed for word in ("--allow-origin", each)]
        with browsing(command.directory, *options, "--public-url", PUBLIC) as app:
            app.wait_for_index("guide")
            snippet = re.findall(r"```html\n(.*?)```", BROWSE.read_text("utf-8"), re.DOTALL)[0]
            status, script = command.command("browse", "--embed")
            assert status == 0, script
            own["/search-box.js"] = Answer(script, headers={"Content-Type": "text/javascript"})
            markup = EMBEDDING + snippet.replace(PUBLIC, app.address)
            policy = POLICY.format(app.address)
            own["/"] = Answer(markup, headers={"Content-Security-Policy": policy})
            yield Shown(app, origin, command, embedding)
