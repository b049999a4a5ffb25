"""Options of targets that are kept equal to the documents: search indexes, vector stores."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import OptionGroup, Words

_FUNCTION = re.compile(r"[\w.]+:\w+|.*/.*", re.ASCII)


def check_function(name: str) -> str:
    """Check the notation of a function's name."""
    if name and not _FUNCTION.fullmatch(name):
        raise ValueError("should be package.module:function or the path of a model, with a slash")
    return name


class SyncParams(OptionGroup):
    """Targets of the documents besides the output."""

    sync: Words = option(
        default=(),
        effect=Effect.RUN,
        secret=True,
        description="Targets that get the documents while the crawl runs, as for `scrapy sync`: "
        "sqlite:///FILE, opensearch://HOST/INDEX, pagefind:///FOLDER. Each has a process of its "
        "own, so that none delays the crawl or makes it fail.",
    )
    embed: Annotated[str, AfterValidator(check_function)] = option(
        default="",
        effect=Effect.RUN,
        description="Function that makes the vectors of LanceDB and of the search file, as "
        "package.module:function: it takes a list of texts and returns a vector for each; or the "
        "path of a model of sentence-transformers, with a slash. `scrapy sync` calls it for "
        "sections that are new or changed, a search for its words.",
    )
