"""The code in docs/rag.md keeps a vector store of LangChain up to date with a site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server

PAGE = Path(__file__).parents[2] / "docs" / "rag.md"
[(NAME, CODE)] = re.findall(
    r"^```python\n# (\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)
DRIVER = """
import json, sys
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from sync_langchain import sync

embedded = []

class Lengths(Embeddings):
    def embed_documents(self, texts):
        embedded.append(len(texts))
        return [[float(len(text))] for text in texts]
    def embed_query(self, text):
        return [float(len(text))]

store, counts = InMemoryVectorStore(Lengths()), []
for path in sys.argv[1:]:
    sync(path, store)
    counts.append(sum(embedded))
    embedded.clear()
print(json.dumps([counts, store.store], default=str))
"""


@pytest.mark.slow
@pytest.mark.behaviour("MK-04", "SE-05")
def test_a_vector_store_follows_the_site(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    words = "Enough words to be a section of its own. " * 3
    html = "<title>T</title><h1>T</h1><p>{0}</p><h2 id=a>A</h2><p>{0}</p><h2>B</h2><p>{0}</p>"
    site = {"/": html.format(words)}
    origin = server.serve(site)
    options = {"preset": "rag", "split": "sections", "section_min": 20, "force": 1}
    crawl(f"{origin}/", **options)
    site["/"] = site["/"].replace("<h2>B</h2>", "<h2>C</h2>")
    crawl(f"{origin}/", **options)
    (tmp_path / NAME).write_text(CODE, encoding="utf-8")
    (tmp_path / "driver.py").write_text(DRIVER, encoding="utf-8")
    files = [str(tmp_path / f"documents-{run}.jsonl") for run in (1, 2)]
    done = subprocess.run(
        [sys.executable, "driver.py", *files], cwd=tmp_path, capture_output=True, check=True
    )
    counts, store = json.loads(done.stdout)
    assert counts == [3, 1]
    documents = sorted(store.values(), key=lambda each: each["metadata"]["order"])
    paths = [each["metadata"]["heading_path"] for each in documents]
    assert paths == [["T"], ["T", "A"], ["T", "C"]]
    assert documents[1]["metadata"]["source"] == f"{origin}/#a"
    assert documents[1]["text"].startswith("## A\n\nEnough words")
    assert documents[1]["metadata"]["title"] == "T"
