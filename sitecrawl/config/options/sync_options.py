"""Options of the targets of `scrapy sync`: search indexes, vector stores."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import OptionGroup, matching

FUNCTION = matching(
    r"(?a:[\w.]+:\w+)|.*/.*|",
    "should be package.module:function or the path of a model, with a slash",
)


class SyncParams(OptionGroup):
    """Vectors of the targets."""

    embed: Annotated[str, AfterValidator(FUNCTION)] = option("", Effect.RUN)
    """Function that makes the vectors of LanceDB and of the search file, as
    package.module:function: it takes a list of texts and returns a vector for each; or the path of
    a model of sentence-transformers, with a slash. `scrapy sync` calls it for sections that are new
    or changed, a search for its words."""
