"""Rules on URLs that lead to the same page, learned from pairs of equal pages.

The URLs of a pair are compared token by token: tokens of only one URL are the edit, common ones
the kept parts. Pairs with the same edit form one rule; its kept parts are generalised only as far
as the pairs require (least general generalisation), so a rule seen only below ``/manual/`` applies
there alone. The idea is that of DustBuster (Bar-Yossef, Keidar, Schonfeld, "Do not crawl in the
DUST", 2007) and of Dasgupta, Kumar, Sasturkar ("De-duping URLs via rewrite rules", 2008).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Self
from zlib import crc32

from sitecrawl.policy.learning.evidence import Evidence, RuleState

MAX_TOKENS = 48
"""Maximum number of tokens of a path and query; nothing is learned from longer URLs."""
MAX_CHANGES = 2
"""Maximum number of places in which the two URLs of a pair differ."""
MAX_CHANGED_TOKENS = 14
MAX_PLACE = 400
"""Maximum length of a path and query to which rules are applied, in characters."""
MAX_BOUND_VALUES = 40
MIN_BOUND_VALUES = 3
"""Number of different values after which a rule applies to any value of their form."""
MARKS = frozenset("/.?&=;")
ANYWHERE, MAX_DEPTH = -1, 5
ONE_PLACE = 3
KEEP, DELETE, INSERT = "=", "-", "+"
BOUND = "<value>"
"""Placeholder of a word deleted in one place and inserted in another: ``/fr/x``, ``/x.fr``."""

_TOKEN = re.compile(r"[/.?&=;]|[^/.?&=;]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?")


class Edit(NamedTuple):
    """The tokens of one operation: kept, deleted or inserted."""

    kind: str
    tokens: tuple[str, ...]


@dataclass(slots=True)
class KeptPart:
    """The common tokens of a rule's URLs in one place: the first and last ones, or all."""

    head: tuple[str, ...]
    tail: tuple[str, ...]
    exact: bool = True
    marks: str = ""

    def widen(self, tokens: tuple[str, ...]) -> bool:
        """Make it fit ``tokens`` too; return False if it already did."""
        if self.fits(tokens):
            return False
        whole = self.head if self.exact else None
        head = common_start(self.head, tokens)
        rest = tokens[len(head) :]
        tail = common_start(self.tail[::-1], rest[::-1])[::-1]
        if whole is not None:
            head = common_start(whole, tokens)
            least = min(len(whole), len(tokens)) - len(head)
            back = common_start(whole[::-1], tokens[::-1])[:least] if least > 0 else ()
            tail = back[::-1]
        middles = [tokens[len(head) : len(tokens) - len(tail)]]
        if whole is not None:
            middles.append(whole[len(head) : len(whole) - len(tail)])
        else:  # tokens that no longer belong to head and tail
            middles.append(self.head[len(head) :])
            middles.append(self.tail[: len(self.tail) - len(tail)])
        found = {token for middle in middles for token in middle if token in MARKS}
        self.head, self.tail, self.exact = head, tail, False
        self.marks = "".join(sorted(set(self.marks) | found))
        return True

    def fits(self, tokens: tuple[str, ...]) -> bool:
        """Return True if the part matches the tokens."""
        if self.exact:
            return tokens == self.head
        size = len(self.head) + len(self.tail)
        if len(tokens) < size or tokens[: len(self.head)] != self.head:
            return False
        if self.tail and tokens[-len(self.tail) :] != self.tail:
            return False
        middle = tokens[len(self.head) : len(tokens) - len(self.tail)]
        return all(token not in MARKS or token in self.marks for token in middle)

    def pattern(self) -> str:
        """Return the part as a regular expression with one group."""
        head, tail = re.escape("".join(self.head)), re.escape("".join(self.tail))
        if self.exact:
            return f"({head})"
        other = re.escape("".join(MARKS - set(self.marks)))
        return f"({head}[^{other}#]*?{tail})" if other else f"({head}.*?{tail})"

    def __str__(self) -> str:
        """Return the part in readable form."""
        return "".join(self.head) + ("" if self.exact else "*" + "".join(self.tail))


