"""Rules that depend on the URL alone, and rules on the link to it.

A rule declares on its class the reason of its refusals with options and documentation, its effect
on starts, and its construction. It is registered in the tuple of its kind: at the end of this file,
or in rule_engine.py if it is a rule on links.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.web.feeds.listings import LISTING_XML
from sitecrawl.web.files.formats import wanted_extensions
from sitecrawl.web.urls.identity import normal_form, normal_pattern, normal_text
from sitecrawl.web.urls.url import UrlParts, origin, split

# The lists of two published crawlers, without searchable text (txt, xml, html-like suffixes),
# and with newer kinds of files.
_LIST = """
    7z aac apk asf avi avif bat bin bmp bz2 cab class cmd com cpl css csv deb dll dmg doc docx
    eot eps epub exe flac flv gif gz heic hta ico inf iso jar jpe jpeg jpg js json log m3u m4a
    m4v mjs mid midi mkv mov mp3 mp4 mpeg mpg msi msp odp ods odt ogg ogv old opus otf pdf
    pif png ppt pptx ps ps1 psd qt ra ram rar reg rpm rtf scr sig so svg swf tar tbz tgz tif
    tiff torrent ttf vb vbe vbs vob wasm wav weba webm webp whl wma wmv woff woff2 xls xlsx xz
    zip zst
"""
IGNORED_EXTENSIONS = tuple(_LIST.split())
_SUPPORTING = frozenset({"stylesheet", "icon", "preload", "dns-prefetch", "preconnect"})


class Target(NamedTuple):
    """A resolved URL in its normal form with the parts of that, parsed once for all rules.

    Escaped letters are decoded in it; ``as_found`` is the URL that is requested.
    """

    url: str
    origin: str
    parts: UrlParts
    as_found: str


@lru_cache(maxsize=1024)  # called by the rules, the limits and the fetch in turn
def read_target(url: str) -> Target:
    """Return the normal form of a resolved URL, and its parts."""
    normal = normal_form(url)
    return Target(normal, origin(normal), split(normal), url)


def extension(path: str) -> str:
    """Return the lower-case extension of a URL path's last segment, "" if it has none."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0:
        return ""
    return name[dot + 1 :].partition(";")[0].lower()


class OnStarts(Enum):
    """Effect of a rule on starts, which were requested explicitly."""

    REFUSES = "refuses them as it does links"
    EXEMPTS = "does not apply to them"
    ONLY_FOR_LINKS = "keeps them out of the index, not their links from being followed"


@dataclass(slots=True, kw_only=True)
class _Treatment:
    """Base of rules and changes: ``value`` is that of the option that they apply, as ``read`` returns
    it, ``setting`` that option with its value and source.
    """

    wanted: ClassVar[str] = ""
    """The value by which the option asks for the treatment; else any does that is not empty."""
    value: Any = None
    setting: str = ""

    @staticmethod
    def read(value: Any, /) -> Any:
        """Return the value of the option in the form that the treatment needs."""
        return value

    @classmethod
    def build_by(cls, option: str, options: OptionValues) -> Self | None:
        """Build the treatment; None if the option does not ask for it."""
        value = options.value(option)
        if not value or (cls.wanted and value != cls.wanted):
            return None
        return cls(value=cls.read(value), setting=options.setting(option))


class UrlRule(_Treatment, ABC):
    """A rule that depends on the URL alone."""

    reason: ClassVar[RefusalReason]
    on_starts: ClassVar[OnStarts] = OnStarts.REFUSES

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the rule by the first option of its reason, if it has any."""
        if not cls.reason.options:
            return cls(setting=cls.reason.premise)
        return cls.build_by(cls.reason.options[0], options)

    @abstractmethod
    def refusal(self, target: Target) -> str:
        """Return the text of the refusal with the deciding value, or "" if the URL passes."""


class UrlChange(_Treatment, ABC):
    """A treatment that rewrites the URL."""

    name: ClassVar[str]
    option: ClassVar[str]

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the treatment by its option."""
        return cls.build_by(cls.option, options)

    @abstractmethod
    def change(self, url: str) -> str:
        """Return the URL after the treatment; the same text if it does not apply."""


