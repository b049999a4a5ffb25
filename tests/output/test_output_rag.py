"""The code in docs/rag.md keeps the vector stores of three frameworks up to date with a site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server

PAGE = Path(__file__).parents[2] / "docs" / "rag.md"
MODULES = re.findall(
    r"^```python\n# (\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)
DRIVER = """
import json, sys
from sync_{name} import sync

embedded = []

def vectors(texts):
    embedded.append(len(texts))
    return [[float(len(text)), 1.0] for text in texts]

{store}
counts = []
for path in sys.argv[1:]:
    sync(path, *arguments)
    counts.append(sum(embedded))
    embedded.clear()
print(json.dumps([counts, [list(each) for each in stored()]], default=str))
"""
STORES = {
    "langchain": """
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

class Lengths(Embeddings):
    def embed_documents(self, texts):
        return vectors(texts)
    def embed_query(self, text):
        return vectors([text])[0]

store = InMemoryVectorStore(Lengths())
arguments = [store]
def stored():
    return [(each["text"], each["metadata"]) for each in store.store.values()]
""",
    "llama_index": """
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding

class Lengths(BaseEmbedding):
    def _get_text_embedding(self, text):
        return vectors([text])[0]
    def _get_text_embeddings(self, texts):
        return vectors(texts)
    def _get_query_embedding(self, query):
        return [1.0, 1.0]
    async def _aget_query_embedding(self, query):
        return [1.0, 1.0]

index = VectorStoreIndex([], embed_model=Lengths())
arguments = [index]
def stored():
    ids = index.vector_store.data.embedding_dict
    return [(each.text, each.metadata) for each in index.docstore.get_nodes(list(ids))]
""",
    "haystack": """
from dataclasses import replace
from haystack.document_stores.in_memory import InMemoryDocumentStore

class Lengths:
    def run(self, documents):
        made = vectors([each.content for each in documents])
        return {"documents": [replace(d, embedding=v) for d, v in zip(documents, made)]}

store = InMemoryDocumentStore()
arguments = [store, Lengths()]
def stored():
    return [(each.content, each.meta) for each in store.filter_documents()]
""",
}
PACKAGES = {"langchain": "langchain_core", "llama_index": "llama_index", "haystack": "haystack"}


@pytest.mark.slow
@pytest.mark.behaviour("MK-04", "SE-05")
@pytest.mark.parametrize("name", STORES)
def test_a_vector_store_follows_the_site(
    server: Server, crawl: CrawlCommand, tmp_path: Path, name: str
) -> None:
    if not find_spec(PACKAGES[name]):
        pytest.skip(f"{name} is not installed: pip install --group loaders")
    words = "Enough words to be a section of its own. " * 3
    html = "<title>T</title><h1>T</h1><p>{0}</p><h2 id=a>A</h2><p>{0}</p><h2>B</h2><p>{0}</p>"
    site = {"/": html.format(words)}
    origin = server.serve(site)
    options = {"preset": "rag", "split": "sections", "section_min": 20, "force": 1}
    crawl(f"{origin}/", **options)
    site["/"] = site["/"].replace("<h2>B</h2>", "<h2>C</h2>")
    crawl(f"{origin}/", **options)
    for file, code in MODULES:
        (tmp_path / file).write_text(code, encoding="utf-8")
    driver = DRIVER.replace("{name}", name).replace("{store}", STORES[name])
    (tmp_path / "driver.py").write_text(driver, encoding="utf-8")
    files = [str(tmp_path / f"documents-{run}.jsonl") for run in (1, 2)]
    done = subprocess.run(
        [sys.executable, "driver.py", *files], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    counts, stored = json.loads(done.stdout)
    assert counts == [3, 1]
    stored.sort(key=lambda each: each[1]["order"])
    assert [found["heading_path"] for _, found in stored] == [["T"], ["T", "A"], ["T", "C"]]
    text, found = stored[1]
    assert text.startswith("## A\n\nEnough words")
    assert (found["source"], found["title"]) == (f"{origin}/#a", "T")
