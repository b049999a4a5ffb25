"""robots.txt: lines, groups and rules (RFC 9309), as Google's parser reads them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from sitecrawl.web.robots.usage_statements import Statement, shown, statement
from sitecrawl.web.urls.url import normalize, resolve, split

SIZE_LIMIT = 500 * 1024  # RFC 9309, 2.5
MAX_SHOWN_LENGTH = 500  # characters of a line, as shown with each URL that it disallows

_SPELLINGS = {
    "user-agent": ("user-agent", "useragent", "user agent"),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "allow": ("allow",),
    "crawl-delay": ("crawl-delay", "crawldelay", "crawl delay"),
    "sitemap": ("sitemap", "site-map", "sitemaps"),
    "content-signal": ("content-signal",),
    "content-usage": ("content-usage",),
    "license": ("license",),
    # Directives for other crawlers: known and ignored.
    "": ("host", "clean-param", "request-rate", "visit-time", "noindex"),
}
_NAMES = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
_LINE_END = re.compile(r"\r\n|\r|\n")
# Terminal control characters (ECMA-48): lines are shown in commands and in the log.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LONGEST = 16
MANY = 100
"""Number of rules up to which all are tried in turn; above it, the index selects candidates."""
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_OCTET = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?&=-]")
_PATTERN_OCTET = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?&=*-]")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_INDEX_PAGE = re.compile(r"/index\.html?$")
NOTICE_LIMIT = 50
PRODUCT = r"[A-Za-z0-9_-]+"
"""RFC 9309, 2.2.1, plus digits, which crawlers and files use (``MJ12bot``, ``008``)."""
_AGENT = re.compile(rf"\s*({PRODUCT}|\*(?!{PRODUCT}))")
_DELAY = re.compile(r"[0-9]{1,9}(?:\.[0-9]*)?|\.[0-9]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its text as shown, and its directive with the value.

    ``name`` is a key of the table above: empty for a known directive that is ignored, and None for
    a line that cannot be parsed.
    """

    number: int
    text: str
    name: str | None
    value: str


def read_lines(body: bytes | str) -> Iterator[Line]:
    """Yield the lines of a robots.txt body that are not blank, up to the size limit."""
    for number, text in enumerate(_LINE_END.split(_text_of(body)), 1):
        if content := text.partition("#")[0].strip():
            name, value = _directive(content)
            yield Line(number, _CONTROL.sub("\ufffd", text.strip()[:MAX_SHOWN_LENGTH]), name, value)


def _directive(content: str) -> tuple[str | None, str]:
    key, colon, value = content.partition(":")
    name = _NAMES.get(" ".join(key.lower().split()))
    if colon and name is not None:
        return name, value.strip()
    # Like the reference parser, accept a line of two words without a colon.
    words = content.split()
    name = _NAMES.get(words[0].lower()) if len(words) == 2 else None
    return name, words[-1]


def _text_of(body: bytes | str) -> str:
    """Return the text of a body; bytes that are not UTF-8 survive as surrogate escapes."""
    raw = _bytes_of(body)
    if len(raw) > SIZE_LIMIT:
        # Drop the line that the limit truncates: the whole line may mean something else.
        raw = raw[:SIZE_LIMIT]
        raw = raw[: max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1]
    if raw[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return raw.decode("utf-16", "replace")
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _bytes_of(body: bytes | str) -> bytes:
    return body.encode("utf-8", "replace") if isinstance(body, str) else body


@dataclass(frozen=True, slots=True)
class PieceIndex:
    """Index of patterns by a substring that occurs in every path they match.

    The substring is the end of the longest part between wildcards, in lower case: names in such
    lists begin alike (``?param1=``, ``?param2=``). Its length is a power of two, so that few
    lengths have to be tried at each position of a path.
    """

    by_piece: dict[str, list[int]]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, patterns: Iterable[tuple[str, ...]]) -> PieceIndex:
        """Build the index; each pattern is given as the parts between its wildcards."""
        by_piece: defaultdict[str, list[int]] = defaultdict(list)
        for number, parts in enumerate(patterns):
            part = max(parts, key=len)
            length = min(len(part), LONGEST)
            longest = 1 << length.bit_length() - 1 if length else 0
            by_piece[part[len(part) - longest :].lower()].append(number)
        return cls(dict(by_piece), tuple({len(piece) for piece in by_piece}))

    def among(self, paths: Iterable[str]) -> list[int]:
        """Return the numbers of the patterns that may match one of the paths, in order."""
        found: set[int] = set()
        for path in paths:
            folded = path.lower()
            for length in self.lengths:
                places = range(len(folded) - length + 1)
                pieces = {folded[at : at + length] for at in places}
                for piece in pieces & self.by_piece.keys():
                    found.update(self.by_piece[piece])
        return sorted(found)