class LinkRule(_Treatment):
    """A rule on the place of a link."""

    reason: ClassVar[RefusalReason]

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the rule by the option of its reason, whatever its value is."""
        option = cls.reason.options[0]
        return cls(value=cls.read(options.value(option)), setting=options.setting(option))


class Schemes(UrlRule):
    """Refuse schemes that are not listed: mailto, javascript, ftp and everything else."""

    reason = RefusalReason(
        "scheme",
        "a scheme that is not crawled (`schemes`), such as `javascript:` and `data:`",
        options=("schemes",),
    )

    @staticmethod
    def read(value: tuple[str, ...], /) -> frozenset[str]:
        """Return the listed schemes in lower case."""
        return frozenset(map(str.lower, value))

    def refusal(self, target: Target) -> str:
        """Refuse every other scheme."""
        scheme = target.parts.scheme
        return "" if scheme in self.value else f"{self.setting}: {scheme or target.url!r}"


class WellFormed(UrlRule):
    """Refuse URLs without host."""

    reason = RefusalReason(
        "malformed",
        "no host, no valid URL, or another site's URL behind a folder (`folder/http://host`)",
        premise="every URL needs a host",
    )

    def refusal(self, target: Target) -> str:
        """Refuse a URL without host."""
        return "" if target.parts.host else f"{self.setting}: {target.url!r}"


class Length(UrlRule):
    """Limit the length of an absolute URL, in characters, as it would be requested."""

    reason = RefusalReason("length", "too long (`max_url_length`)", options=("max_url_length",))

    def refusal(self, target: Target) -> str:
        """Refuse a longer URL."""
        length = len(target.as_found)
        return "" if length <= self.value else f"{self.setting}: {length} characters"


class RepeatedDirectories(UrlRule):
    """Limit the repetitions of a directory name in a path.

    Repeats of several names add up, so that ``/a/b/a/b/a/b`` is refused too; names of
    digits only (dates, ids) do not add up.
    """

    reason = RefusalReason(
        "repeated_directory",
        "a directory name too often in the path (`max_repeated_directory`)",
        options=("max_repeated_directory",),
    )

    def refusal(self, target: Target) -> str:
        """Refuse a path in which one name, or all names together, repeat too often."""
        if target.parts.path.count("/") <= self.value + 1:
            return ""
        names = Counter(name for name in target.parts.path.split("/")[1:-1] if name)
        name, times = next(iter(names.most_common(1)), ("", 0))
        repeats = sum(count - 1 for name, count in names.items() if not name.isdecimal())
        if times <= self.value and repeats <= self.value:
            return ""
        return f"{self.setting}: {name!r} {times} times, {repeats} repeats in all"


class PathDepth(UrlRule):
    """Limit the number of directories in a path."""

    reason = RefusalReason(
        "path_depth", "too many directories (`max_path_depth`)", options=("max_path_depth",)
    )

    def refusal(self, target: Target) -> str:
        """Refuse a path of more directories."""
        directories = target.parts.path.count("/") - 1
        return "" if directories <= self.value else f"{self.setting}: {directories} directories"


def ignored_extensions(options: OptionValues) -> dict[str, str]:
    """Return the extensions that are not fetched, each with the setting of the list with it.

    Extensions of files that become documents are removed from the default list.
    """
    lists = ["ignore_extensions", "always_ignored_extensions"]
    if options.value("ignore_extensions") is None:
        lists[:1] = ["default_ignored_extensions"]
    wanted = wanted_extensions(options.value("content_types"))
    found = {
        name: words
        for option in lists
        for name, words in options.entries(option)
        if option != "default_ignored_extensions" or name not in wanted
    }
    if options.value("mode") in LISTING_XML:  # links must not lead to XML documents
        found.pop("xml", None)
    return found


class Extensions(UrlRule):
    """Refuse ignored extensions, each with the setting that lists it."""

    reason = RefusalReason(
        "extension",
        "a file extension that is not fetched (`ignore_extensions`)",
        options=("ignore_extensions", "default_ignored_extensions", "always_ignored_extensions"),
    )
    on_starts = OnStarts.EXEMPTS

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the rule from all applicable lists of extensions."""
        ignored = ignored_extensions(options)
        return cls(value=ignored, setting=f"{len(ignored)} ignored extensions")

    def refusal(self, target: Target) -> str:
        """Refuse by the end of the path; host and query are ignored."""
        suffix = extension(target.parts.path)
        return self.value.get(suffix, "") if suffix else ""


