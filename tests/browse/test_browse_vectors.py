"""`scrapy browse` and `scrapy mcp` on a search file with vectors of the user's function."""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from browsing import SECONDS, browsing
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

pytestmark = pytest.mark.slow
EMBEDDING = """
def embed(texts):
    return [[0.1 + t.lower().count("ship") + t.count("vessel"), 0.1 + t.count("bird")] for t in texts]
"""


@pytest.mark.behaviour("SY-28")
def test_pages_are_found_by_meaning_in_the_browser_and_by_models(
    server: Server, tmp_path: Path
) -> None:
    (tmp_path / "embedding.py").write_text(EMBEDDING, encoding="utf-8")
    text = "It is a calm day on the coast. " * 9
    site = {
        "/": page("/quay", "/reeds", title="Home", text=text),
        "/quay": page(title="Quay", text=f"Ships rest. {text}"),
        "/reeds": page(title="Reeds", text=f"A bird stands there. {text}"),
    }
    origin, command = server.serve(site), CrawlCommand(tmp_path)
    assert command(f"{origin}/", embed="embedding:embed").status == 0
    with browsing(tmp_path) as app:
        app.wait_for_index("vessel")
        hits = app.get("/search.json", {"q": "vessel"}).json["hits"]
        without = app.get("/search.json", {"q": "vessel -bird"}).json["hits"]
    assert hits[0]["url"] == f"{origin}/quay"
    assert f"{origin}/reeds" in [each["url"] for each in hits]
    assert f"{origin}/reeds" not in [each["url"] for each in without]
    found = asked(tmp_path, "vessel")
    assert found["results"][0]["url"] == f"{origin}/quay"


def asked(folder: Path, query: str) -> Any:
    """The answer of the tool ``search`` to the SDK's client, whose loop needs a thread of its own."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "scrapy", "mcp"],
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
        cwd=folder,
    )

    async def ask() -> Any:
        async with Client(server) as client:
            return (await client.call_tool("search", {"query": query})).structured_content

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, ask()).result(SECONDS)
