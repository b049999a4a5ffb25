"""The path rules of robots.txt: patterns, their spelling, and which one decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitecrawl.web.robots_index import PieceIndex
from sitecrawl.web.urls import normalize, split

MANY = 100
"""So many rules are tried one after the other; of more, those that come into question."""

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_OCTET = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?&=-]")
_PATTERN_OCTET = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?&=*-]")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_INDEX_PAGE = re.compile(r"/index\.html?$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One Allow or Disallow line; ``parts`` are what stands between its wildcards."""

    allow: bool
    parts: tuple[str, ...]
    anchored: bool
    length: int
    fold_case: bool
    line_number: int
    line: str

    @property
    def is_special(self) -> bool:
        """Whether the rule is more than a prefix to compare."""
        return self.anchored or self.fold_case or len(self.parts) > 1

    def matches(self, path: str) -> bool:
        """Whether the rule speaks of ``path``, which is as ``spellings`` gives it."""
        if self.fold_case:
            path = path.lower()
        first, *rest = self.parts
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.anchored or len(path) == at
        for part in rest[:-1] if self.anchored else rest:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return not self.anchored or (len(path) - at >= len(rest[-1]) and path.endswith(rest[-1]))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one group, those that decide first at the front.

    Most are plain prefixes: one ``startswith`` over ``prefixes`` spares trying each of a
    thousand rules (360 µs), and leaves those that are ``special``. There may be 20,000 of those
    in a file, which take 20 ms for each URL: ``index`` finds the few that may match.
    """

    rules: tuple[Rule, ...]
    special: tuple[Rule, ...]
    prefixes: tuple[str, ...]
    index: PieceIndex | None

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """The longest first, and of equally long ones Allow (RFC 9309, 2.2.2)."""
        ordered = tuple(sorted(rules, key=lambda rule: (-rule.length, not rule.allow)))
        special = tuple(rule for rule in ordered if rule.is_special)
        prefixes = tuple(rule.parts[0] for rule in ordered if not rule.is_special)
        many = len(ordered) > MANY
        index = PieceIndex.of(rule.parts for rule in ordered) if many else None
        return cls(ordered, special, prefixes, index)

    def deciding(self, url: str) -> Rule | None:
        """The rule that decides about a resolved URL, or None if none speaks of it."""
        paths = spellings(url)
        plain = any(path.startswith(self.prefixes) for path in paths)
        rules: Sequence[Rule] = self.rules if plain else self.special
        if self.index is not None and len(rules) > MANY:
            rules = [self.rules[number] for number in self.index.among(paths)]
        return next((rule for rule in rules if any(map(rule.matches, paths))), None)


def read_rule(
    value: str, *, allow: bool, fold_case: bool = False, line_number: int = 0, line: str = ""
) -> list[Rule]:
    """The rules that one Allow or Disallow value makes: none if empty, else one or two.

    The second, as in the reference parser, says that who allows an index page allows its
    folder's URL too.
    """
    pattern = _pattern(value)
    if not pattern:
        return []
    patterns = [pattern]
    if allow and _INDEX_PAGE.search(pattern):
        patterns.append(_INDEX_PAGE.sub("/$", pattern))
    return [
        Rule(allow, *_compared(each, fold_case=fold_case), fold_case, line_number, line)
        for each in patterns
    ]


def names_other_host(value: str, origin: str) -> bool:
    """Whether a rule's value is an address on another host than that of ``origin``.

    With and without www. a host counts as one; an origin that is not known has every host, and
    a pattern or no host at all is every origin's.
    """
    written = _ABSOLUTE.match(value)
    if not origin or written is None or written[0].endswith("//"):
        return False
    named, own = (
        split(normalize(address) or address).host.removeprefix("www.")
        for address in (value, origin)
    )
    return named != own and "*" not in named


def spellings(url: str) -> tuple[str, ...]:
    """Path and query of a resolved URL in the one spelling that rules are compared in.

    Two where the query holds ``%2F``, which there means the same as a slash.
    """
    start = url.find("/", url.find("://") + 3)
    path = _OCTET.sub(_octet, url[start:] if start >= 0 else "/")
    plain = _plain_query(path)
    return (path,) if plain == path else (path, plain)


def _compared(pattern: str, *, fold_case: bool) -> tuple[tuple[str, ...], bool, int]:
    """The parts of a pattern, whether it is anchored at the end, and its length."""
    compared = pattern.lower() if fold_case else pattern
    parts = tuple(re.split(r"\*+", compared.removesuffix("$")))
    return parts, compared.endswith("$"), len(pattern)


def _pattern(value: str) -> str:
    """A rule's value in the spelling that URLs are compared in, from the root."""
    if not value:
        return ""
    value = _ABSOLUTE.sub("", value, count=1) or "/" if _ABSOLUTE.match(value) else value
    if value[0] not in "/*":
        value = "/" + value
    anchor = "$" if value.endswith("$") else ""
    return _plain_query(_PATTERN_OCTET.sub(_octet, value.removesuffix("$"))) + anchor


def _octet(match: re.Match[str]) -> str:
    """One character as compared: unreserved ones plain, the others as %XX (2.2.2)."""
    if match[1] is None:
        octets = match[0].encode("utf-8", "surrogateescape")
        return "".join(f"%{octet:02X}" for octet in octets)
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _plain_query(path: str) -> str:
    """``path`` with the slashes of its query decoded."""
    path, mark, query = path.partition("?")
    return path + mark + query.replace("%2F", "/")