@dataclass(frozen=True, slots=True)
class Rule:
    """One Allow or Disallow line; ``parts`` are the texts between its wildcards."""

    allow: bool
    parts: tuple[str, ...]
    anchored: bool
    length: int
    fold_case: bool
    line_number: int
    line: str

    @property
    def is_special(self) -> bool:
        """True if the rule needs more than a prefix comparison."""
        return self.anchored or self.fold_case or len(self.parts) > 1

    def matches(self, path: str) -> bool:
        """Return True if the rule matches ``path``, given in the form of ``spellings``."""
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
    """The rules of one group, in order of precedence.

    Most are plain prefixes: one ``startswith`` over ``prefixes`` saves trying each of a thousand
    rules (360 µs), and leaves the ``special`` ones. A file may have 20,000 of those, which take 20
    ms for each URL: ``index`` finds the few that may match.
    """

    rules: tuple[Rule, ...]
    special: tuple[Rule, ...]
    prefixes: tuple[str, ...]
    index: PieceIndex | None

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """Sort the longest first, and Allow before Disallow of equal length (RFC 9309, 2.2.2)."""
        ordered = tuple(sorted(rules, key=lambda rule: (-rule.length, not rule.allow)))
        special = tuple(rule for rule in ordered if rule.is_special)
        prefixes = tuple(rule.parts[0] for rule in ordered if not rule.is_special)
        many = len(ordered) > MANY
        index = PieceIndex.of(rule.parts for rule in ordered) if many else None
        return cls(ordered, special, prefixes, index)

    def deciding(self, url: str) -> Rule | None:
        """Return the rule that decides about a resolved URL, or None if none matches."""
        paths = spellings(url)
        plain = any(path.startswith(self.prefixes) for path in paths)
        rules: Sequence[Rule] = self.rules if plain else self.special
        if self.index is not None and len(rules) > MANY:
            rules = [self.rules[number] for number in self.index.among(paths)]
        return next((rule for rule in rules if any(map(rule.matches, paths))), None)


def read_rule(
    value: str, *, allow: bool, fold_case: bool = False, line_number: int = 0, line: str = ""
) -> list[Rule]:
    """Return the rules of one Allow or Disallow value: none if it is empty, else one or two.

    The second, as in the reference parser, allows the URL of the folder whose index page is
    allowed.
    """
    pattern = _pattern(value)
    if not pattern:
        return []
    patterns = [pattern]
    if allow and _INDEX_PAGE.search(pattern):
        patterns.append(_INDEX_PAGE.sub("/$", pattern))
    rules = []
    for each in patterns:
        compared = each.lower() if fold_case else each
        parts = tuple(re.split(r"\*+", compared.removesuffix("$")))
        anchored = compared.endswith("$")
        rules.append(Rule(allow, parts, anchored, len(each), fold_case, line_number, line))
    return rules


def names_other_host(value: str, origin: str) -> bool:
    """Return True if a rule's value is a URL on another host than that of ``origin``.

    Hosts with and without www. are the same. The result is False if the origin is unknown, or if
    the value has no host or a pattern as host.
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
    """Return path and query of a resolved URL in the normalized form that rules are compared with.

    Two forms if the query contains ``%2F``, which there means the same as a slash.
    """
    start = url.find("/", url.find("://") + 3)
    path = _OCTET.sub(_octet, url[start:] if start >= 0 else "/")
    plain = _plain_query(path)
    return (path,) if plain == path else (path, plain)


def _pattern(value: str) -> str:
    """Return a rule's value from the root, in the normalized form of URLs."""
    if not value:
        return ""
    value = _ABSOLUTE.sub("", value, count=1) or "/" if _ABSOLUTE.match(value) else value
    if value[0] not in "/*":
        value = "/" + value
    anchor = "$" if value.endswith("$") else ""
    return _plain_query(_PATTERN_OCTET.sub(_octet, value.removesuffix("$"))) + anchor


def _octet(match: re.Match[str]) -> str:
    """Normalize one character: unreserved ones plain, the others as %XX (2.2.2)."""
    if match[1] is None:
        octets = match[0].encode("utf-8", "surrogateescape")
        return "".join(f"%{octet:02X}" for octet in octets)
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _plain_query(path: str) -> str:
    """Return ``path`` with the slashes of its query decoded."""
    path, mark, query = path.partition("?")
    return path + mark + query.replace("%2F", "/")


