"""Search by meaning: vectors of the user's function in the search file, fused with words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

# Meaning in two numbers: how much a text is about boats, and about birds.
EMBEDDING = """
from pathlib import Path

BOATS, BIRDS = ("boat", "vessel", "ship"), ("bird", "gull", "heron")

def embed(texts):
    with Path("embedded").open("a") as log:
        log.writelines("text\\n" for _ in texts)
    return [
        [0.1 + sum(map(t.lower().count, BOATS)), 0.1 + sum(map(t.lower().count, BIRDS))] for t in texts
    ]
"""
MODEL = """
from embedding import embed

class SentenceTransformer:
    def __init__(self, path, local_files_only=False):
        assert local_files_only and path == "./model"
    def encode(self, texts):
        return embed(texts)
"""
FILLER = "It is a calm day on the coast, and nothing else is to be told. " * 3


@pytest.fixture
def harbour(server: Server, tmp_path: Path) -> tuple[str, CrawlCommand]:
    """A crawl of three pages, with a function that embeds them."""
    (tmp_path / "embedding.py").write_text(EMBEDDING, encoding="utf-8")
    (tmp_path / "sentence_transformers.py").write_text(MODEL, encoding="utf-8")
    sections = (
        f"<h2 id=food>Food</h2><p>{FILLER}</p><h2 id=quay>Quay</h2><p>Ships rest. {FILLER}</p>"
    )
    site = {
        "/": page("/quay", "/reeds", title="Home", text=FILLER),
        "/quay": page(title="Quay", text=FILLER, body=sections),
        "/reeds": page(title="Reeds", text=f"A heron stands there. {FILLER}"),
    }
    return server.serve(site), CrawlCommand(tmp_path)


def found(command: CrawlCommand, *words: str) -> list[str]:
    """The targets of a search, best first."""
    status, said = command.command("search", "--json", *words)
    assert status == 0, said
    return [json.loads(line)["target"] for line in said.splitlines() if line.startswith("{")]


@pytest.mark.behaviour("SY-28")
@pytest.mark.parametrize("embed", ["embedding:embed", "./model"])
def test_a_page_without_the_words_is_found_by_meaning(
    harbour: tuple[str, CrawlCommand], tmp_path: Path, embed: str
) -> None:
    origin, command = harbour
    assert command(f"{origin}/", embed=embed).status == 0
    assert found(command, "vessel")[0] == f"{origin}/quay#quay"
    assert found(command, "gull")[0] == f"{origin}/reeds"
    assert found(command, "reeds", "bird")[0] == f"{origin}/reeds"
    embedded = len((tmp_path / "embedded").read_text().splitlines())
    assert command.command("sync", "--rebuild")[0] == 0
    assert len((tmp_path / "embedded").read_text().splitlines()) == embedded


@pytest.mark.behaviour("SY-28")
def test_names_stay_first_and_excluded_words_are_left_out_beside_vectors(
    harbour: tuple[str, CrawlCommand],
) -> None:
    origin, command = harbour
    assert command(f"{origin}/", embed="embedding:embed").status == 0
    quay, reeds, home = f"{origin}/quay", f"{origin}/reeds", f"{origin}/"
    assert found(command, "home")[0] == home
    assert {each.partition("#")[0] for each in found(command, "ship")} == {quay, reeds, home}
    without = found(command, "ship -heron -home")
    assert [each.partition("#")[0] for each in without] == [quay]


@pytest.mark.behaviour("SY-28")
def test_a_file_keeps_its_vectors_without_the_option(
    harbour: tuple[str, CrawlCommand], tmp_path: Path
) -> None:
    origin, command = harbour
    assert command(f"{origin}/").status == 0
    assert found(command, "vessel", "-a", "embed=embedding:embed")[0] == f"{origin}/quay#quay"
    embedded = len((tmp_path / "embedded").read_text().splitlines())
    assert found(command, "vessel")[0] == f"{origin}/quay#quay"
    assert len((tmp_path / "embedded").read_text().splitlines()) == embedded + 1  # the query


@pytest.mark.behaviour("SY-28")
def test_without_a_function_words_alone_count(harbour: tuple[str, CrawlCommand]) -> None:
    origin, command = harbour
    assert command(f"{origin}/").status == 0
    assert command.command("search", "vessel")[0] == 1
    assert found(command, "heron") == [f"{origin}/reeds"]


@pytest.mark.behaviour("SY-28")
def test_a_function_that_fails_is_named(harbour: tuple[str, CrawlCommand], tmp_path: Path) -> None:
    origin, command = harbour
    (tmp_path / "embedding.py").write_text("def embed(texts):\n    return [[1.0]] * 99\n")
    assert command(f"{origin}/", embed="embedding:embed").status == 0
    status, said = command.command("search", "vessel")
    assert (status, "embedding:embed returned 99 vectors" in said) == (3, True)
