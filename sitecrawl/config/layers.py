"""Sources of option values: a profile, a TOML file, the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Any

from sitecrawl.config.config_errors import ConfigError, nearest, place
from sitecrawl.config.types import read_urls

START_URLS = "start_urls"


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
    return Layer(f"profile {name}", tomllib.loads(_profile_text(name)))


def profile_about(name: str) -> str:
    """Return a profile's description: the comment at its head."""
    lines = takewhile(lambda line: line.startswith("#"), _profile_text(name).splitlines())
    return "\n".join(line.removeprefix("#").strip() for line in lines)


def _profile_text(name: str) -> str:
    return resources.files("sitecrawl.profiles").joinpath(f"{name}.toml").read_text("utf-8")


def read_file(path: str, source: str) -> Layer:
    """Read a TOML file; names of start files in it are relative to its directory."""
    values = _parse(path, source)
    if "config" in values:
        raise ConfigError([f"{path}: config: a file cannot name another; use -a config=FILE."])
    if "start" in values:
        values["start"] = _beside(values["start"], Path(path).parent)
    return Layer(path, values)


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


def _beside(starts: object, folder: Path) -> object:
    words = read_urls(starts)
    if not isinstance(words, tuple | list):
        return words
    return [f"@{folder / word[1:]}" if str(word).startswith("@") else word for word in words]


def read_arguments(arguments: Mapping[str, str]) -> Layer:
    """Return the spider's arguments, without internal ones such as Scrapyd's ``_job``."""
    return Layer("", {n: v for n, v in arguments.items() if not n.startswith("_")})


def read_layers(arguments: Mapping[str, Any]) -> tuple[list[Layer], list[str]]:
    """Return the layers of the arguments, the weakest first, and the reasons for missing ones.

    ``start_urls`` are the spider's own starts.
    """
    unread: list[str] = []
    urls = arguments.get(START_URLS)
    spider = Layer(START_URLS, {"start": urls} if urls else {})
    given = read_arguments({n: v for n, v in arguments.items() if n != START_URLS})
    file = _or_problem(read_file, given.values.get("config"), "-a config", unread)
    asking = next((a for a in (given, file) if a.values.get("profile")), given)
    source = asking.source_of("profile")
    profile = _or_problem(read_profile, asking.values.get("profile"), source, unread)
    return [spider, profile, file, given], unread


def _or_problem(
    read: Callable[[str, str], Layer], name: object, source: str, unread: list[str]
) -> Layer:
    try:
        return read(str(name), source) if name else Layer("")
    except ConfigError as error:
        unread += error.problems
        return Layer("")