@dataclass(frozen=True, slots=True)
class RobotsMatch:
    """Decision about one URL, and the deciding line: 0 and empty if there is none."""

    allowed: bool
    line_number: int = 0
    line: str = ""


@dataclass(frozen=True, slots=True)
class RobotsNotice:
    """An ignored line, and the reason.

    ``problem`` is ``unknown_directive``, ``outside_group``, ``bad_crawl_delay``, ``bad_sitemap``,
    ``other_host``, ``html`` or ``cut``.
    """

    line_number: int
    line: str
    problem: str


@dataclass(frozen=True, slots=True)
class _UsageLine:
    """A statement about the use of the pages that ``rule`` matches; of all without one."""

    name: str
    said: Statement
    rule: Rule | None = None

    def length(self, paths: Sequence[str]) -> int:
        """Return the length of the pattern; -1 if it matches none of the paths."""
        if self.rule is None:
            return 0
        return self.rule.length if any(map(self.rule.matches, paths)) else -1


@dataclass(slots=True)
class _Part:
    """Rules for one list of user agents; ``rules`` and ``usage`` are shared by the parts of one list.

    Crawl-delay lines end a part, because they do not apply to the agents that follow.
    """

    rules: list[Rule] = field(default_factory=list)
    usage: list[_UsageLine] = field(default_factory=list)
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """Combined parts of one user agent (RFC 9309, 2.2.1)."""

    rules: RuleSet
    usage: tuple[_UsageLine, ...]
    delay: float | None

    @classmethod
    def of(cls, parts: list[_Part]) -> _Group:
        """Combine parts: each list of rules once, and the largest delay."""
        lists = {id(part.rules): part.rules for part in parts}
        usage = {id(part.usage): part.usage for part in parts}
        delays = [part.delay for part in parts if part.delay is not None]
        return cls(
            RuleSet.of(chain.from_iterable(lists.values())),
            tuple(chain.from_iterable(usage.values())),
            max(delays, default=None),
        )


@dataclass(slots=True)
class RobotsTxt:
    """One parsed robots.txt file.

    ``origin`` is the base of relative Sitemap values, and the origin that the rules apply to.
    Groups are combined on request: thousands of agents may share thousands of rules.
    """

    origin: str = ""
    sitemaps: dict[str, None] = field(default_factory=dict)
    notices: list[RobotsNotice] = field(default_factory=list)
    licenses: list[Statement] = field(default_factory=list)
    signals: list[Statement] = field(default_factory=list)
    parts: dict[str, list[_Part]] = field(default_factory=dict)
    _groups: dict[str, _Group] = field(default_factory=dict)

    @classmethod
    def parse(
        cls, body: bytes | str, *, origin: str = "", case_insensitive_disallow: bool = False
    ) -> Self:
        """Parse a file; never raises."""
        robots = cls(origin)
        parser = _Parser(robots, case_insensitive_disallow)
        for line in read_lines(body):
            parser.read(line)
        parser.end_list()
        if len(_bytes_of(body)) > SIZE_LIMIT:
            robots.notices.append(RobotsNotice(0, "", "cut"))
        return robots

    def match(self, url: str, agent: str) -> RobotsMatch:
        """Match a resolved URL for ``agent``, a product token or a whole User-Agent."""
        rule = self._group(agent).rules.deciding(url)
        if rule is not None and "/robots.txt" in url:  # itself is allowed (RFC 9309, 2.2.2)
            rule = None if spellings(url)[0].partition("?")[0] == "/robots.txt" else rule
        if rule is None:
            return RobotsMatch(allowed=True)
        return RobotsMatch(rule.allow, rule.line_number, rule.line)

    def crawl_delay(self, agent: str) -> float | None:
        """Return the crawl delay for ``agent`` in seconds, or None."""
        return self._group(agent).delay

    def usage(self, url: str, agent: str) -> Iterator[Statement]:
        """Yield the statements about the use of a resolved URL.

        Of the Content-Usage lines of a group those with the longest pattern apply (aipref-attach-05).
        A Content-Signal outside of groups applies if the group has none.
        """
        lines = self._group(agent).usage
        if lines:
            paths = spellings(url)
            preferences = [line for line in lines if line.name == "content-usage"]
            longest = max((line.length(paths) for line in preferences), default=-1)
            yield from (p.said for p in preferences if p.length(paths) == longest >= 0)
        signals = [line.said for line in lines if line.name == "content-signal"]
        yield from signals or self.signals
        yield from self.licenses

    def _group(self, agent: str) -> _Group:
        """Return the group of ``agent``: its own, else that of ``*``."""
        group = self._groups.get(agent)
        if group is None:
            parts = self.parts.get(product_token(agent)) or self.parts.get("*", [])
            group = self._groups[agent] = _Group.of(parts)
        return group


