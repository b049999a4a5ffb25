"""The folder examples/project is a project that crawls, as it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.server import Server, page

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "project"
SITE = {
    "/": page("/lamp", "/basket/", title="Shop"),
    "/lamp": page(title="Lamp", body='<b class="price">12.50</b>'),
    "/basket/": page(title="Basket"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", [("crawl", "shop"), ("runspider", "shop/spiders/catalog.py")])
def test_the_example_crawls(command: tuple[str, ...], server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(EXAMPLE, folder)
    origin = server.serve(dict(SITE))
    words = (*command, "-a", f"start={origin}/", "-a", "delay=0", "-a", "currency=EUR")
    environment = {
        name: os.environ[name] for name in os.environ.keys() - {"SCRAPY_SETTINGS_MODULE"}
    }
    ended = subprocess.run(
        [sys.executable, "-m", "scrapy", *words, "-O", "documents.jsonl"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    lines = map(json.loads, (folder / "documents.jsonl").read_text().splitlines())
    documents = {line["title"]: line for line in lines}
    assert set(documents) == {"Shop", "Lamp"}
    assert documents["Lamp"]["price"] == 12.5
    assert documents["Lamp"]["currency"] == "EUR"
    assert len((folder / "shop" / "settings.py").read_text().splitlines()) == 5
