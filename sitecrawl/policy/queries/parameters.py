"""Query strings as lists of parameters, each kept exactly as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote_plus


def parameter_name(parameter: str) -> str:
    """The name of a parameter ``name=value``: decoded, in lower case."""
    return unquote_plus(parameter.partition("=")[0]).lower()


def keep_parameters(url: str, keep: Callable[[str], bool]) -> str:
    """``url`` with only those parameters whose name ``keep`` accepts, in their order.

    Nothing is rewritten where nothing is dropped; a query left empty goes with its mark.
    """
    path, mark, query = url.partition("?")
    if not mark:
        return url
    parameters = [parameter for parameter in query.split("&") if parameter]
    kept = [parameter for parameter in parameters if keep(parameter_name(parameter))]
    if len(kept) == len(parameters):
        return url
    return f"{path}?{'&'.join(kept)}" if kept else path


def names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that a lower-case parameter name matches; ``*`` in a name is any text."""
    words = (re.escape(name.lower()).replace(r"\*", ".*") for name in names)
    return re.compile("|".join(words) or r"(?!)")
