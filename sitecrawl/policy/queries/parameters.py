"""Query strings as lists of parameters, each kept exactly as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote_plus

# HTML 4.01, B.2.2: servers may take ";" for "&". Only where another "name=" follows: what
# stands behind any other is more of the value. Links that were escaped twice have "&amp;".
_MARKS = re.compile(r"&(?:amp;)?|;(?=[^&;=]+=)")
_FIRST_MARKS = re.compile(r"\A(?:&(?:amp;)?|;)+")
_WITH_PARAMETERS = re.compile(r"[?;$!(]")


def has_parameters(url: str) -> bool:
    """Whether a URL has a query, or parameters in its path."""
    return _WITH_PARAMETERS.search(url) is not None


def parameter_name(parameter: str) -> str:
    """The name of a parameter ``name=value``, decoded."""
    return unquote_plus(parameter.partition("=")[0])


def parameter_names(query: str) -> frozenset[str]:
    """The names of all parameters of a query."""
    return frozenset(parameter_name(each) for each in _MARKS.split(query) if each)


def keep_parameters(url: str, keep: Callable[[str], bool]) -> str:
    """``url`` with only those parameters whose name ``keep`` accepts, in their order.

    Nothing is rewritten where nothing is dropped; a query left empty goes with its mark.
    """
    path, mark, query = url.partition("?")
    if not mark:
        return url
    if ";" in query:
        return _keep_marked(url, path, query, keep)
    parameters = [parameter for parameter in query.split("&") if parameter]
    kept = [parameter for parameter in parameters if keep(parameter_name(parameter))]
    if len(kept) == len(parameters):
        return url
    return f"{path}?{'&'.join(kept)}" if kept else path


def names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that parameter names match without case; ``*`` in a name is any text."""
    words = (re.escape(name).replace(r"\*", "[^/?;&=]*") for name in names)
    return re.compile("|".join(words) or r"(?!)", re.IGNORECASE)


def _keep_marked(url: str, path: str, query: str, keep: Callable[[str], bool]) -> str:
    """The same where parameters are parted by ``;`` too; each stays behind its own mark."""
    marks = ["", *_MARKS.findall(query)]
    marked = list(zip(marks, _MARKS.split(query), strict=True))
    kept = [mark + each for mark, each in marked if not each or keep(parameter_name(each))]
    if len(kept) == len(marked):
        return url
    rest = _FIRST_MARKS.sub("", "".join(kept))
    return f"{path}?{rest}" if rest else path
