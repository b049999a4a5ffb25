"""Query treatment and URL rewriting, applied before the other rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, Self
from urllib.parse import unquote_plus

from sitecrawl.policy.decision import OptionValues, RefusalReason
from sitecrawl.policy.urls.url_rules import OnStarts, Target, UrlChange, UrlRule
from sitecrawl.web.urls.identity import normal_pattern, normal_text
from sitecrawl.web.urls.url import normalize


def is_dynamic(url: str) -> bool:
    """Return True if the URL contains one of ``? = & $ ;``, as dynamic pages do."""
    return any(mark in url for mark in "?=&$;")


_POINT = re.compile(r"[^?]+\?\d+,\d+")


# HTML 4.01, B.2.2: servers may accept ";" for "&". It separates only if another "name=" follows;
# otherwise it belongs to the value. Links that were escaped twice have "&amp;".
_MARKS = re.compile(r"&(?:amp;)?|;(?=[^&;=]+=)")
_FIRST_MARKS = re.compile(r"\A(?:&(?:amp;)?|;)+")
_WITH_PARAMETERS = re.compile(r"[?;$!(]")


def has_parameters(url: str) -> bool:
    """Return True if a URL has a query, or parameters in its path."""
    return _WITH_PARAMETERS.search(url) is not None


def parameter_name(parameter: str) -> str:
    """Return the name of a parameter ``name=value``, decoded."""
    return unquote_plus(parameter.partition("=")[0])


def parameter_names(query: str) -> frozenset[str]:
    """Return the names of all parameters of a query."""
    return frozenset(parameter_name(each) for each in _MARKS.split(query) if each)


def keep_parameters(url: str, keep: Callable[[str], bool]) -> str:
    """Return ``url`` with only the parameters whose name ``keep`` accepts, in their order.

    The URL is unchanged if no parameter is dropped; an empty query is removed with its mark.
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
    """Compile a case-insensitive pattern of parameter names; ``*`` in a name is any text."""
    words = (re.escape(name).replace(r"\*", "[^/?;&=]*") for name in names)
    return re.compile("|".join(words) or r"(?!)", re.IGNORECASE)


def _keep_marked(url: str, path: str, query: str, keep: Callable[[str], bool]) -> str:
    """Keep parameters where ``;`` separates them too; each keeps the separator before it."""
    marks = ["", *_MARKS.findall(query)]
    marked = list(zip(marks, _MARKS.split(query), strict=True))
    kept = [mark + each for mark, each in marked if not each or keep(parameter_name(each))]
    if len(kept) == len(marked):
        return url
    rest = _FIRST_MARKS.sub("", "".join(kept))
    return f"{path}?{rest}" if rest else path


_ONLY_AT_THE_END = re.compile("[?!&](opendocument|openview&collapseview).")
_NOWHERE = re.compile("[?!&](expandview|openview&start)")
# mod_autoindex and its imitators: C=N;O=D, C=M&O=A, and Apache 1.3's N=D.
_SORT = re.compile(r"(?:C=[NMSD](?:[;&]O=[AD])?|O=[AD]|[NMSD]=[AD])(?:[;&][FVP]=[^&;]*)*")


class Rewriting(UrlChange):
    """Pairs of pattern and replacement, applied one after the other."""

    name = "rewrite"
    option = "url_rewrite"

    @staticmethod
    def read(value: tuple[str, ...], /) -> list[tuple[re.Pattern[str], str]]:
        """Parse the listed rules."""
        return list(map(read_rewrite, value))

    def change(self, url: str) -> str:
        """Return ``url`` after every replacement; unchanged if the result is not a URL."""
        rewritten = url
        for pattern, replacement in self.value:
            rewritten = pattern.sub(replacement, rewritten)
        return url if rewritten == url else normalize(rewritten) or url


def read_rewrite(entry: str) -> tuple[re.Pattern[str], str]:
    r"""Parse a rule written ``PATTERN=>REPLACEMENT``; groups are ``\1``.

    Raises ValueError if the arrow is missing, the pattern does not compile or the
    replacement names a group that the pattern does not have.
    """
    pattern, arrow, replacement = (part.strip() for part in entry.partition("=>"))
    if not arrow or not pattern:
        raise ValueError(f"{entry!r} is not of the form PATTERN=>REPLACEMENT")
    try:
        compiled = re.compile(normal_pattern(pattern))
        re.compile(f"{pattern}|").sub(replacement, "")
    except (re.error, IndexError) as error:
        raise ValueError(f"{entry!r} is not a rewrite: {error}") from error
    return compiled, replacement


