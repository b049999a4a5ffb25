"""The rules that look at nothing but a URL, and those on the link that names it.

A rule states itself on its class: the reason of its refusals with the options and the
documentation, its effect on starts, and how it is built. It is registered in the tuple of its
kind at the end of this file.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import ClassVar, NamedTuple, Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.web.feeds.listings import LISTING_XML
from sitecrawl.web.files.formats import wanted_formats
from sitecrawl.web.urls.identity import normal_form, normal_pattern, normal_text
from sitecrawl.web.urls.url import UrlParts, normalize, origin, split


class Target(NamedTuple):
    """A resolved URL in its normal form with the parts of that, taken apart once for all rules.

    An escaped letter is a letter to all of them; ``as_found`` is what is requested.
    """

    url: str
    origin: str
    parts: UrlParts
    as_found: str


@lru_cache(maxsize=1024)  # the rules, the limits and the fetch ask one after the other
def read_target(url: str) -> Target:
    """The normal form of a resolved URL, and its parts."""
    normal = normal_form(url)
    return Target(normal, origin(normal), split(normal), url)


# Two published crawlers' lists, less what is text that people search (txt, xml, html-like
# suffixes), and the kinds of file that came after them.
_LIST = """
    7z aac apk asf avi avif bat bin bmp bz2 cab class cmd com cpl css csv deb dll dmg doc docx
    eot eps epub exe flac flv gif gz heic hta ico inf iso jar jpe jpeg jpg js json log m3u m4a
    m4v mjs mid midi mkv mov mp3 mp4 mpeg mpg msi msp odp ods odt ogg ogv old opus otf pdf
    pif png ppt pptx ps ps1 psd qt ra ram rar reg rpm rtf scr sig so svg swf tar tbz tgz tif
    tiff torrent ttf vb vbe vbs vob wasm wav weba webm webp whl wma wmv woff woff2 xls xlsx xz
    zip zst
"""
IGNORED_EXTENSIONS = tuple(_LIST.split())


def extension(path: str) -> str:
    """The lower-case extension of a URL path's last segment, "" if it has none."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0:
        return ""
    return name[dot + 1 :].partition(";")[0].lower()


class OnStarts(Enum):
    """The effect of a rule on starts, which were asked for by name."""

    REFUSES = "refuses them as it does links"
    EXEMPTS = "does not apply to them"
    ONLY_FOR_LINKS = "keeps them out of the index, not their links from being followed"


class UrlRule(ABC):
    """A rule that looks at nothing but the URL.

    ``setting`` is the option that it applies, with value and source.
    """

    __slots__ = ()
    reason: ClassVar[RefusalReason]
    on_starts: ClassVar[OnStarts] = OnStarts.REFUSES
    setting: str

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:  # noqa: ARG003 -- one without option
        """The rule under these options; None where they ask for none."""
        return cls()

    @abstractmethod
    def refusal(self, target: Target) -> str:
        """The rule's text with the value that decided, or "" if the URL passes."""


class UrlChange(ABC):
    """A treatment that gives the URL to go on with.

    ``setting`` is the option that it applies, with value and source.
    """

    __slots__ = ()
    name: ClassVar[str]
    setting: str

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:  # noqa: ARG003 -- one without option
        """The treatment under these options; None where they ask for none."""
        return cls()

    @abstractmethod
    def change(self, url: str) -> str:
        """The URL after the treatment; the same text if it does not apply."""