def common_start(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the first tokens, or characters, that two sequences share."""
    count = 0
    for here, there in zip(one, other, strict=False):
        if here != there:
            break
        count += 1
    return tuple(one[:count])


def place_of(url: str) -> str:
    """Path and query of an absolute URL."""
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start >= 0 else "/"


def script_of(url: str, other: str) -> tuple[Edit, ...] | None:
    """Return the edits from ``url`` to ``other`` (paths and queries); None if there are too many.

    Takes at most some tenths of a millisecond, because the number of tokens is bounded.
    """
    one, two = _TOKEN.findall(url), _TOKEN.findall(other)
    if max(len(one), len(two)) > MAX_TOKENS:
        return None
    head = len(common_start(one, two))
    least = min(len(one), len(two)) - head
    tail = len(common_start(one[::-1], two[::-1])[:least]) if least else 0
    edits = [Edit(KEEP, tuple(one[:head]))]
    edits += _aligned(one[head : len(one) - tail], two[head : len(two) - tail])
    edits.append(Edit(KEEP, tuple(one[len(one) - tail :])))
    script = tuple(_merged(edits))
    changes = sum(len(edit.tokens) for edit in script if edit.kind != KEEP)
    places = sum(edit.kind != KEEP and before.kind == KEEP for before, edit in pairwise(script))
    if not changes or changes > MAX_CHANGED_TOKENS or places > MAX_CHANGES:
        return None
    return script


def _aligned(one: list[str], two: list[str]) -> Iterator[Edit]:
    """Align by longest common subsequence, as edits; words weigh more than marks."""
    if not one or not two:
        yield Edit(DELETE, tuple(one))
        yield Edit(INSERT, tuple(two))
        return
    best = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            if one[i] == two[j]:
                best[i][j] = best[i + 1][j + 1] + (1 if one[i] in MARKS else 4)
            else:
                best[i][j] = max(best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(one) and j < len(two):
        if one[i] == two[j] and best[i][j] > best[i + 1][j]:
            yield Edit(KEEP, (one[i],))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            yield Edit(DELETE, (one[i],))
            i += 1
        else:
            yield Edit(INSERT, (two[j],))
            j += 1
    yield Edit(DELETE, tuple(one[i:]))
    yield Edit(INSERT, tuple(two[j:]))


def _merged(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Merge neighbouring edits of a kind; the script begins and ends with a kept part.

    Within a place, deletions come before insertions.
    """
    kept: list[str] = []
    deleted: list[str] = []
    inserted: list[str] = []
    for edit in edits:
        if edit.kind == KEEP and edit.tokens and (deleted or inserted):
            yield from _place(kept, deleted, inserted)
            kept, deleted, inserted = [], [], []
        {KEEP: kept, DELETE: deleted, INSERT: inserted}[edit.kind].extend(edit.tokens)
    yield from _place(kept, deleted, inserted)
    if deleted or inserted:
        yield Edit(KEEP, ())


def _place(kept: list[str], deleted: list[str], inserted: list[str]) -> Iterator[Edit]:
    yield Edit(KEEP, tuple(kept))
    if deleted:
        yield Edit(DELETE, tuple(deleted))
    if inserted:
        yield Edit(INSERT, tuple(inserted))


def reverse(script: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits that undo a script."""
    turned = {KEEP: KEEP, DELETE: INSERT, INSERT: DELETE}
    edits = [Edit(turned[edit.kind], edit.tokens) for edit in script]
    return tuple(_merged(edits))


def bound_value(script: Sequence[Edit]) -> str:
    """Return the one word that is deleted in one place and inserted in another, else ""."""
    words: dict[str, set[str]] = {DELETE: set(), INSERT: set(), KEEP: set()}
    for edit in script:
        words[edit.kind] |= {token for token in edit.tokens if token not in MARKS}
    moved = words[DELETE] & words[INSERT]
    return moved.pop() if len(moved) == 1 else ""


@dataclass(slots=True)
class DuplicateRule:
    """A rule that rewrites a duplicate URL to the URL to keep.

    ``changes`` are the edits with ``None`` for each kept part, ``kept`` the kept parts as far as
    they are generalised, ``values`` those of the bound word. ``depth`` counts the directories
    before the first edit. ``claimed``: learned from a canonical link or a permanent redirect.
    ``acting`` is the pattern with the replacement as they were tested, None before that.
    """

    changes: tuple[Edit | None, ...]
    kept: list[KeptPart]
    depth: int = ANYWHERE
    claimed: bool = False
    values: list[str] = field(default_factory=list)
    evidence: Evidence = field(default_factory=Evidence)
    acting: tuple[str, str] | None = None
    _compiled: dict[str, re.Pattern[str]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, script: Sequence[Edit]) -> Self:
        """Build the rule that a single pair proposes."""
        value = bound_value(script)
        return cls(
            changes_of(script),
            [KeptPart(edit.tokens, edit.tokens) for edit in script if edit.kind == KEEP],
            depth_of(script),
            values=[value] if value else [],
        )

    @property
    def key(self) -> str:
        """The key that groups pairs with the same edits."""
        return f"{key_of(self.changes)} @{self.depth}"

    @property
    def id(self) -> str:
        """A short identifier that does not change when the rule is generalised."""
        return f"d{crc32(self.key.encode('utf-8', 'surrogatepass')):08x}"

    @property
    def state(self) -> RuleState:
        """The state that follows from the evidence."""
        return self.evidence.state

    def widen(self, script: Sequence[Edit]) -> bool:
        """Generalise the rule to one more pair; return False if it already fits."""
        parts = [edit.tokens for edit in script if edit.kind == KEEP]
        wider = [part.widen(tokens) for part, tokens in zip(self.kept, parts, strict=True)]
        value = bound_value(script)
        if value and value not in self.values and not self._is_language(value):
            wider.append(True)
        if value and value not in self.values and len(self.values) < MAX_BOUND_VALUES:
            self.values.append(value)
        return any(wider)

    @property
    def is_general(self) -> bool:
        """True if the rule covers more than one pair."""
        return any(not part.exact for part in self.kept) or len(self.values) > 1

    def _is_language(self, value: str) -> bool:
        return len(self.values) >= MIN_BOUND_VALUES and all(
            _LANGUAGE.fullmatch(each) for each in (*self.values, value)
        )

    def rewriting(self, *, backwards: bool = False) -> tuple[str, str]:
        """Return the rule as pattern and replacement, for paths with queries.

        ``backwards`` maps the URL to keep to the duplicate.
        """
        out, into = (INSERT, DELETE) if backwards else (DELETE, INSERT)
        pattern, replacement, groups = "", "", 0
        parts = iter(self.kept)
        bound = ""
        for change in self.changes:
            if change is None:
                groups += 1
                pattern += next(parts).pattern()
                replacement += rf"\g<{groups}>"
            elif change.kind == out:
                for token in change.tokens:
                    if token == BOUND and not bound:
                        groups += 1
                        bound = f"(?P<value>{self._value_pattern()})"
                        pattern += bound
                    else:
                        pattern += r"(?P=value)" if token == BOUND else re.escape(token)
            elif change.kind == into:
                for token in change.tokens:
                    replacement += r"\g<value>" if token == BOUND else token.replace("\\", r"\\")
        return pattern, replacement

    def _value_pattern(self) -> str:
        if len(self.values) >= MIN_BOUND_VALUES and self._is_language(self.values[0]):
            return _LANGUAGE.pattern
        return "|".join(re.escape(value) for value in sorted(self.values))

    def apply(self, place: str, rewriting: tuple[str, str] | None = None) -> str | None:
        """Return the rewritten path and query; None if the rule does not apply."""
        if len(place) > MAX_PLACE:
            return None
        pattern, replacement = rewriting or self.rewriting()
        compiled = self._compiled.get(pattern)
        if compiled is None:
            if len(self._compiled) > 4:
                self._compiled.clear()
            compiled = self._compiled[pattern] = re.compile(pattern)
        match = compiled.fullmatch(place)
        if match is None:
            return None
        made = match.expand(replacement)
        return made if made != place and made.startswith("/") else None

    def act(self) -> None:
        """Activate the rule in the form in which it was tested."""
        self.acting = self.rewriting()

    def __str__(self) -> str:
        """Return the rule in readable form: ``/manual/fr/*.html => /manual/*.html.fr``."""
        parts = [str(part) for part in self.kept]
        left, right, index = "", "", 0
        for change in self.changes:
            if change is None:
                left, right, index = left + parts[index], right + parts[index], index + 1
                continue
            text = "".join(change.tokens)
            if change.kind == DELETE:
                left += text
            else:
                right += text
        words = f"{left} => {right}"
        if self.values:
            values = ", ".join(self.values[:5]) + (", …" if len(self.values) > 5 else "")
            words += f" ({BOUND}: {values})"
        return words

    def as_stored(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        return {
            "changes": [change and [change.kind, *change.tokens] for change in self.changes],
            "kept": [[part.head, part.tail, part.exact, part.marks] for part in self.kept],
            "depth": self.depth,
            "claimed": self.claimed,
            "values": self.values,
            "evidence": self.evidence.as_stored(),
            "acting": self.acting,
        }

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Self:
        """Restore the rule from plain values."""
        return cls(
            tuple(change and Edit(change[0], tuple(change[1:])) for change in stored["changes"]),
            [
                KeptPart(tuple(head), tuple(tail), exact, marks)
                for head, tail, exact, marks in stored["kept"]
            ],
            stored["depth"],
            stored["claimed"],
            list(stored["values"]),
            Evidence.from_stored(stored["evidence"]),
            tuple(stored["acting"]) if stored["acting"] else None,
        )


def changes_of(script: Sequence[Edit]) -> tuple[Edit | None, ...]:
    """Return the edits of a script, without the tokens of kept parts and of the bound word."""
    value = bound_value(script)
    return tuple(
        None
        if edit.kind == KEEP
        else Edit(edit.kind, tuple(BOUND if each == value else each for each in edit.tokens))
        for edit in script
    )


def depth_of(script: Sequence[Edit]) -> int:
    """Count the directories before the first edit; ANYWHERE if it is within the last segment."""
    first, last = script[0].tokens, script[-1].tokens
    if len(script) == ONE_PLACE and "/" not in last:
        return ANYWHERE
    return min(first.count("/"), MAX_DEPTH)


def script_key(script: Sequence[Edit]) -> str:
    """Return the key of the rule that a script supports."""
    return f"{key_of(changes_of(script))} @{depth_of(script)}"


def key_of(changes: Sequence[Edit | None]) -> str:
    """Return the edits as one text."""
    return " ".join(
        "*" if change is None else change.kind + "".join(change.tokens) for change in changes
    )
