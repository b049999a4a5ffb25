"""Pages in a browser that have the session of Playwright's storage state."""

from __future__ import annotations

import json

import pytest

from fixtures.applications import shell
from fixtures.crawls import CrawlCommand
from fixtures.server import Server

SHOW = """const told = document.createElement('p');
told.textContent = `cookie ${document.cookie}, token ${localStorage.getItem('token')}`;
document.getElementById('root').append(told);"""


@pytest.mark.behaviour("SESSION-01")
def test_a_page_has_cookies_and_storage_of_its_origin(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": shell("App", SHOW)})
    cookie = {"name": "sid", "value": "7", "domain": "127.0.0.1", "path": "/", "expires": -1}
    cookie |= {"httpOnly": False, "secure": False, "sameSite": "Lax"}
    kept = [{"origin": origin, "localStorage": [{"name": "token", "value": "8"}]}]
    state = json.dumps({"cookies": [cookie], "origins": kept})
    (crawl.directory / "state.json").write_text(state, encoding="utf-8")
    run = crawl(f"{origin}/", render="playwright", cookie_file="state.json", obey_robots=0)
    assert run.status == 0, run.log[-3000:]
    assert "cookie sid=7, token 8" in run.documents[f"{origin}/"]["body"]
