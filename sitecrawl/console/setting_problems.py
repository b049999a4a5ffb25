"""Validation of settings: unknown names and unusable values."""

from __future__ import annotations

import codecs
import logging
import math
from collections.abc import Iterator
from difflib import get_close_matches

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from sitecrawl import defaults as project

OURS = "SITECRAWL"
FRACTIONS = frozenset(
    {
        *("CLOSESPIDER_TIMEOUT", "DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"),
        "SITECRAWL_STATISTICS_SECONDS",
    }
)
"""Settings that accept fractions although their default is a whole number."""
AT_LEAST = {
    **dict.fromkeys(("CONCURRENT_REQUESTS", "CONCURRENT_ITEMS", "REACTOR_THREADPOOL_MAXSIZE"), 1),
    **dict.fromkeys(
        ("SITECRAWL_METRICS_PORT", "SITECRAWL_STATISTICS_PAGES", "SITECRAWL_STATISTICS_SECONDS"), 0
    ),
}
"""Minimum values; below them nothing would be requested, or a crawl would not begin."""
SWITCHES = frozenset({"True", "true", "False", "false"})
"""Words that Scrapy takes for a switch, beside numbers."""
LOG_FORMATS = ("text", "json")
LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


def setting_problems(settings: BaseSettings) -> Iterator[str]:
    """Yield a problem for each setting that cannot be used."""
    yield from misspelt_settings(settings)
    defaults = Settings()
    for name in sorted(map(str, settings)):
        value = settings[name]
        if (settings.getpriority(name) or 0) > 0 and (said := _problem(name, value, defaults)):
            shown = f"-s {name}={value}" if _is_given(settings, name) else f"{name} = {value!r}"
            yield f"{shown}: {said}."


def misspelt_settings(settings: BaseSettings) -> Iterator[str]:
    """Yield a problem for each misspelt SITECRAWL_ setting of -s.

    If it were ignored, the crawl would use another database.
    """
    known = [name for name in vars(project) if name.startswith(OURS)]
    for name in sorted(map(str, settings)):
        if _is_given(settings, name) and name.upper().startswith(OURS) and name not in known:
            [meant] = get_close_matches(name.upper(), known, n=1, cutoff=0)
            yield f"-s {name}: there is no such setting. Did you mean {meant!r}?"


def _is_given(settings: BaseSettings, name: str) -> bool:
    return (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]


def _problem(name: str, value: object, defaults: Settings) -> str:
    if name == "LOG_LEVEL":
        known = isinstance(value, int) or value in logging.getLevelNamesMapping()
        return "" if known else f"should be one of {', '.join(LEVELS)}"
    if name == "SITECRAWL_LOG_FORMAT":
        return "" if value in LOG_FORMATS else f"should be one of {', '.join(LOG_FORMATS)}"
    if name == "LOG_ENCODING":
        try:
            codecs.lookup(str(value))
        except LookupError:
            return "is not an encoding; the usual one is utf-8"
        return ""
    default = getattr(project, name, defaults.get(name))
    if value is None or not isinstance(default, int | float):
        return ""
    if isinstance(default, bool):
        is_switch = str(value) in SWITCHES or str(value).isdecimal()
        return "" if is_switch else "should be 0 or 1"
    return _number_problem(name, value, whole=isinstance(default, int) and name not in FRACTIONS)


def _number_problem(name: str, value: object, *, whole: bool) -> str:
    try:
        number = int(str(value)) if whole else float(str(value))
    except ValueError:
        return "should be a whole number" if whole else "should be a number"
    if not math.isfinite(number):
        return "should be a number"
    least = AT_LEAST.get(name, number)
    return f"should be at least {least}" if number < least else ""
