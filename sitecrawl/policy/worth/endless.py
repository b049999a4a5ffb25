"""Parts of an origin without an end, as tarpits for crawlers generate them.

Their pages have new text for ever, so that their yield says nothing. A real tree of pages has leaves,
and its pages are linked from several places; in an endless part each page links to several new ones
that nothing else links to. A part that looks like this comes after all others, and is then read along
random descents: from a page to one of its new links, and on. Knuth ("Estimating the efficiency of
backtrack programs", 1975) estimates the size of a tree from such descents, as the product of
the numbers of branches. Descents that end clear the part; descents that imply millions of pages
without an end close it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log2
from typing import Any, NamedTuple

from sitecrawl.policy.urls.templates import WORD, url_template

WINDOW = 20
"""Number of the latest pages of a part that are judged."""
MIN_GROWING = 0.9
"""Share of these pages that lead to at least two new pages each, in a suspected part."""
MAX_REPEATED = 0.1
"""Share of the links to known pages, below which a part is suspected."""
IMPLIED_PAGES = 2.0**23
"""Size of the tree that an endless descent implies: seven links of ten branches each."""
MIN_ENDLESS, MIN_ENDED = 3, 2
"""Number of endless descents that close a part, and of those with an end that clear it."""
MIN_SHARE = 0.05
"""Share of an endless part in the pages of its origin that is read, also if it was proved sooner."""
SUSPECT_AGAIN = 100
"""Number of pages beyond twice those read before, after which a cleared part is judged again."""
MAX_PARTS, MAX_LINKED = 200, 2000
RETESTS = 2
"""Number of pages of a closed part that each run requests, to notice that it has changed."""


class State(StrEnum):
    """The state of a part."""

    OPEN = "open"
    SUSPECTED = "suspected"
    CLOSED = "closed"


class GrowingPage(NamedTuple):
    """A page that was requested for the first time, with its links within its origin.

    ``new`` has URLs and fingerprints of its links to URLs that were unknown until then,
    ``repeated`` those of its links to URLs that other pages had named before.
    """

    url: str
    fingerprint: int
    new: Sequence[tuple[str, int]] = ()
    repeated: Sequence[tuple[str, int]] = ()
    referrer: str | None = None


def part_of(url: str) -> str:
    """Return the part of a URL: its first directory, else a program or the template of a page."""
    start = url.find("/", url.find("://") + 3)
    path, mark, _ = (url[start:] if start >= 0 else "/").partition("?")
    end = path.find("/", 1)
    if end > 0:
        return path[: end + 1]
    template = url_template(url)
    return path if mark and template.path.startswith(f"/{WORD}") else template.path


@dataclass(slots=True)
class Part:
    """The evidence on one part.

    ``window`` has the numbers of new and repeated links of the latest pages. ``descent`` is the
    fingerprint of the page that continues the current descent, ``implied`` the logarithm of the
    number of pages that it implies, ``probe`` the page that is being requested. ``retests`` is the
    number of pages that may still be requested of a closed part; ``left`` URLs were left out.
    """

    pages: int = 0
    state: State = State.OPEN
    judge_from: int = WINDOW
    endless: int = 0
    ended: int = 0
    window: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    retests: int = RETESTS
    descent: int | None = None
    implied: float = 0.0
    probe: int | None = None
    left: int = 0
    example: str = ""
    linked: dict[int, None] = field(default_factory=dict)

    @property
    def looks_endless(self) -> bool:
        """True if nearly all of the latest pages lead on, and hardly any to known pages."""
        if len(self.window) < WINDOW or self.pages < self.judge_from:
            return False
        if len([new for new, _ in self.window if new > 1]) < MIN_GROWING * WINDOW:
            return False
        new, repeated = map(sum, zip(*self.window, strict=True))
        return repeated <= MAX_REPEATED * new

    @property
    def is_chain(self) -> bool:
        """True if most pages lead to one other page at a time, which is no maze, however long."""
        return 2 * sum(new > 1 for new, _ in self.window) < len(self.window)


@dataclass(slots=True)
class EndlessParts:
    """The parts of one origin."""

    pages: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    _watched: set[str] = field(default_factory=set)

    def part(self, url: str, referrer: str | None) -> Part | None:
        """Return the suspected or closed part to which a URL belongs if it was found within it."""
        if not self._watched or referrer is None:
            return None
        name = part_of(url)
        return self.parts[name] if name in self._watched and part_of(referrer) == name else None

    def read(self, page: GrowingPage) -> None:
        """Learn from a page."""
        name = part_of(page.url)
        part = self.parts.get(name)
        if part is None:
            if len(self.parts) >= MAX_PARTS:
                return
            part = self.parts[name] = Part()
        is_probe, part.probe = part.probe == page.fingerprint, None
        self.pages += 1
        part.pages += 1
        new = [each for url, each in page.new if part_of(url) == name]
        repeated = _repeated(part, name, page) if len(new) > 1 else 0
        part.window.append((len(new), repeated))
        if part.state is State.OPEN:
            if len(new) > 1 and part.looks_endless:
                self._move(name, State.SUSPECTED)
        elif part.is_chain:
            self._clear(name)
        elif is_probe:
            self._descend(name, new, repeated)

    def choose(self, part: Part, waiting: Collection[int]) -> int | None:
        """Return the one of the waiting URLs of a part, in random order, to be requested next.

        None while the page before it is being requested.
        """
        if part.probe is not None or not waiting:
            return None
        if part.descent not in waiting:
            part.implied = 0.0
        chosen = part.descent if part.descent in waiting else next(iter(waiting))
        part.descent, part.probe = None, chosen
        return chosen

    def in_words(self, url: str) -> str:
        """Return the evidence against the part of a URL in readable form."""
        name = part_of(url)
        part = self.parts[name]
        return (
            f"{name} has no end: its {part.pages} pages lead to ever more that nothing else links to, "
            f"and {part.endless} of {part.endless + part.ended} random descents found no end"
        )

    def _descend(self, name: str, new: Sequence[int], repeated: int) -> None:
        """Continue a descent with one of a page's new links, or end it."""
        part = self.parts[name]
        has_ended = not new or repeated * 4 > len(new)
        if part.state is State.CLOSED:
            part.retests -= 1
            if has_ended:
                self._clear(name)
            return
        if not has_ended:
            part.implied += log2(len(new))
            if part.implied < log2(IMPLIED_PAGES):
                part.descent = min(new)  # hashes: the least is random, and the same in every run
                return
        part.ended += has_ended
        part.endless += not has_ended
        part.implied = 0.0
        if part.ended >= MIN_ENDED and part.ended > part.endless:
            self._clear(name)
        elif part.endless >= max(MIN_ENDLESS, part.ended + 1):
            others = self.pages - part.pages
            if part.pages >= MIN_SHARE * others:
                self._move(name, State.CLOSED)

    def _clear(self, name: str) -> None:
        part = self.parts[name]
        part.judge_from = 2 * part.pages + SUSPECT_AGAIN
        part.endless = part.ended = part.left = 0
        part.descent, part.implied, part.example = None, 0.0, ""
        self._move(name, State.OPEN)

    def _move(self, name: str, state: State) -> None:
        self.parts[name].state = state
        if state is State.OPEN:
            self._watched.discard(name)
        else:
            self._watched.add(name)

    def as_stored(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield name and values of each part that was closed."""
        for name in self._watched:
            each = self.parts[name]
            if each.state is State.CLOSED:
                yield name, {"pages": each.pages, "endless": each.endless, "ended": each.ended}

    def restore(self, name: str, values: Mapping[str, int]) -> None:
        """Restore a part that an earlier run has closed; a few of its pages are tested again."""
        pages, endless, ended = (values[each] for each in ("pages", "endless", "ended"))
        self.parts[name] = Part(pages, endless=endless, ended=ended)
        self._move(name, State.CLOSED)


def _repeated(part: Part, name: str, page: GrowingPage) -> int:
    """Count the links to known pages of the part, each target once.

    Navigation names the same few pages on every page. The page's referrer and the directories
    above it are no evidence either.
    """
    path = page.url.partition("?")[0]
    count = 0
    for url, fingerprint in page.repeated:
        if fingerprint in part.linked or url == page.referrer or part_of(url) != name:
            continue
        if url.endswith("/") and path.startswith(url):
            continue
        if len(part.linked) >= MAX_LINKED:
            del part.linked[next(iter(part.linked))]
        part.linked[fingerprint] = None
        count += 1
    return count
