"""Modules import in one direction, functions are short, names are unique and the field's, no file is stray."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import chain
from pathlib import Path

from tests.house.test_scrapy_names import NAMED

SOURCE = Path(__file__).parents[2] / "sitecrawl"
MAX_FUNCTION_LINES = 60
PRIVATE = re.compile("^_[^_].*")
OF_PYTHON = {"_asdict", "_exit", "_replace", "_Decompress"}
CLASS_PATH = re.compile(r"sitecrawl(?:\.[a-z_]+)+\.[A-Z]\w+")

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


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of each module of the product, by its dotted name."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """All nodes of each of these trees."""
    return {name: list(ast.walk(tree)) for name, tree in modules().items()}


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    """The classes of all modules, each with the name of its module."""
    for name, found in nodes().items():
        yield from ((name, node) for node in found if isinstance(node, ast.ClassDef))


def imports(found: list[ast.AST]) -> Iterator[str]:
    """Modules of ours that a module names, those below ``TYPE_CHECKING`` and in functions too."""
    for node in found:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module in modules():
            inner = (f"{node.module}.{each.name}" for each in node.names)
            yield from (each if each in modules() else node.module for each in inner)


def test_no_circle_of_imports() -> None:
    graph = {name: set(imports(found)) - {name} for name, found in nodes().items()}
    circle = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert circle == []


def test_functions_are_short() -> None:
    long = {
        f"{name}:{node.name}": lines
        for name, found in nodes().items()
        for node in found
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_no_abstract_class_has_one_child() -> None:
    abstract, children = set(), []
    for _, node in classes():
        bases = [re.sub(r"\[.*|.*\.", "", ast.unparse(base)) for base in node.bases]
        children += bases
        marks = (mark for each in node.body for mark in getattr(each, "decorator_list", ()))
        if "ABC" in bases or any("abstractmethod" in ast.unparse(mark) for mark in marks):
            abstract.add(node.name)
    assert abstract
    assert [name for name in sorted(abstract) if children.count(name) < 2] == []


TOP_LEVEL = {
    *(".ci", ".github", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("SECURITY.md", "benchmarks", "deploy", "docs", "examples", "fixtures", "pyproject.toml"),
    *("requirements.lock", "scrapy.cfg", "scripts", "sitecrawl", "tests"),
}


def late_constants(tree: ast.Module) -> Iterator[int]:
    """Lines of the constants below the first class that need nothing which stands below it."""
    below: set[str] = set()
    places = (at for at, node in enumerate(tree.body) if isinstance(node, ast.ClassDef))
    for node in tree.body[next(places, len(tree.body)) :]:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
            if {each.id for each in names} & below:
                below |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
            elif node.value is not None and isinstance(names[0].ctx, ast.Store):
                yield node.lineno
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            below.add(node.name)


def test_constants_stand_above_the_first_class() -> None:
    late = [f"{name}:{line}" for name, tree in modules().items() for line in late_constants(tree)]
    assert late == []


def named_classes() -> Iterator[str]:
    """Dotted paths of our classes and functions in strings, as settings name them."""
    for node in chain.from_iterable(nodes().values()):
        if isinstance(node, ast.Constant) and CLASS_PATH.fullmatch(str(node.value)):
            yield str(node.value)


def test_classes_that_settings_name_are_there() -> None:
    missing = []
    for path in set(named_classes()):
        module, _, name = path.rpartition(".")
        if not hasattr(import_module(module), name):
            missing.append(path)
    assert missing == []


def private_names(found: list[ast.AST]) -> Iterator[str]:
    """The private names of others that a module imports, or asks other objects for."""
    for node in found:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scrapy"):
            yield from (each.name for each in node.names if each.name.startswith("_"))
        if isinstance(node, ast.Attribute) and PRIVATE.match(node.attr):
            yield from () if ast.unparse(node.value) in {"self", "cls"} else (node.attr,)


def test_the_table_of_scrapys_names_has_all_of_them() -> None:
    used = {name for found in nodes().values() for name in private_names(found)}
    listed = {part for owner, name, _ in NAMED for part in (*owner.split("."), name)}
    assert used - OF_PYTHON <= listed


def test_nothing_else_is_committed() -> None:
    """Files of experiments were once committed along with a change."""
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=SOURCE.parent, capture_output=True, text=True, check=True
    )
    assert {name.partition("/")[0] for name in tracked.stdout.splitlines()} == TOP_LEVEL


def definitions(found: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Names of classes, functions, attributes and variables where they are bound."""
    for node in found:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case ast.arg():
                yield node.arg, node.lineno


def docstrings(found: list[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in found:
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, node in classes():
        if node.name not in SAME_CLASS:
            places[node.name].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_file_name_stands_for_two_modules() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name in modules():
        *folders, file = name.split(".")
        if (
            folders
            and folders[-1] not in SCRAPY_KINDS
            and not (SOURCE.parent / Path(*folders, file)).is_dir()
        ):
            places[file].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_names_and_docstrings_are_plain() -> None:
    riddles = [
        f"{name}:{line}: {text[:60]}"
        for name, found in nodes().items()
        for line, text in docstrings(found)
        if RIDDLES.match(text)
    ]
    words = [
        f"{name}:{line}: {word}"
        for name, found in nodes().items()
        for word, line in definitions(found)
        if word in DIALECT
    ]
    assert riddles + words == []