class Domino(UrlRule):
    """Refuse the expanded, collapsed and paged forms of Domino's views and documents."""

    reason = RefusalReason(
        "domino", "a folded or paged view of Lotus Domino (`domino`)", options=("domino",)
    )

    def refusal(self, target: Target) -> str:
        """Refuse a command that has text after it, and the commands that only fold views."""
        text = target.url.lower().replace("&amp;", "&")  # URLs that were escaped twice
        if found := _ONLY_AT_THE_END.search(text):
            return f"{self.setting}: {found[1]} is not at the end"
        return f"{self.setting}: {found[1]}" if (found := _NOWHERE.search(text)) else ""


class ListingSort(UrlChange):
    """Remove the sort order of a directory listing."""

    name = "listing_sort"

    @classmethod
    def build(cls, options: OptionValues) -> Self:  # noqa: ARG003 -- it has none
        """Build the treatment, which no option asks for."""
        return cls(setting="sort orders of directory listings")

    def change(self, url: str) -> str:
        """Return the URL of the listing itself if the query is only its sort order."""
        path, mark, query = url.partition("?")
        if mark and path.endswith("/") and _SORT.fullmatch(query):
            return path
        return url


class IgnoreQueries(UrlRule):
    """Refuse every URL with a question mark."""

    reason = RefusalReason("query", "has a query (`query=ignore`)", options=("query",))
    on_starts = OnStarts.EXEMPTS
    wanted = "ignore"

    def refusal(self, target: Target) -> str:
        """Refuse a URL with a question mark, even if the query is empty."""
        return self.setting if "?" in target.url else ""


class StripQueries(UrlChange):
    """Remove the query."""

    name = "query_strip"
    option = "query"
    wanted = "strip"

    def change(self, url: str) -> str:
        """Return ``url`` up to its question mark."""
        return url.partition("?")[0]


class FilterQueries(UrlChange):
    """Keep the parameters that identify a page, and remove the others."""

    name = "query_filter"

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the treatment if queries are filtered."""
        if options.value("query") != "filter":
            return None
        setting = f"{options.setting('query')}, {options.setting('query_keep')}"
        return cls(value=frozenset(options.value("query_keep")), setting=setting)

    def change(self, url: str) -> str:
        """Return ``url`` with only the kept parameters; their names are case-sensitive."""
        return keep_parameters(url, self.value.__contains__)


class CombinationPolicy(NamedTuple):
    """The parameters that may be combined below a prefix; None for any."""

    prefix: re.Pattern[str]
    names: frozenset[str] | None

    def allows(self, url: str, present: frozenset[str]) -> bool:
        """Return True if the prefix applies and every present parameter is listed."""
        return self.prefix.match(url) is not None and (self.names is None or present <= self.names)


class QueryPolicies(UrlRule):
    """Refuse a query unless a policy allows its whole combination of parameters."""

    reason = RefusalReason(
        "query_policy",
        "no policy allows these parameters (`query=policy`)",
        options=("query", "url_query_parameters"),
    )
    on_starts = OnStarts.EXEMPTS

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the rule if policies decide on queries."""
        if options.value("query") != "policy":
            return None
        policies = tuple(map(read_combination, options.value("url_query_parameters")))
        setting = f"{options.setting('query')}, {options.setting('url_query_parameters')}"
        return cls(value=policies, setting=setting)

    def refusal(self, target: Target) -> str:
        """Refuse a combination that no policy allows."""
        if not target.parts.query:
            return ""
        present = parameter_names(target.parts.query)
        if any(policy.allows(target.url, present) for policy in self.value):
            return ""
        return f"{self.setting}: no policy allows {'&'.join(sorted(present))}"


def read_combination(entry: str) -> CombinationPolicy:
    """Parse a policy written as a URL: ``?id&page``, ``/shop/?id``, ``https://host/wiki?title``.

    The text before the question mark is a prefix of the path or of the URL; ``*`` as a
    name allows any parameters. Raises ValueError for anything else.
    """
    prefix, mark, names = entry.partition("?")
    if not mark or not names:
        raise ValueError(f"{entry!r} names no parameters behind a question mark")
    if prefix and not prefix.startswith("/") and "://" not in prefix:
        raise ValueError(f"{entry!r} begins with neither a path from the root nor a URL")
    home = "" if "://" in prefix else "[a-z][a-z0-9+.-]*://[^/]*"
    listed = frozenset(parameter_name(name) for name in names.split("&") if name)
    return CombinationPolicy(
        re.compile(home + re.escape(normal_text(prefix))), None if "*" in listed else listed
    )


QUERY_CHANGES = (StripQueries, FilterQueries)
QUERY_RULES = (IgnoreQueries, QueryPolicies)


def has_treated_query(options: OptionValues) -> Callable[[str], bool]:
    """Return a test of URLs with a treatable query; points of sampled image maps have none."""
    if options.value("image_maps") != "sample":
        return has_parameters
    return lambda url: has_parameters(url) and not _POINT.fullmatch(url)
