"""Names are unique, and the field's terms; docstrings begin with their main clause."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "sitecrawl"

# Scrapy's kinds of modules, of which a project has several with one name.
SCRAPY_KINDS = {"commands", "downloadermiddlewares", "extensions", "pipelines", "spidermiddlewares"}
SAME_CLASS = {"Command"}  # Scrapy finds commands by this name
RIDDLES = re.compile(r"(Whether|What|How|Lets|Tell whether)\b")
DIALECT = frozenset(
    [
        "Hand",
        "Toll",
        "Patience",
        "TodoLists",
        "Turns",
        "Gate",
        "Settling",
        "Steering",
        "GibberishError",
        "SilenceError",
        "CutShortError",
        "Opening",
        "Keeper",
        "Stopping",
        "Looking",
        "LookingAround",
        "URLS_IN_HAND",
        "ORIGINS_IN_HAND",
        "LONGEST_REST",
        "MOST",
        "SPARE",
        "PARTING",
        "LINGER",
        "HEAD_START",
        "OF_CONNECTION",
        "OF_FEEDS",
        "NOT_OURS",
        "TAKEN_OUT",
        "HELD",
        "NOTHING",
        "NEAR",
        "WIDE",
        "FARTHEST",
        "BACK",
        "NOWHERE",
        "NOT_THERE",
        "MOVED_FOR_EVER",
        "MOVED_FOR_NOW",
        "BLAMED",
        "STRANGE",
        "VAIN_RENDERINGS",
        "hear",
        "rests",
        "_told",
        "_part",
        "_heard",
        "calm",
        "missing_parts",
        "hurried",
        "left_alone",
        "said_of_links",
        "told_outcome",
        "of_connecting",
        "of_ending",
        "is_heard",
        "is_drawn",
        "meet",
        "surprised",
        "ended_as_before",
        "errands",
        "dry",
        "standing",
        "spelled",
        "probed",
        "tries",
        "liken",
        "take_move",
        "keep_back",
        "promises",
        "recall",
        "remind",
        "bury",
        "surely_dead",
        "announce",
        "alone",
        "barren",
        "led_out",
        "in_hand",
        "titles_told",
        "NEARER",
        "PATIENCE",
        "_BESIDE",
        "_OF_OTHERS",
        "_TOLD",
        "MAX_TOLD",
        "way_of",
        "foretold",
        "vouch",
        "lend",
        "forgo",
        "_stands_aside",
        "note_down",
        "keep_out",
        "still_worth",
        "belongs_to",
    ]
)


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def definitions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names of classes, functions, attributes and variables where they are bound."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case ast.arg():
                yield node.arg, node.lineno


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[Path]] = defaultdict(list)
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in SAME_CLASS:
                places[node.name].append(path)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {
        name: [str(path.relative_to(SOURCE)) for path in found] for name, found in twice.items()
    } == {}


def test_no_file_name_stands_for_two_modules() -> None:
    places: dict[str, list[Path]] = defaultdict(list)
    for path in modules():
        if path.stem != "__init__" and path.parent.name not in SCRAPY_KINDS:
            places[path.stem].append(path)
    assert {
        name: [str(path.relative_to(SOURCE)) for path in found]
        for name, found in places.items()
        if len(found) > 1
    } == {}


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_words_of_a_module(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    riddles = [
        f"line {line}: {text[:60]}" for line, text in docstrings(tree) if RIDDLES.match(text)
    ]
    dialect = [f"line {line}: {name}" for name, line in definitions(tree) if name in DIALECT]
    assert riddles + dialect == []