@dataclass(slots=True)
class Schemes(UrlRule):
    """The schemes that are crawled."""

    allowed: frozenset[str]
    setting: str
    reason = RefusalReason(
        "scheme",
        "a scheme that is not crawled (`schemes`), such as `javascript:` and `data:`",
        options=("schemes",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The rule on the listed schemes, in lower case."""
        allowed = frozenset(scheme.lower() for scheme in options.value("schemes"))
        return cls(allowed, options.setting("schemes"))

    def refusal(self, target: Target) -> str:
        """Refuse mailto, javascript, ftp and whatever else is not listed."""
        return (
            ""
            if target.parts.scheme in self.allowed
            else f"{self.setting}: {target.parts.scheme or target.url!r}"
        )


@dataclass(slots=True)
class WellFormed(UrlRule):
    """A URL to fetch names a host."""

    setting: str = "every URL needs a host"
    reason = RefusalReason(
        "malformed",
        "no host, no valid URL, or another site's URL behind a folder (`folder/http://host`)",
    )

    def refusal(self, target: Target) -> str:
        """Refuse a URL without host."""
        return "" if target.parts.host else f"{self.setting}: {target.url!r}"


_SLASHES = re.compile("//+")


@dataclass(slots=True)
class ForbiddenSites(UrlRule):
    """Hosts (with their subdomains) and URL prefixes that are never visited.

    ``sites`` pairs a host and a path prefix with the words of the rule.
    """

    sites: tuple[tuple[str, str, str], ...]
    setting: str
    reason = RefusalReason(
        "forbidden_site",
        "a forbidden site (`forbidden_sites`)",
        options=("forbidden_sites",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed sites, if any."""
        entries = options.entries("forbidden_sites")
        sites = tuple((*read_site(entry), words) for entry, words in entries)
        return cls(sites, options.setting("forbidden_sites")) if sites else None

    def refusal(self, target: Target) -> str:
        """Refuse what lies on a forbidden host, below the path if one was given.

        Several slashes are one, as they are to servers.
        """
        path = _SLASHES.sub("/", target.parts.path)
        for host, prefix, words in self.sites:
            same = target.parts.host == host or target.parts.host.endswith("." + host)
            if same and path.startswith(prefix):
                return words
        return ""


def read_site(entry: str) -> tuple[str, str]:
    """Host and path prefix of an entry such as ``ads.example.com`` or ``http://host/dir/``.

    Raises ValueError if it names no host.
    """
    url = normalize(entry if "://" in entry else f"http://{entry}")
    parts = split(normal_form(url)) if url else None
    if parts is None or not parts.host:
        raise ValueError(f"{entry!r} names no host")
    return parts.host, parts.path


@dataclass(slots=True)
class Length(UrlRule):
    """The most characters that a URL may have, counted when it is absolute."""

    limit: int
    setting: str
    reason = RefusalReason("length", "too long (`max_url_length`)", options=("max_url_length",))

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The rule with the configured limit."""
        return cls(options.value("max_url_length"), options.setting("max_url_length"))

    def refusal(self, target: Target) -> str:
        """Refuse a URL of more than ``limit`` characters as it would be requested."""
        length = len(target.as_found)
        return "" if length <= self.limit else f"{self.setting}: {length} characters"


@dataclass(slots=True)
class RepeatedDirectories(UrlRule):
    """The most often that one directory name may stand in a path.

    Repeats of several names add up, so that ``/a/b/a/b`` ends as ``/a/a/a`` does; names of
    digits only (dates, ids) count for themselves alone.
    """

    limit: int
    setting: str
    reason = RefusalReason(
        "repeated_directory",
        "a directory name too often in the path (`max_repeated_directory`)",
        options=("max_repeated_directory",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule with the configured limit; 0 is none."""
        limit = options.value("max_repeated_directory")
        return cls(limit, options.setting("max_repeated_directory")) if limit else None

    def refusal(self, target: Target) -> str:
        """Refuse a path in which a name, or all names together, repeat too often."""
        if target.parts.path.count("/") <= self.limit + 1:
            return ""
        names = Counter(name for name in target.parts.path.split("/")[1:-1] if name)
        name, times = max(names.items(), key=_times, default=("", 0))
        repeats = sum(count - 1 for name, count in names.items() if not name.isdecimal())
        if times <= self.limit and repeats <= self.limit:
            return ""
        return f"{self.setting}: {name!r} {times} times, {repeats} repeats in all"


@dataclass(slots=True)
class PathDepth(UrlRule):
    """The most directories that a path may have."""

    limit: int
    setting: str
    reason = RefusalReason(
        "path_depth", "too many directories (`max_path_depth`)", options=("max_path_depth",)
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule with the configured limit; 0 is none."""
        limit = options.value("max_path_depth")
        return cls(limit, options.setting("max_path_depth")) if limit else None

    def refusal(self, target: Target) -> str:
        """Refuse a path of more directories than ``limit``."""
        directories = target.parts.path.count("/") - 1
        return "" if directories <= self.limit else f"{self.setting}: {directories} directories"


def _times(item: tuple[str, int]) -> int:
    return item[1]


def ignored_extensions(options: OptionValues) -> dict[str, str]:
    """The extensions that are not fetched, each with the setting of the list that names it.

    Those of files that become documents are no longer of the default list.
    """
    lists = ["ignore_extensions", "always_ignored_extensions"]
    if options.value("ignore_extensions") is None:
        lists[:1] = ["default_ignored_extensions", "extra_ignored_extensions"]
    wanted = {e for each in wanted_formats(options.value("content_types")) for e in each.extensions}
    found = {
        name: words
        for option in lists
        for name, words in options.entries(option)
        if option != "default_ignored_extensions" or name not in wanted
    }
    if options.value("mode") in LISTING_XML:  # links must not lead to XML documents
        found.pop("xml", None)
    return found


@dataclass(slots=True)
class Extensions(UrlRule):
    """Ignored extensions, each with the words of the list that names it."""

    ignored: Mapping[str, str]
    setting: str
    reason = RefusalReason(
        "extension",
        "a file extension that is not fetched (`ignore_extensions`)",
        options=(
            "ignore_extensions",
            "default_ignored_extensions",
            "extra_ignored_extensions",
            "always_ignored_extensions",
        ),
    )
    on_starts = OnStarts.EXEMPTS

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The rule on all lists of extensions that count."""
        ignored = ignored_extensions(options)
        return cls(ignored, f"{len(ignored)} ignored extensions")

    def refusal(self, target: Target) -> str:
        """Refuse by the end of the path; host and query do not count."""
        suffix = extension(target.parts.path)
        return self.ignored.get(suffix, "") if suffix else ""


@dataclass(slots=True)
class Deny(UrlRule):
    """Regular expressions, each with its words; one that is found refuses."""

    patterns: tuple[tuple[re.Pattern[str], str], ...]
    setting: str
    reason = RefusalReason("deny", "matches `deny`", options=("deny",))

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed patterns, if any."""
        entries = options.entries("deny")
        patterns = tuple((re.compile(normal_pattern(entry)), words) for entry, words in entries)
        return cls(patterns, options.setting("deny")) if patterns else None

    def refusal(self, target: Target) -> str:
        """Refuse a URL in which any pattern is found, as the rules see it or as it was found.

        A pattern may speak of escapes themselves: ``%[0-9A-F]{2}``, ``100%$``.
        """
        found = self._find(target.url)
        return found or (self._find(target.as_found) if target.as_found != target.url else "")

    def _find(self, url: str) -> str:
        return next((words for pattern, words in self.patterns if pattern.search(url)), "")


@dataclass(slots=True)
class Allow(UrlRule):
    """Regular expressions of which one must be found."""

    patterns: tuple[re.Pattern[str], ...]
    setting: str
    reason = RefusalReason("allow", "matches no pattern of `allow`", options=("allow",))
    on_starts = OnStarts.ONLY_FOR_LINKS

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed patterns, if any."""
        patterns = tuple(re.compile(normal_pattern(entry)) for entry in options.value("allow"))
        return cls(patterns, options.setting("allow")) if patterns else None

    def refusal(self, target: Target) -> str:
        """Refuse a URL in which none is found."""
        found = any(pattern.search(target.url) for pattern in self.patterns)
        return "" if found else f"no match of {self.setting}"


@dataclass(slots=True)
class Contains(UrlRule):
    """Substrings of which the URL, without fragment, must have one."""

    substrings: tuple[str, ...]
    setting: str
    reason = RefusalReason("contains", "has none of the words of `contains`", options=("contains",))
    on_starts = OnStarts.ONLY_FOR_LINKS

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed substrings, if any."""
        substrings = tuple(map(normal_text, options.value("contains")))
        return cls(substrings, options.setting("contains")) if substrings else None

    def refusal(self, target: Target) -> str:
        """Refuse a URL that has none of them."""
        found = any(substring in target.url for substring in self.substrings)
        return "" if found else f"none of {self.setting}"


@dataclass(slots=True)
class NotContains(UrlRule):
    """Substrings, each with its words; one that is found refuses."""

    substrings: tuple[tuple[str, str], ...]
    setting: str
    reason = RefusalReason(
        "not_contains",
        "has one of the words of `not_contains`",
        options=("not_contains",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed substrings, if any."""
        entries = options.entries("not_contains")
        substrings = tuple((normal_text(entry), words) for entry, words in entries)
        return cls(substrings, options.setting("not_contains")) if substrings else None

    def refusal(self, target: Target) -> str:
        """Refuse a URL that has any of them."""
        return next((words for substring, words in self.substrings if substring in target.url), "")


@dataclass(slots=True)
class DoNotCrawl(UrlRule):
    """Policies, each with its words; one that matches refuses."""

    policies: tuple[tuple[re.Pattern[str], str], ...]
    setting: str
    reason = RefusalReason("do_not_crawl", "matches `do_not_crawl`", options=("do_not_crawl",))

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """The rule on the listed policies, if any."""
        entries = options.entries("do_not_crawl")
        policies = tuple((read_policy(entry), words) for entry, words in entries)
        return cls(policies, options.setting("do_not_crawl")) if policies else None

    def refusal(self, target: Target) -> str:
        """Refuse what a policy covers."""
        return next((words for policy, words in self.policies if policy.match(target.url)), "")


def read_policy(entry: str) -> re.Pattern[str]:
    """A policy as a pattern on the whole URL.

    An entry is a path prefix (``/private/``, any origin) or a URL prefix; ``*`` stands
    for any characters, ``$`` at the end for the URL's end, and several slashes are one as
    they are to servers. Raises ValueError for others.
    """
    end = "$" if entry.endswith("$") else ""
    body = re.escape(normal_text(entry.removesuffix("$"))).replace(r"\*", ".*").replace("/", "/+")
    if entry.startswith(("/", "*")):
        return re.compile(f"[a-z][a-z0-9+.-]*://[^/]*{body}{end}")
    if "://" in entry:
        return re.compile(body + end)
    raise ValueError(f"{entry!r} is neither a path from the root nor a URL")


_SUPPORTING = frozenset({"stylesheet", "icon", "preload", "dns-prefetch", "preconnect"})


@dataclass(slots=True)
class Depth:
    """The most links from a start; None for no limit."""

    limit: int | None
    setting: str
    reason: ClassVar[RefusalReason] = RefusalReason(
        "depth", "too many links from a start (`max_depth`)", options=("max_depth",)
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The rule with the configured limit."""
        return cls(options.value("max_depth"), options.setting("max_depth"))

    def decide(self, depth: int) -> Decision:
        """Refuse what is more links away; a start has depth 0."""
        if self.limit is None or depth <= self.limit:
            return ALLOWED
        return self.reason.refuse(f"{self.setting}: depth {depth}")


@dataclass(slots=True)
class Rel:
    """Tokens of ``rel`` that say not to follow a link."""

    refused: frozenset[str]
    setting: str
    reason: ClassVar[RefusalReason] = RefusalReason(
        "rel",
        "the link or its page says nofollow or noindex (`obey_nofollow`)",
        options=("obey_nofollow",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The rule on the tokens that are obeyed."""
        obeyed = ("nofollow", "noindex") if options.value("obey_nofollow") else ()
        return cls(frozenset(obeyed), options.setting("obey_nofollow"))

    def decide(self, rel: frozenset[str]) -> Decision:
        """Refuse a link whose rel has such a token; tokens compare without case."""
        tokens = {token.lower() for token in rel}
        if found := tokens & _SUPPORTING:
            return self.reason.refuse(f"rel={min(found)} is not a page")
        if found := tokens & self.refused:
            return self.reason.refuse(f"rel={min(found)}, {self.setting}")
        return ALLOWED


FORM_RULES = (Schemes, WellFormed)
SIZE_RULES = (Length, Extensions)
PATTERN_RULES = (Contains, NotContains, Deny, Allow, ForbiddenSites, DoNotCrawl)
PATH_RULES = (RepeatedDirectories, PathDepth)
LINK_RULES = (Depth, Rel)
