"""Sources of option values: a profile, a TOML file, one of its crawls, the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from sitecrawl.config.config_errors import ConfigError, nearest, place
from sitecrawl.config.options.mode import check_name
from sitecrawl.config.types import read_urls

START_URLS = "start_urls"
TABLES = "crawl"
"""Key of a file's tables, each of which is a crawl: ``[[crawl]]``."""
MAX_LISTED = 20


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one source; ``source`` is empty for arguments, which have one source each."""

    source: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def source_of(self, name: str) -> str:
        """Return the place where this layer sets an option, such as ``-a deny``."""
        return self.source or f"-a {name}"


def profile_names() -> list[str]:
    """Return the names of the profiles in the package."""
    entries = resources.files("sitecrawl.profiles").iterdir()
    return sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml"))


def read_profile(name: str, source: str) -> Layer:
    """Read the options of a profile, named by ``source``."""
    known = profile_names()
    if name not in known:
        remedy = f"Known: {', '.join(known)}.{nearest(name, known)}"
        raise ConfigError([f"{place(source, 'profile', name)}: there is no such profile. {remedy}"])
    text = (resources.files("sitecrawl.profiles") / f"{name}.toml").read_text("utf-8")
    return Layer(f"profile {name}", tomllib.loads(text))


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """Options of a TOML file, and of its crawls by name: no crawls if it describes a single one."""

    path: str
    shared: Layer
    crawls: Mapping[str, Layer]

    def layers(self, crawl: str) -> list[Layer]:
        """Return the layers of a crawl, the weakest first; raises ConfigError.

        A crawl's name is its realm, and that of its database, unless the file says otherwise.
        """
        names = list(self.crawls)
        if own := self.crawls.get(crawl):
            return [Layer(own.source, {"crawl_name": crawl, "realm": crawl}), self.shared, own]
        if crawl:
            known = f" Known: {_listed(names)}." if names else ""
            remedy = f"{known}{nearest(crawl, names)}"
            raise ConfigError([f"-a crawl={crawl!r}: {self.path} has no such crawl.{remedy}"])
        if names:
            remedy = f"say which one with -a crawl=NAME, or run all with scrapy crawls {self.path}"
            raise ConfigError(
                [f"{self.path}: the file has {len(names)} crawls ({_listed(names)}); {remedy}."]
            )
        return [self.shared]


def read_file(path: str, source: str) -> ConfigFile:
    """Read a TOML file, named by ``source``; raises ConfigError."""
    values = _parse(path, source)
    tables = values.pop(TABLES, [])
    problems = list(_unsuitable(path, values))
    crawls: dict[str, Layer] = {}
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise ConfigError([*problems, f"{path}: crawl: write each crawl as a table [[{TABLES}]]."])
    for number, table in enumerate(tables, 1):
        name = table.pop("name", "")
        where = f"{path}, [[{TABLES}]] {number}"
        if problem := _name_problem(name, crawls):
            problems.append(f"{where}: {problem}")
            continue
        where = f"{path}, [[{TABLES}]] {name}"
        problems += _unsuitable(where, table)
        crawls[name] = _in_folder(Layer(where, table), path)
    if problems:
        raise ConfigError(problems)
    return ConfigFile(path, _in_folder(Layer(path, values), path), crawls)


def _name_problem(name: object, crawls: Mapping[str, Layer]) -> str:
    if not name or not isinstance(name, str):
        return 'name is missing: each crawl has one, as in name = "docs".'
    if name in crawls:
        return f"name = {name!r}: another crawl of the file has this name."
    try:
        check_name(name)
    except ValueError as error:
        return f"name = {name!r}: {error}."
    return ""


def _unsuitable(where: str, values: Mapping[str, Any]) -> Iterator[str]:
    if "config" in values:
        yield f"{where}: config: a file cannot name another; use -a config=FILE."
    if TABLES in values:
        yield f"{where}: {TABLES}: a crawl cannot contain another."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return f"{', '.join(names[:MAX_LISTED])}{more}"


def _in_folder(layer: Layer, path: str) -> Layer:
    """Return a layer whose names of start files are relative to the folder of the file."""
    starts = read_urls(layer.values.get("start"))
    if not isinstance(starts, tuple | list):
        return layer
    folder = Path(path).parent
    beside = [f"@{folder / url[1:]}" if str(url).startswith("@") else url for url in starts]
    return Layer(layer.source, {**layer.values, "start": beside})


def _parse(path: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text("utf-8-sig"))  # Windows writes a BOM
    except OSError as error:
        raise ConfigError(
            [f"{place(source, 'config', path)}: cannot be read: {error.strerror}."]
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: is not UTF-8 text (byte {error.start})."]) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{path}: is not TOML: {error}."]) from error
    except RecursionError:
        raise ConfigError([f"{path}: is nested too deeply; options have one level."]) from None


def read_layers(arguments: Mapping[str, Any]) -> tuple[list[Layer], list[str]]:
    """Return the layers of the arguments, the weakest first, and the reasons for missing ones.

    ``start_urls`` are the spider's own starts.
    """
    unread: list[str] = []
    urls = arguments.get(START_URLS)
    spider = Layer(START_URLS, {"start": urls} if urls else {})
    # without internal ones, such as Scrapyd's _job
    given = Layer(
        "", {n: v for n, v in arguments.items() if not n.startswith("_") and n != START_URLS}
    )
    path, crawl = given.values.get("config"), given.values.get("crawl")
    if crawl and not path:
        unread.append(f"-a crawl={crawl!r}: name the file of the crawl with -a config=FILE.")
    of_file = lambda: read_file(str(path), "-a config").layers(str(crawl or ""))
    file = _attempt(of_file, unread) if path else []
    asking = next((a for a in (given, *reversed(file)) if a.values.get("profile")), given)
    name, source = asking.values.get("profile"), asking.source_of("profile")
    profile = _attempt(lambda: [read_profile(str(name), source)], unread) if name else []
    return [spider, *profile, *file, given], unread


def _attempt(read: Callable[[], list[Layer]], unread: list[str]) -> list[Layer]:
    try:
        return read()
    except ConfigError as error:
        unread += error.problems
        return []