class _ListRule(UrlRule):
    """Base of the rules with a list of entries, each with its own setting."""

    @staticmethod
    def read(value: str, /) -> Any:
        """Parse an entry: a text in the normal form of URLs."""
        return normal_text(value)

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the rule from the listed entries, if any."""
        option = cls.reason.name
        entries = [(cls.read(entry), words) for entry, words in options.entries(option)]
        return cls(value=entries, setting=options.setting(option)) if entries else None


def read_pattern(entry: str) -> re.Pattern[str]:
    """Compile an entry of ``allow`` or ``deny``, which is compared with the normal form of URLs."""
    return re.compile(normal_pattern(entry))


class Deny(_ListRule):
    """Refuse URLs that match a regular expression, in their normal form or as they were found.

    A pattern may concern escapes themselves: ``%[0-9A-F]{2}``, ``100%$``.
    """

    reason = RefusalReason("deny", "matches `deny`", options=("deny",))
    read = staticmethod(read_pattern)

    def refusal(self, target: Target) -> str:
        """Refuse a URL that a pattern matches."""
        for url in dict.fromkeys((target.url, target.as_found)):
            for pattern, words in self.value:
                if pattern.search(url):
                    return str(words)
        return ""


class Allow(_ListRule):
    """Refuse URLs that match none of the regular expressions."""

    reason = RefusalReason("allow", "matches no pattern of `allow`", options=("allow",))
    on_starts = OnStarts.ONLY_FOR_LINKS
    read = staticmethod(read_pattern)

    def refusal(self, target: Target) -> str:
        """Refuse a URL that no pattern matches."""
        found = any(pattern.search(target.url) for pattern, _ in self.value)
        return "" if found else f"no match of {self.setting}"


class Contains(_ListRule):
    """Refuse URLs that, without fragment, contain none of the substrings."""

    reason = RefusalReason("contains", "has none of the words of `contains`", options=("contains",))
    on_starts = OnStarts.ONLY_FOR_LINKS

    def refusal(self, target: Target) -> str:
        """Refuse a URL that contains none of them."""
        found = any(substring in target.url for substring, _ in self.value)
        return "" if found else f"none of {self.setting}"


class NotContains(_ListRule):
    """Refuse URLs that contain a substring."""

    reason = RefusalReason(
        "not_contains", "has one of the words of `not_contains`", options=("not_contains",)
    )

    def refusal(self, target: Target) -> str:
        """Refuse a URL that contains any of them."""
        return next((words for substring, words in self.value if substring in target.url), "")


def read_policy(entry: str) -> re.Pattern[str]:
    """Parse a policy into a pattern on the whole URL.

    An entry is a host, a path prefix (``/private/``, any origin) or a URL prefix; ``*`` matches
    any characters, a final ``$`` the end of the URL, and repeated slashes count as one, as on
    servers. Raises ValueError for others.
    """
    end = "$" if entry.endswith("$") else ""
    body = re.escape(normal_text(entry.removesuffix("$"))).replace(r"\*", ".*").replace("/", "/+")
    if entry.startswith(("/", "*")):
        return re.compile(f"[a-z][a-z0-9+.-]*://[^/]*{body}{end}")
    if "://" in entry:
        return re.compile(body + end)
    if re.fullmatch(r"[^/\s,:]+\.[^/\s,:]+(:\d+)?", entry):
        return re.compile(rf"[a-z][a-z0-9+.-]*://([^/]+\.)?{re.escape(entry.lower())}(:\d+)?(/|$)")
    raise ValueError(f"{entry!r} is neither a host, nor a path from the root, nor a URL")


class DoNotCrawl(_ListRule):
    """Refuse URLs that a policy covers."""

    reason = RefusalReason("do_not_crawl", "matches `do_not_crawl`", options=("do_not_crawl",))
    read = staticmethod(read_policy)

    def refusal(self, target: Target) -> str:
        """Refuse a URL that a policy covers."""
        return next((words for policy, words in self.value if policy.match(target.url)), "")


class Depth(LinkRule):
    """Limit the number of links from a start; None for no limit."""

    reason = RefusalReason(
        "depth", "too many links from a start (`max_depth`)", options=("max_depth",)
    )

    def decide(self, depth: int) -> Decision:
        """Refuse a URL that is more links away; a start has depth 0."""
        if self.value is None or depth <= self.value:
            return ALLOWED
        return self.reason.refuse(f"{self.setting}: depth {depth}")


class Rel(LinkRule):
    """Refuse links by tokens of ``rel``."""

    reason = RefusalReason(
        "rel", "the link or its page says nofollow or noindex (`nofollow`)", options=("nofollow",)
    )

    @staticmethod
    def read(value: str, /) -> frozenset[str]:
        """Return the tokens that are obeyed."""
        return frozenset(() if value == "ignore" else ("nofollow", "noindex"))

    def decide(self, rel: frozenset[str]) -> Decision:
        """Refuse a link whose rel has such a token; tokens are case-insensitive."""
        tokens = {token.lower() for token in rel}
        if found := tokens & _SUPPORTING:
            return self.reason.refuse(f"rel={min(found)} is not a page")
        if found := tokens & self.value:
            return self.reason.refuse(f"rel={min(found)}, {self.setting}")
        return ALLOWED


FORM_RULES = (Schemes, WellFormed)
SIZE_RULES = (Length, Extensions)
PATTERN_RULES = (Contains, NotContains, Deny, Allow, DoNotCrawl)
PATH_RULES = (RepeatedDirectories, PathDepth)
