"""robots.txt as RFC 9309 and Google's parser read it, every verdict with its line.

Not by Protego: it cannot tell which line decided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

from sitecrawl.web.robots_lines import Line, is_cut, read_lines
from sitecrawl.web.robots_rules import Rule, RuleSet, names_other_host, read_rule
from sitecrawl.web.urls import resolve

NOTICE_LIMIT = 50

PRODUCT = r"[A-Za-z0-9_-]+"
"""RFC 9309, 2.2.1, which has no digits; crawlers and files have them (``MJ12bot``, ``008``)."""

_AGENT = re.compile(rf"\s*({PRODUCT}|\*(?!{PRODUCT}))")
_DELAY = re.compile(r"[0-9]{1,9}(?:\.[0-9]*)?|\.[0-9]+")


@dataclass(frozen=True, slots=True)
class RobotsMatch:
    """The verdict about one URL, and the line that decided: 0 and empty if none did."""

    allowed: bool
    line_number: int = 0
    line: str = ""


@dataclass(frozen=True, slots=True)
class RobotsNotice:
    """A line that was passed over, and why.

    ``problem`` is ``unknown_directive``, ``outside_group``, ``bad_crawl_delay``,
    ``bad_sitemap``, ``other_host``, ``html`` or ``cut``.
    """

    line_number: int
    line: str
    problem: str


@dataclass(slots=True)
class _Part:
    """What a list of agents is told; ``rules`` are shared by the parts of one list.

    A part ends with its Crawl-delay lines: agents that follow are not bound by those.
    """

    rules: list[Rule] = field(default_factory=list)
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """What all parts about one user agent say together (RFC 9309, 2.2.1)."""

    rules: RuleSet
    delay: float | None

    @classmethod
    def of(cls, parts: list[_Part]) -> _Group:
        """The rules of the parts, each list of them once, and the largest delay."""
        lists = {id(part.rules): part.rules for part in parts}
        delays = [part.delay for part in parts if part.delay is not None]
        return cls(RuleSet.of(chain.from_iterable(lists.values())), max(delays, default=None))


@dataclass(slots=True)
class RobotsTxt:
    """What one robots.txt file asks of every crawler.

    Groups are put together for those who ask: thousands of agents may share thousands of rules.
    """

    sitemaps: tuple[str, ...] = ()
    notices: tuple[RobotsNotice, ...] = ()
    _parts: dict[str, list[_Part]] = field(default_factory=dict)
    _groups: dict[str, _Group] = field(default_factory=dict)

    @classmethod
    def parse(
        cls, body: bytes | str, *, origin: str = "", case_insensitive_disallow: bool = False
    ) -> RobotsTxt:
        """Read a file; nothing in it raises.

        ``origin`` is what a relative Sitemap refers to, and whose paths rules speak of.
        """
        reader = _Reader(origin, case_insensitive_disallow)
        for line in read_lines(body):
            reader.read(line)
        if is_cut(body):
            reader.notices.append(RobotsNotice(0, "", "cut"))
        reader.end_list()
        return cls(tuple(dict.fromkeys(reader.sitemaps)), tuple(reader.notices), reader.parts)

    def match(self, url: str, agent: str) -> RobotsMatch:
        """Whether ``agent``, a product token or a whole User-Agent, may fetch a resolved URL."""
        rule = self._group(agent).rules.deciding(url)
        if rule is None or (not rule.allow and _is_robots_txt(url)):
            return RobotsMatch(allowed=True)
        return RobotsMatch(rule.allow, rule.line_number, rule.line)

    def crawl_delay(self, agent: str) -> float | None:
        """The seconds between requests that are asked of ``agent``."""
        return self._group(agent).delay

    def _group(self, agent: str) -> _Group:
        """The group that binds ``agent``: its own, or else everybody's."""
        group = self._groups.get(agent)
        if group is None:
            parts = self._parts.get(product_token(agent)) or self._parts.get("*", [])
            group = self._groups[agent] = _Group.of(parts)
        return group


@dataclass(slots=True)
class _Reader:
    """Puts lines together to parts, by agent, from the first line to the last."""

    origin: str
    fold_disallow: bool
    parts: dict[str, list[_Part]] = field(default_factory=dict)
    sitemaps: list[str] = field(default_factory=list)
    notices: list[RobotsNotice] = field(default_factory=list)
    _current: list[_Part] = field(default_factory=list)
    _has_rules: bool = False

    def read(self, line: Line) -> None:
        """Take one line in."""
        match line.name:
            case "user-agent":
                self._user_agent(line)
            case "allow" | "disallow":
                self._rule(line)
            case "crawl-delay":
                self._crawl_delay(line)
            case "sitemap":
                self._sitemap(line)
            case None:
                html = line.text.startswith("<")
                self._notice(line, "html" if html else "unknown_directive")

    def _user_agent(self, line: Line) -> None:
        """A new list of agents, or one more of this one: only rules end it."""
        if self._has_rules:
            self.end_list()
        if not (token := product_token(line.value)):
            return
        if not self._current:
            self._current = [_Part()]
        elif self._current[-1].delay is not None:
            self._current.append(_Part(self._current[-1].rules))
        parts = self.parts.setdefault(token, [])
        if not parts or parts[-1] is not self._current[-1]:
            parts.append(self._current[-1])

    def end_list(self) -> None:
        """No more agents follow: a delay binds all that were listed before it."""
        longest = None
        for part in reversed(self._current):
            longest = part.delay = _longer(part.delay, longest)
        self._current, self._has_rules = [], False

    def _rule(self, line: Line) -> None:
        self._has_rules = True
        if not self._current:
            self._notice(line, "outside_group")
            return
        if names_other_host(line.value, self.origin):
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
        self._current[-1].rules.extend(rules)

    def _crawl_delay(self, line: Line) -> None:
        if not self._current or not _DELAY.fullmatch(line.value):
            self._notice(line, "bad_crawl_delay" if self._current else "outside_group")
            return
        self._current[-1].delay = _longer(self._current[-1].delay, float(line.value))

    def _sitemap(self, line: Line) -> None:
        url = resolve(_printable(line.value), f"{self.origin}/robots.txt") or ""
        if line.value and url.startswith(("http://", "https://")):
            self.sitemaps.append(url)
        else:
            self._notice(line, "bad_sitemap")

    def _notice(self, line: Line, problem: str) -> None:
        if len(self.notices) < NOTICE_LIMIT:
            self.notices.append(RobotsNotice(line.number, _printable(line.text)[:200], problem))


def product_token(agent: str) -> str:
    """The product token of a User-Agent header or line in lower case: ``Bot/1.0 (x)`` is ``bot``.

    ``*`` of a line is a token too; empty where there is none.
    """
    found = _AGENT.match(agent)
    return found[1].lower() if found else ""


def _longer(one: float | None, other: float | None) -> float | None:
    """The longer one of two delays that may not be there."""
    return one if other is None else max(one or 0.0, other)


def _is_robots_txt(url: str) -> bool:
    """Whether ``url`` is the file itself, which is always allowed (RFC 9309, 2.2.2)."""
    start = url.find("/", url.find("://") + 3)
    return url[start:].partition("?")[0] == "/robots.txt"


def _printable(text: str) -> str:
    """``text`` without what only keeps undecodable bytes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