@dataclass(slots=True)
class _Parser:
    """Parser of the lines of one ``file``, with the parts of the list of agents that it is in."""

    file: RobotsTxt
    fold_disallow: bool
    _list: list[_Part] = field(default_factory=list)
    _has_rules: bool = False

    def read(self, line: Line) -> None:
        """Add one line."""
        match line.name:
            case "user-agent":
                self._user_agent(line)
            case "allow" | "disallow":
                self._rule(line)
            case "crawl-delay":
                self._crawl_delay(line)
            case "sitemap":
                self._sitemap(line)
            case "content-usage" | "content-signal" | "license":
                self._usage(line)
            case None:
                html = line.text.startswith("<")
                self._notice(line, "html" if html else "unknown_directive")

    def _user_agent(self, line: Line) -> None:
        """Start a list of agents, or add to the current one: only rules end it."""
        if self._has_rules:
            self.end_list()
        if not (token := product_token(line.value)):
            return
        if not self._list:
            self._list = [_Part()]
        elif self._list[-1].delay is not None:
            self._list.append(_Part(self._list[-1].rules, self._list[-1].usage))
        parts = self.file.parts.setdefault(token, [])
        if not parts or parts[-1] is not self._list[-1]:
            parts.append(self._list[-1])

    def end_list(self) -> None:
        """End the list of agents: a delay applies to all agents listed before it."""
        longest = None
        for part in reversed(self._list):
            longest = part.delay = _longer(part.delay, longest)
        self._list, self._has_rules = [], False

    def _rule(self, line: Line) -> None:
        self._has_rules = True
        if not self._list:
            self._notice(line, "outside_group")
            return
        if names_other_host(line.value, self.file.origin):
            self._notice(line, "other_host")
            return
        allow = line.name == "allow"
        rules = read_rule(
            line.value,
            allow=allow,
            fold_case=self.fold_disallow and not allow,
            line_number=line.number,
            line=_printable(line.text),
        )
        self._list[-1].rules.extend(rules)

    def _crawl_delay(self, line: Line) -> None:
        if not self._list or not _DELAY.fullmatch(line.value):
            self._notice(line, "bad_crawl_delay" if self._list else "outside_group")
            return
        self._list[-1].delay = _longer(self._list[-1].delay, float(line.value))

    def _usage(self, line: Line) -> None:
        """Add what the line says about usage.

        A Content-Signal may stand outside of groups; a License, an absolute URL, concerns the whole
        site wherever it stands (RSL 1.0, 4.4).
        """
        if line.name == "license":
            url = _printable(line.value)
            if url.startswith(("http://", "https://")) and len(self.file.licenses) < NOTICE_LIMIT:
                text = shown(_printable(line.text))
                said = Statement("robots.txt", text, line=line.number, license=url)
                self.file.licenses.append(said)
        elif self._list:
            self._list[-1].usage.append(_usage_line(line))
        elif line.name == "content-signal":
            self.file.signals.append(_usage_line(line).said)
        else:
            self._notice(line, "outside_group")
        self._has_rules |= line.name == "content-usage"

    def _sitemap(self, line: Line) -> None:
        url = resolve(_printable(line.value), f"{self.file.origin}/robots.txt") or ""
        if line.value and url.startswith(("http://", "https://")):
            self.file.sitemaps[url] = None
        else:
            self._notice(line, "bad_sitemap")

    def _notice(self, line: Line, problem: str) -> None:
        if len(self.file.notices) < NOTICE_LIMIT:
            self.file.notices.append(
                RobotsNotice(line.number, _printable(line.text)[:200], problem)
            )


def _usage_line(line: Line) -> _UsageLine:
    """Read a Content-Usage, which may begin with a pattern, or a Content-Signal."""
    name, value, rules = line.name or "", line.value, []
    if name == "content-usage" and value.startswith(("/", "*")):
        pattern, _, value = value.partition(" ")
        rules = read_rule(pattern, allow=False)
    text = _printable(line.text)
    said = statement("robots.txt", name, _printable(value), line=line.number, text=text)
    return _UsageLine(name, said, rules[0] if rules else None)


def product_token(agent: str) -> str:
    """Return the lower-case product token of a User-Agent: ``bot`` for ``Bot/1.0 (x)``.

    ``*`` in a line is a token too; empty if there is none.
    """
    found = _AGENT.match(agent)
    return found[1].lower() if found else ""


def _longer(one: float | None, other: float | None) -> float | None:
    return one if other is None else max(one or 0.0, other)


def _printable(text: str) -> str:
    """Return ``text`` with undecodable bytes replaced by U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
