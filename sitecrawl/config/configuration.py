"""The configuration of a crawl: defaults < profile < config file < other arguments."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

from pydantic import BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sitecrawl import install_command
from sitecrawl.config.config_errors import (
    MISSING_START,
    ConfigError,
    faults,
    is_missing_start,
    place,
    unknown_option,
    wording,
)
from sitecrawl.config.layers import Layer, read_layers
from sitecrawl.config.options.crawl_options import SECRET, SHAPING, CrawlParams
from sitecrawl.policy.documents.document_options import OUTLINED
from sitecrawl.policy.documents.fields import FIELDS
from sitecrawl.policy.documents.output_shapes import field_names, renaming_problems
from sitecrawl.web.files.formats import wanted_formats
from sitecrawl.web.urls.url import normalize, origin

__all__ = ["ConfigError", "Configuration", "changed_options", "load", "with_own_extensions"]

OPTIONS = CrawlParams.model_fields
OWN = "the crawl's own list"
IMPLIED: Sequence[tuple[str, Any, Mapping[str, Any]]] = (
    ("entire_site", True, {"mode": "crawl", "scope": "directory"}),
    ("rogue", True, {"obey_robots": False}),
    ("preset", "rag", {"more_fields": OUTLINED}),
)
"""Shorthand options that set others when they have a value."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The options of a crawl and where each came from.

    ``sources`` has an entry for every option: ``default``, ``profile fdse``, the path of
    the TOML file, or ``-a deny``. ``replaced`` are the values, with their sources, that a
    shorthand option has overridden.
    """

    params: CrawlParams
    sources: Mapping[str, str]
    replaced: Mapping[str, tuple[Any, str]] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """A hash of the options that shape the documents."""
        values = self.params.model_dump(mode="json", include=set(SHAPING))
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    def stored(self) -> dict[str, Any]:
        """Return the part that a run stores: the values other than defaults, with their sources.

        Passwords are not stored, nor are headers, which may contain keys: a command that fetches
        needs them again.
        """
        values = self.params.model_dump(mode="json", exclude_defaults=True, exclude=set(SECRET))
        sources = {name: self.sources.get(name, "default") for name in values}
        replaced = {"replaced": dict(self.replaced)} if self.replaced else {}
        return {"fingerprint": self.fingerprint, "params": values, "sources": sources, **replaced}


def changed_options(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the options that shape documents and differ between two stored configurations."""
    one, other = before["params"], now["params"]
    return sorted(name for name in SHAPING if one.get(name) != other.get(name))


def load(arguments: Mapping[str, Any]) -> Configuration:
    """Read the configuration given by a spider's arguments.

    Raises ConfigError, with one line for every problem, if it is unusable.
    """
    return load_again({"params": {}}, arguments)


def named_after(configuration: Configuration, spider: str) -> Configuration:
    """Return the configuration with a crawl name that begins with the spider's, if it has none."""
    params = configuration.params
    if params.crawl_name:
        return configuration
    name = re.sub(r"[^\w.-]", "-", f"{spider}-{params.database_name}")
    sources = {**configuration.sources, "crawl_name": f"spider {spider}"}
    params = params.model_copy(update={"crawl_name": name})
    return Configuration(params, sources, configuration.replaced)


