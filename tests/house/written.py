"""Commands as the documentation writes them, and what is wrong with them."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from scrapy.cmdline import _get_commands_dict
from scrapy.settings import Settings

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.configuration import load
from sitecrawl.config.options.crawl_options import CrawlParams

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
OPTIONS = frozenset(CrawlParams.model_fields) | {"config", "crawl", "profile"}
PROGRAM = re.compile(r"(?:\S*/)?(scrapy|sitecrawl)")
WRITTEN_OPTIONS = re.compile(
    r"""^((?:-a \w+=(?:"[^"]*"|'[^']*'|\S)* ?|-[oO] \S+ ?)+).*$""", re.MULTILINE
)
"""Options at the beginning of a line, as a table of them has."""
ENDS = {"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "\\"}
PLACEHOLDER = re.compile(r"[A-Z]{2,}|\.\.\.|…|^$")


class Exits(argparse.ArgumentParser):
    """Parser that raises instead of ending the process."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise ValueError."""
        raise ValueError(message)


@cache
def parsed(path: Path) -> list[Token]:
    """Return the blocks of a page."""
    return MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))


def tokens(path: Path) -> Iterator[str]:
    """Yield the text of each code block without a language of its own, and of each code span."""
    for token in parsed(path):
        if token.type == "code_block" or (
            token.type == "fence" and token.info in {"", "bash", "sh", "console", "shell"}
        ):
            yield WRITTEN_OPTIONS.sub(r"scrapy crawl site \1", token.content.replace("\\\n", " "))
        for child in token.children or ():
            if child.type == "code_inline":
                yield child.content


def files(path: Path) -> Iterator[tuple[str, str]]:
    """Yield language and text of each code block that has a language or begins with a file's name."""
    for token in parsed(path):
        if token.type == "fence":
            yield token.info, token.content
        elif token.type == "code_block" and re.match(r"# sites?\.toml\n", token.content):
            yield "toml", token.content


def commands(path: Path) -> list[str]:
    """Return the lines of a page that are commands of this project, in their order."""
    found = []
    for text in tokens(path):
        for line in text.splitlines():
            command = re.sub(r"^(\$ |[A-Z_]+=\S+ )+", "", line.strip())
            if re.match(
                rf"{PROGRAM.pattern} \w|scripts/\w+|python -m (scripts|benchmarks)", command
            ):
                found.append(command)
    return list(dict.fromkeys(found))


@cache
def parsers() -> dict[str, Exits]:
    """Return the parser of each command, as Scrapy builds it."""
    settings = Settings()
    settings.setmodule("sitecrawl.settings", priority="project")
    found = {}
    for name, command in _get_commands_dict(settings, inproject=True).items():
        command.settings = settings
        found[name] = Exits(prog=name, conflict_handler="resolve", add_help=False)
        found[name].add_argument("-h", "--help", action="store_true")
        command.add_options(found[name])
    return found


def problems(command: str) -> Iterator[str]:
    """Yield what is wrong with a written command: program, command, flag, option or value."""
    words = list(takewhile(lambda word: word not in ENDS, shlex.split(command, comments=True)))
    match words:
        case [script, *_] if script.startswith("scripts/"):
            exists = (ROOT / script).exists()
        case ["python", "-m", module, *_]:
            exists = find_spec(module) is not None
        case [_, name, *_] if name in parsers():
            exists = True
            yield from _of_arguments(name, words[2:])
        case _:
            exists = PLACEHOLDER.search(command) is not None
    if not exists:
        yield f"there is no {' '.join(words[:3])}"


def _of_arguments(name: str, words: list[str]) -> Iterator[str]:
    words = [word for word in words if word not in {"...", "…"} and not word.startswith("[")]
    try:
        given, rest = parsers()[name].parse_known_args(words)
    except ValueError as error:
        if not PLACEHOLDER.search(str(error)):  # as for --since SEQ
            yield str(error)
        return
    yield from (f"{name} has no flag {word}" for word in rest if word.startswith("-"))
    pairs = dict(each.partition("=")[::2] for each in getattr(given, "spargs", None) or ())
    real = {n: v for n, v in pairs.items() if not PLACEHOLDER.search(n)}
    yield from (f"there is no option {n}" for n in real if n not in OPTIONS)
    real = {n: v for n, v in real.items() if n in OPTIONS and not PLACEHOLDER.search(v)}
    for each in ("config", "crawl", "render", "content"):  # files and extras
        real.pop(each, None)
    if real.get("start", "").startswith("@"):
        del real["start"]
    try:
        load({"start": "https://example.org/", **real})
    except ConfigError as error:
        yield from error.problems
