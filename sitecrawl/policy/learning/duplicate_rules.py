"""Rules on URLs that lead to the same page, learned from pairs of equal pages.

The URLs of a pair are compared token by token: tokens of only one URL are the edit, common ones
the kept parts. Pairs with the same edit form one rule; its kept parts are generalised only as far
as the pairs require (least general generalisation), so a rule seen only below ``/manual/`` applies
there alone. The idea is that of DustBuster (Bar-Yossef, Keidar, Schonfeld, "Do not crawl in the
DUST", 2007) and of Dasgupta, Kumar, Sasturkar ("De-duping URLs via rewrite rules", 2008).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
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
"""Maximum length of a path and query of which rules are made or to which they are applied, in
characters."""
MAX_VALUES, SHOWN_VALUES = 40, 12
ENOUGH_VALUES = 3
"""Number of values of a variable after which one more does not require new tests."""
MARKS = frozenset("/.?&=;")
ANYWHERE, MAX_DEPTH = -1, 5
KEEP, DELETE, INSERT = "=", "-", "+"
HASH_MARK = " #"
VALUE, LANGUAGE = "<value>", "<language>"
"""Variables of a rule: a word deleted in one place and inserted in another (``/fr/x``, ``/x.fr``),
and a language that is only deleted (``/fr/x``, ``/x``)."""

_TOKEN = re.compile(r"[/.?&=;]|[^/.?&=;]+")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
_HASHED = r"(?=[^?]*[/._-](?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{6,40}(?:\.[a-z0-9]{1,5})?(?:\?|$))"
_HASHED_PLACE = re.compile(_HASHED)


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


def is_hashed(place: str) -> bool:
    """Return True if the name of a file contains a hash, as in ``vdata_ad559c.html``.

    Such names are often made of the content: pages of one name are the same in every directory.
    """
    return len(place) <= MAX_PLACE and _HASHED_PLACE.match(place) is not None


def script_of(url: str, other: str) -> tuple[Edit, ...] | None:
    """Return the edits from ``url`` to ``other`` (paths and queries); None if there are too many.

    Takes at most some tenths of a millisecond, because the number of tokens is bounded.
    """
    if max(len(url), len(other)) > MAX_PLACE:
        return None
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


def variables_of(script: Sequence[Edit], *, languages: bool = True) -> dict[str, str]:
    """Return the variables of a script with their words.

    ``languages``: a language that is only deleted is a variable, not a constant.
    """
    words: dict[str, dict[str, None]] = {DELETE: {}, INSERT: {}, KEEP: {}}
    for edit in script:
        words[edit.kind].update((token, None) for token in edit.tokens if token not in MARKS)
    found: dict[str, str] = {}
    moved = words[DELETE].keys() & words[INSERT].keys()
    if len(moved) == 1:
        (found[VALUE],) = moved
    for word in words[DELETE] if languages else ():
        if word not in moved and _LANGUAGE.fullmatch(word):
            found[LANGUAGE] = word
            break
    return found


@dataclass(slots=True)
class DuplicateRule:
    """A rule that rewrites a duplicate URL to the URL to keep.

    ``changes`` are the edits with ``None`` for each kept part, ``kept`` the kept parts as far as
    they are generalised, ``values`` those seen of each variable: the rule applies to no others.
    ``depth`` counts the directories before the first edit. ``claimed``: learned from a canonical
    link or a permanent redirect. ``hashed``: it applies only to names that contain a hash. ``acting`` is the pattern with the replacement as they were
    tested, None before that.
    """

    changes: tuple[Edit | None, ...]
    kept: list[KeptPart]
    depth: int = ANYWHERE
    claimed: bool = False
    values: dict[str, list[str]] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=Evidence)
    acting: tuple[str, str] | None = None
    hashed: bool = False
    _rewritings: dict[str | None, tuple[str, str]] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(cls, script: Sequence[Edit], *, languages: bool = True, hashed: bool = False) -> Self:
        """Build the rule that a single pair proposes."""
        variables = variables_of(script, languages=languages)
        return cls(
            changes_of(script, variables),
            [KeptPart(edit.tokens, edit.tokens) for edit in script if edit.kind == KEEP],
            depth_of(script),
            values={name: [word] for name, word in variables.items()},
            hashed=hashed,
        )

    @property
    def key(self) -> str:
        """The key that groups pairs with the same edits."""
        return f"{key_of(self.changes)} @{self.depth}{HASH_MARK if self.hashed else ''}"

    @property
    def id(self) -> str:
        """A short identifier that does not change when the rule is generalised."""
        return f"d{crc32(self.key.encode('utf-8', 'surrogatepass')):08x}"

    @property
    def state(self) -> RuleState:
        """The state that follows from the evidence."""
        return self.evidence.state

    def fits(self, script: Sequence[Edit]) -> bool:
        """Return True if the rule already covers a pair with its edits."""
        parts = [edit.tokens for edit in script if edit.kind == KEEP]
        return all(
            part.fits(tokens) for part, tokens in zip(self.kept, parts, strict=True)
        ) and all(word in self.values[name] for name, word in self._words(script))

    def widen(self, script: Sequence[Edit]) -> bool:
        """Generalise the rule to one more pair; return True if it must be tested again."""
        parts = [edit.tokens for edit in script if edit.kind == KEEP]
        wider = [part.widen(tokens) for part, tokens in zip(self.kept, parts, strict=True)]
        for name, word in self._words(script):
            values = self.values[name]
            if word not in values and len(values) < MAX_VALUES:
                wider.append(len(values) < ENOUGH_VALUES)
                values.append(word)
        self._rewritings.clear()
        return any(wider)

    def _words(self, script: Sequence[Edit]) -> Iterator[tuple[str, str]]:
        words = variables_of(script, languages=LANGUAGE in self.values)
        return ((name, word) for name, word in words.items())

    @property
    def size(self) -> int:
        """Number of tokens that the rule deletes: the more, the more specific it is."""
        return sum(len(each.tokens) for each in self.changes if each and each.kind == DELETE)

    @property
    def is_general(self) -> bool:
        """True if the rule covers more than one pair."""
        many = any(len(values) > 1 for values in self.values.values())
        return many or any(not part.exact for part in self.kept)

    def rewriting(self) -> tuple[str, str]:
        """Return the rule as pattern and replacement, for paths with queries."""
        return self._rewriting(None)

    def _rewriting(self, language: str | None) -> tuple[str, str]:
        """Return the rule as ``rewriting`` does; its inverse if ``language`` is not None."""
        found = self._rewritings.get(language)
        if found is None:
            found = self._rewritings[language] = self._build(language)
        return found

    def _build(self, language: str | None) -> tuple[str, str]:
        out = DELETE if language is None else INSERT
        pattern, replacement, groups = _HASHED if self.hashed else "", "", 0
        parts = iter(self.kept)
        bound: set[str] = set()
        for change in self.changes:
            if change is None:
                groups += 1
                pattern += next(parts).pattern()
                replacement += rf"\g<{groups}>"
            elif change.kind == out:
                known = len(bound)
                pattern += "".join(self._matched(token, bound) for token in change.tokens)
                groups += len(bound) - known
            else:
                replacement += "".join(self._written(token, language) for token in change.tokens)
        return pattern, replacement

    def _matched(self, token: str, bound: set[str]) -> str:
        """Return a token that the pattern contains, as a regular expression."""
        values = self.values.get(token)
        if values is None or len(values) == 1:
            return re.escape(values[0] if values else token)
        if token in bound:
            return f"(?P={token[1:-1]})"
        bound.add(token)
        return f"(?P<{token[1:-1]}>{'|'.join(re.escape(value) for value in sorted(values))})"

    def _written(self, token: str, language: str | None) -> str:
        """Return a token that the replacement contains; ``language`` replaces the variable."""
        values = self.values.get(token)
        if values is None or len(values) == 1 or (token == LANGUAGE and language):
            constant = token if values is None else values[0] if len(values) == 1 else language
            return (constant or "").replace("\\", r"\\")
        return rf"\g<{token[1:-1]}>"

    def duplicates_of(self, place: str) -> Iterator[str]:
        """Yield the paths and queries that the rule rewrites to ``place``."""
        for language in self.values.get(LANGUAGE, [""]):
            made = self.apply(place, self._rewriting(language))
            if made is not None:
                yield made

    def apply(self, place: str, rewriting: tuple[str, str] | None = None) -> str | None:
        """Return the rewritten path and query; None if the rule does not apply."""
        if len(place) > MAX_PLACE:
            return None
        pattern, pieces = compiled(*(rewriting or self.rewriting()))
        match = pattern.fullmatch(place)
        if match is None:
            return None
        made = "".join(match[piece] if group else piece for group, piece in pieces)
        return made if made != place and made.startswith("/") else None

    def act(self) -> None:
        """Activate the rule in the form in which it was tested."""
        self.acting = self.rewriting()

    def __str__(self) -> str:
        """Return the rule in readable form: ``/manual/fr/*.html => /manual/*.html.fr``."""
        parts = [str(part) for part in self.kept]
        left, right, index = "", "", 0
        known = {name: values[0] for name, values in self.values.items() if len(values) == 1}
        for change in self.changes:
            if change is None:
                left, right, index = left + parts[index], right + parts[index], index + 1
                continue
            text = "".join(known.get(token, token) for token in change.tokens)
            if change.kind == DELETE:
                left += text
            else:
                right += text
        words = f"{left} => {right}"
        for name, values in self.values.items():
            if name in known:
                continue
            listed = ", ".join(values[:SHOWN_VALUES])
            words += f" ({name}: {listed}{', …' if len(values) > SHOWN_VALUES else ''})"
        return f"{words} (names with a hash)" if self.hashed else words

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
            "hashed": self.hashed,
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
            {name: list(values) for name, values in stored["values"].items()},
            Evidence.from_stored(stored["evidence"]),
            tuple(stored["acting"]) if stored["acting"] else None,
            stored["hashed"],
        )


_GROUP = re.compile(r"\\g<(\w+)>")


@lru_cache(maxsize=2048)
def compiled(pattern: str, replacement: str) -> tuple[re.Pattern[str], list[tuple[bool, Any]]]:
    """Compile a rewriting: its pattern, and the pieces of its replacement, groups or text."""
    pieces: list[tuple[bool, Any]] = []
    for place, piece in enumerate(_GROUP.split(replacement)):
        if place % 2:
            pieces.append((True, int(piece) if piece.isdigit() else piece))
        elif piece:
            pieces.append((False, piece.replace(r"\\", "\\")))
    return re.compile(pattern), pieces


def changes_of(script: Sequence[Edit], variables: Mapping[str, str]) -> tuple[Edit | None, ...]:
    """Return the edits of a script, with variables for their words, without the kept tokens."""
    names = {word: name for name, word in variables.items()}
    return tuple(
        None
        if edit.kind == KEEP
        else Edit(edit.kind, tuple(names.get(each, each) for each in edit.tokens))
        for edit in script
    )


def depth_of(script: Sequence[Edit]) -> int:
    """Count the directories before the first edit; ANYWHERE if all edits are in the last segment."""
    first, *rest = script
    if all("/" not in edit.tokens for edit in rest):
        return ANYWHERE
    return min(first.tokens.count("/"), MAX_DEPTH)


def script_key(script: Sequence[Edit], *, languages: bool = True, hashed: bool = False) -> str:
    """Return the key of the rule that a script supports."""
    changes = changes_of(script, variables_of(script, languages=languages))
    return f"{key_of(changes)} @{depth_of(script)}{HASH_MARK if hashed else ''}"


def key_of(changes: Sequence[Edit | None]) -> str:
    """Return the edits as one text."""
    return " ".join(
        "*" if change is None else change.kind + "".join(change.tokens) for change in changes
    )