def load_again(stored: Mapping[str, Any], arguments: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a run stored, overridden by ``arguments``.

    ``stored`` has ``params``, the values other than defaults, and ``sources``, where
    they were set. Raises ConfigError.
    """
    layers, unread = read_layers(arguments)
    values, sources, unknown = _merge(layers)
    before = {n: v for n, v in stored["params"].items() if n in OPTIONS and n not in values}
    origins = stored.get("sources", {})
    sources |= {name: origins.get(name, "an earlier run") for name in before}
    for name, (value, source) in stored.get("replaced", {}).items():
        if name in OPTIONS and name not in values:  # its shorthand may be off now
            before[name], sources[name] = value, source
    params, wrong = _check({**before, **values}, sources)
    if unread:  # the unread file may have the start
        wrong = [line for line in wrong if not is_missing_start(line)]
    if params is None or unread or unknown or wrong:
        raise ConfigError([*unread, *unknown, *wrong])
    return _configured(params, sources)


def with_own_extensions(
    configuration: Configuration, stored: Mapping[str, Any] | None
) -> Configuration:
    """Return the configuration with the list of extensions that its crawl keeps, if it does.

    ``stored`` is the configuration of the last run, None before the first.
    """
    params = configuration.params
    if not params.keep_extensions or params.ignore_extensions is not None:
        return configuration
    kept = stored["params"].get("ignore_extensions") if stored else None
    own = params.own_extensions if kept is None else tuple(kept)
    sources = {**configuration.sources, "ignore_extensions": OWN}
    params = params.model_copy(update={"ignore_extensions": own})
    return Configuration(params, sources, configuration.replaced)


def _configured(params: CrawlParams, sources: dict[str, str]) -> Configuration:
    """Return the configuration with the values that its options imply."""
    replaced: dict[str, tuple[Any, str]] = {}
    for name, value, implied in IMPLIED:
        if getattr(params, name) == value:
            before = {each: getattr(params, each) for each in implied}
            replaced |= {each: (old, sources[each]) for each, old in before.items()}
            lists = {
                n: tuple(dict.fromkeys((*v, *implied[n])))
                for n, v in before.items()
                if isinstance(v, tuple)
            }
            params = params.model_copy(update={**implied, **lists})
            source = sources[name]
            given = source if source == f"-a {name}" else f"{name} of {source}"
            sources |= dict.fromkeys(implied, given)
    return Configuration(params, sources, replaced)


def _merge(layers: Sequence[Layer]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    values: dict[str, Any] = {}
    sources = dict.fromkeys(OPTIONS, "default")
    unknown: list[str] = []
    for layer in layers:
        for name, value in layer.values.items():
            source = layer.source_of(name)
            if name in OPTIONS:
                values[name] = merged = added(OPTIONS[name], values, name, value)
                sources[name] = source
                if isinstance(merged, tuple) and "" in merged:
                    unknown.append(f"{place(source, name, value)}: a + needs a word behind it.")
            else:
                unknown.append(unknown_option(source, name, OPTIONS))
    return values, sources, unknown


def added(field: FieldInfo, below: Mapping[str, Any], name: str, value: Any) -> Any:
    """Return the value of an option; words that begin with ``+`` complete the list ``below`` it."""
    read = next((each.func for each in field.metadata if isinstance(each, BeforeValidator)), None)
    if field.annotation != tuple[str, ...] or read is None:
        return value
    words: Any = read(value)  # type: ignore[call-arg]
    if not isinstance(words, tuple | list) or not words:
        return value
    if not all(isinstance(word, str) and word.startswith("+") for word in words):
        return value
    before: Any = read(below.get(name, field.default))  # type: ignore[call-arg]
    return tuple(dict.fromkeys((*before, *(word[1:] for word in words))))


def _check(
    values: Mapping[str, Any], sources: Mapping[str, str]
) -> tuple[CrawlParams | None, list[str]]:
    try:
        params = CrawlParams.model_validate(values)
    except ValidationError as error:
        return None, [_line(fault, values, sources) for fault in faults(error)]
    return params, [*_renaming_problems(params, sources), *_missing_packages(params, sources)]


def renders_locally(params: CrawlParams) -> bool:
    """Return True if a browser of this machine may render pages."""
    return params.render in {"playwright", "auto"}


def _missing_packages(params: CrawlParams, sources: Mapping[str, str]) -> list[str]:
    trafilatura = params.content == "article" and params.article_extractor == "trafilatura"
    socks = any(each.get_secret_value().startswith("socks") for each in params.proxies)
    needed = [
        ("content", "article", "trafilatura", "extract", trafilatura),
        *(
            (option, value, "warcio", "warc", bool(value))
            for option, value in (("warc", params.warc), ("from_warc", params.from_warc))
        ),
        ("proxies", "SOCKS", "python_socks", "socks", socks),
        ("render", params.render, "scrapy_playwright", "playwright", renders_locally(params)),
        *(
            ("content_types", each.title, each.module, "files", each.module)
            for each in wanted_formats(params.content_types)
        ),
    ]
    return [
        f"{option} ({sources[option]}): {value} needs the package {package}, which is not "
        f"installed: {install_command(extra)}."
        for option, value, package, extra, is_wanted in needed
        if is_wanted and find_spec(package) is None
    ]


def login_problems(configuration: Configuration) -> list[str]:
    """Return a line for what keeps a crawl from logging in; other commands have no secrets."""
    params = configuration.params
    if not params.login:
        return []
    where = f"login ({configuration.sources['login']})"
    starts = {origin(normalize(each) or "") for each in params.start}
    listed = any(each.startswith("@") for each in params.start)
    found = [] if params.login_fields else [f"{where}: login_fields has no fields of the form."]
    if not params.cookies:
        found.append(f"{where}: cookies=no leaves no session.")
    if not (listed or origin(normalize(params.login) or "") in starts - {""}):
        found.append(f"{where}: {params.login} is at no origin of a start.")
    return found


def _renaming_problems(params: CrawlParams, sources: Mapping[str, str]) -> list[str]:
    options = replace(params.document_options(), field_map=())
    every = field_names(FIELDS, replace(options, preset="full"))
    pairs = params.field_map.items()
    problems = renaming_problems(pairs, every, field_names(FIELDS, options))
    where = place(sources["field_map"], "field_map", params.field_map)
    return [f"{where}: {problem}." for problem in problems]


def _line(fault: ErrorDetails, values: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    if not fault["loc"]:
        return wording(fault, None)
    name = str(fault["loc"][0])
    if fault["type"] == "missing":
        return f"{MISSING_START}: say where to begin, as in -a start=https://example.org"
    return f"{place(sources[name], name, values[name])}: {wording(fault, OPTIONS[name])}"
