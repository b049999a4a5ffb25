"""Error messages of configurations, each with place and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sitecrawl.config.options.crawl_options import SECRET, CrawlParams

WORDING = {
    "bool_parsing": "should be yes or no (also 1 or 0, true or false)",
    "bool_type": "should be true or false",
    "dict_type": "should be a table",
    "float_parsing": "should be a number",
    "float_type": "should be a number",
    "greater_than": "should be above {gt:g}",
    "greater_than_equal": "should be at least {ge:g}",
    "int_from_float": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_type": "should be a whole number",
    "less_than": "should be below {lt:g}",
    "less_than_equal": "should be at most {le:g}",
    "string_type": "should be text",
    "too_short": "should not be empty",
    "tuple_type": "should be a list",
    "value_error": "{error}",
}
MAX_SHOWN = 300  # characters
MISSING_START = "start is missing"


class ConfigError(Exception):
    """Unusable configuration; ``problems`` has one readable line for each fault."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


def is_missing_start(line: str) -> bool:
    """Return True for the message of a missing start, the one option without a default."""
    return line.startswith(MISSING_START)


def place(source: str, name: str, value: object) -> str:
    """Format the place of an option and its value: ``-a deny='('`` or ``site.toml: deny = '('``."""
    shown = "(not shown)" if name in SECRET else _shortened(without_passwords(repr(value)))
    return f"{source}={shown}" if source.startswith("-a ") else f"{source}: {name} = {shown}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 50]} … {text[-40:]}"


def without_passwords(text: str) -> str:
    """Return a text with the passwords of its URLs removed."""
    return re.sub(r"(://[^\s/:@]*):[^\s/@]*@", r"\1:***@", text)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the known word most similar to ``word``, if any."""
    normalized = word.lower().replace("-", "_")
    found = get_close_matches(normalized, list(known), n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


def unknown_option(source: str, name: str, known: Iterable[str]) -> str:
    """Return the message for an option that does not exist."""
    where = source if source.startswith("-a ") else f"{source}: {name}"
    remedy = nearest(name, known) or " docs/configuration.md lists the options."
    return f"{where}: there is no such option.{remedy}"


def unknown_words(words: Iterable[str]) -> list[str]:
    """Return a message for each word that looks like an option of the command line and is none."""
    problems = []
    for flag in (word.partition("=")[0] for word in words if word.startswith("-") and word != "-"):
        meant = flag[2:].replace("-", "_")
        found = get_close_matches(meant, CrawlParams.model_fields, n=1, cutoff=0.7)
        remedy = f" (--{found[0].replace('_', '-')}?)" if found else ""
        problems.append(f"there is no option {flag}{remedy}")
    return problems


def wording(error: ErrorDetails, field: FieldInfo | None) -> str:
    """Return the message for a fault found by pydantic, with the valid notation."""
    words = WORDING.get(error["type"], "").format_map(error.get("ctx", {}))
    if not words:
        words = error["msg"].replace("Input should", "should", 1)
    remedy = nearest(str(error["input"]), _choices(field.annotation)) if field else ""
    return f"{without_passwords(words)}.{remedy}"


def _choices(annotation: Any) -> list[str]:
    if isinstance(annotation, str):
        return [annotation]
    return [word for part in get_args(annotation) for word in _choices(part)]


def faults(error: ValidationError) -> list[ErrorDetails]:
    """Return the faults found by pydantic, at most one for each option."""
    found = {
        (fault["loc"][:1], fault["msg"] if not fault["loc"] else ""): fault
        for fault in reversed(error.errors(include_url=False))
    }
    return list(reversed(found.values()))
