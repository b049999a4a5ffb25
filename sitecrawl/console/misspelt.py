"""Settings of ours that were given and do not exist: a crawl would go to another database."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from sitecrawl import defaults

OURS = "SITECRAWL"


def misspelt_settings(settings: BaseSettings) -> Iterator[str]:
    """A line for each setting of ours that -s names and nobody reads."""
    known = [name for name in vars(defaults) if name.startswith(OURS)]
    for name in sorted(map(str, settings)):
        given = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]
        if given and name.upper().startswith(OURS) and name not in known:
            [meant] = get_close_matches(name.upper(), known, n=1, cutoff=0)
            yield f"-s {name}: there is no such setting. Did you mean {meant!r}?"
