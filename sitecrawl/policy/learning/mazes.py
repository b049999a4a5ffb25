"""Mazes: subtrees of a site whose pages are endless, as tarpits for crawlers generate them.

A real tree of pages has leaves, and its pages are linked from several places. In a maze each page
links to several new ones that nothing else links to. A subtree that looks like this is suspected:
its pages come after all others, and are then read along random descents. Knuth ("Estimating the
efficiency of backtrack programs", 1975) estimates the size of a tree from such descents, as the
product of the numbers of branches. Descents that end clear the subtree; descents that imply
millions of pages without an end close it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log2
from typing import Any, NamedTuple, Self

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.urls.templates import url_template

WINDOW = 20
"""Number of the latest pages of a subtree that are judged."""
MIN_GROWING = 0.9
"""Share of these pages that lead to at least two new pages each, in a suspected subtree."""
MAX_REPEATED = 0.1
"""Share of the links to pages already known from elsewhere, below which a subtree is suspected."""
IMPLIED_PAGES = 2.0**23
"""Size of the tree that an endless descent implies: eight million pages, seven links of ten
branches each."""
MIN_ENDLESS = 3
"""Number of endless descents that close a subtree, if they are more than those with an end."""
MIN_ENDED = 2
"""Number of descents with an end that clear a subtree, if they are more than the endless ones."""
SUSPECT_AGAIN = 100
"""Number of pages beyond twice those read before, after which a cleared subtree is judged again."""
MAX_SUBTREES = 400
MAX_LINKED = 2000
MAX_VOUCHED = 20_000
RETESTS = 2
"""Number of pages of a closed subtree that each run requests, to notice that it has changed."""
MAX_NAMED = 200
"""Number of top directories with a subtree of their own; the others share one."""
OTHERS = "/*/"
MAZE = RefusalReason(
    "maze",
    "a subtree without an end, whose pages are linked only from within (`max_maze_share`)",
    options=("max_maze_share",),
)


class SubtreeState(StrEnum):
    """The state of a subtree."""

    OPEN = "open"
    SUSPECTED = "suspected"
    CLOSED = "closed"


class GrowingPage(NamedTuple):
    """A page that was read for the first time, with its links into its own subtree.

    ``new`` has URLs and fingerprints of its links to URLs that were unknown until then,
    ``repeated`` those of its links to URLs that other pages had named before. It may be a page
    without content: then ``is_page`` is False, and it is no evidence.
    """

    url: str
    fingerprint: int
    new: Sequence[tuple[str, int]] = ()
    repeated: Sequence[tuple[str, int]] = ()
    referrer: str | None = None
    is_page: bool = True


def subtree_of(url: str) -> str:
    """Return the subtree of a URL: its first directory, or the template of a page at the root."""
    start = url.find("/", url.find("://") + 3)
    path = url[start:].partition("?")[0] if start >= 0 else "/"
    end = path.find("/", 1)
    return path[: end + 1] if end > 0 else str(url_template(url))


@dataclass(slots=True)
class Subtree:
    """The evidence on one subtree.

    ``window`` has the numbers of new and repeated links of the latest pages. ``descent`` is the
    fingerprint of the page that continues the current descent, ``implied`` the logarithm of the
    number of pages that the descent implies. ``probe`` is the page of the descent that is being
    requested. ``retests`` is the number of pages that may still be requested of a closed subtree,
    ``stale`` the number of those that led nowhere.
    """

    pages: int = 0
    state: SubtreeState = SubtreeState.OPEN
    judge_from: int = WINDOW
    endless: int = 0
    ended: int = 0
    links: int = 0
    window: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    retests: int = 0
    stale: int = 0
    descent: int | None = None
    implied: float = 0.0
    probe: int | None = None
    linked: dict[int, None] = field(default_factory=dict)

    @property
    def looks_endless(self) -> bool:
        """True if nearly all of the latest pages lead on, and hardly any to known pages."""
        if len(self.window) < WINDOW or self.pages < self.judge_from:
            return False
        growing = sum(new > 1 for new, _ in self.window)
        new, repeated = (sum(each) for each in zip(*self.window, strict=True))
        return growing >= MIN_GROWING * WINDOW and repeated <= MAX_REPEATED * new

    def as_stored(self) -> dict[str, Any]:
        """Return the evidence as plain values."""
        return {
            "pages": self.pages,
            "state": self.state.value,
            "judge_from": self.judge_from,
            "endless": self.endless,
            "ended": self.ended,
            "links": self.links,
            "window": [list(each) for each in self.window],
        }

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Restore the evidence from plain values; a closed subtree is tested again."""
        values = {**stored, "state": SubtreeState(stored["state"])}
        pairs = [(int(new), int(repeated)) for new, repeated in stored["window"]]
        return cls(**{**values, "window": deque(pairs, maxlen=WINDOW), "retests": RETESTS})


@dataclass(slots=True)
class Mazes:
    """The subtrees of one origin.

    ``share`` is the percentage of the origin's other pages that a subtree without an end may
    have. ``changed`` is True if there is something to store, ``cleared`` if a subtree was found
    to have an end, so that the URLs left out are admitted again.
    """

    share: float
    pages: int = 0
    changed: bool = False
    cleared: bool = False
    subtrees: dict[str, Subtree] = field(default_factory=dict)
    _vouched: dict[int, None] = field(default_factory=dict)
    _watched: frozenset[str] = frozenset()

    @property
    def watched(self) -> frozenset[str]:
        """Names of the subtrees that are suspected or closed."""
        return self._watched

    @property
    def closed(self) -> bool:
        """True if a subtree is closed."""
        return any(self.subtrees[each].state is SubtreeState.CLOSED for each in self._watched)

    def observe(self, page: GrowingPage) -> None:
        """Learn from a page that was requested for the first time."""
        name = self.name_of(page.url)
        subtree = self._subtree(name)
        is_probe = subtree.probe == page.fingerprint
        if is_probe:
            subtree.probe = None
        if not page.is_page:
            return
        self.pages += 1
        subtree.pages += 1
        new = [each for url, each in page.new if self.name_of(url) == name]
        repeated = self._repeated(subtree, name, page) if len(new) > 1 else 0
        subtree.window.append((len(new), repeated))
        subtree.links += len(new)
        if is_probe and subtree.state is SubtreeState.CLOSED:
            self._retest(subtree, new, repeated)
        elif is_probe and subtree.state is SubtreeState.SUSPECTED:
            self._descend(subtree, new, repeated)
        elif subtree.state is SubtreeState.OPEN and subtree.looks_endless:
            self._move(subtree, SubtreeState.SUSPECTED)

    def is_inside(self, url: str, referrer: str | None) -> bool:
        """Return True if a URL belongs to a watched subtree from within which it was found."""
        if not self._watched or referrer is None:
            return False
        name = self.name_of(url)
        return name in self._watched and self.name_of(referrer) == name

    def is_vouched(self, fingerprint: int) -> bool:
        """Return True if a page outside of its subtree links to a URL."""
        return fingerprint in self._vouched

    def vouch(self, fingerprint: int) -> None:
        """Record that a page outside of its subtree links to a URL."""
        if len(self._vouched) < MAX_VOUCHED:
            self._vouched[fingerprint] = None

    def state_of(self, url: str) -> Subtree:
        """Return the subtree of a URL."""
        return self._subtree(self.name_of(url))

    def choose(self, subtree: Subtree, fingerprints: Collection[int]) -> int | None:
        """Return the one of several waiting URLs of a suspected subtree to be requested next.

        None while the page before it is being requested. A descent whose next page is not waiting
        any more is given up.
        """
        if subtree.probe is not None or not fingerprints:
            return None
        if subtree.descent not in fingerprints:
            subtree.descent, subtree.implied = None, 0.0
            return next(iter(fingerprints))
        return subtree.descent

    def request(self, subtree: Subtree, fingerprint: int) -> None:
        """Record that a URL of a watched subtree is requested."""
        if subtree.state is SubtreeState.CLOSED:
            subtree.retests -= 1
        if subtree.descent != fingerprint:
            subtree.implied = 0.0
        subtree.descent, subtree.probe = None, fingerprint

    def forget_requests(self) -> None:
        """Forget requests under way, as none is when the lease of the origin begins."""
        for subtree in self.subtrees.values():
            subtree.probe = None

    def in_words(self, url: str) -> str:
        """Return the evidence against the subtree of a URL in readable form."""
        name = self.name_of(url)
        subtree = self._subtree(name)
        others = self.pages - subtree.pages
        return (
            f"{name} has no end: each of its {subtree.pages} pages led to "
            f"{subtree.links / max(1, subtree.pages):.1f} others on average, which no other page "
            f"names, and {subtree.endless} of {subtree.endless + subtree.ended} random descents "
            f"found no end ({others} other pages were read)"
        )

    def name_of(self, url: str) -> str:
        """Return the name of the subtree of a URL; directories beyond many share one."""
        name = subtree_of(url)
        if len(self.subtrees) < MAX_NAMED or name in self.subtrees:
            return name
        return OTHERS

    def _retest(self, subtree: Subtree, new: Sequence[int], repeated: int) -> None:
        """Suspect a closed subtree anew if none of the pages requested again leads on."""
        if len(new) < 2 or repeated * 4 > len(new):
            subtree.stale += 1
        if subtree.stale >= RETESTS:
            subtree.endless = subtree.ended = subtree.stale = 0
            self.cleared = True
            self._move(subtree, SubtreeState.SUSPECTED)

    def _descend(self, subtree: Subtree, new: Sequence[int], repeated: int) -> None:
        """Continue the descent with one of a page's new links, or end it.

        Pages that lead to one other page each are a chain, which is no maze.
        """
        if 2 * sum(more > 1 for more, _ in subtree.window) < len(subtree.window):
            self._clear(subtree)
            return
        if not new or repeated * 4 > len(new):
            subtree.ended += 1
        else:
            subtree.implied += log2(len(new))
            if subtree.implied < log2(IMPLIED_PAGES):
                # Fingerprints are hashes: the least is a random choice, the same in every run.
                subtree.descent = min(new)
                return
            subtree.endless += 1
        subtree.descent, subtree.implied = None, 0.0
        others = self.pages - subtree.pages
        if subtree.ended >= MIN_ENDED and subtree.ended > subtree.endless:
            self._clear(subtree)
        elif (
            subtree.endless >= MIN_ENDLESS
            and subtree.endless > subtree.ended
            and subtree.pages >= others * self.share / 100
        ):
            self._move(subtree, SubtreeState.CLOSED)

    def _clear(self, subtree: Subtree) -> None:
        subtree.judge_from = 2 * subtree.pages + SUSPECT_AGAIN
        subtree.endless = subtree.ended = 0
        subtree.descent, subtree.implied = None, 0.0
        self.cleared = True
        self._move(subtree, SubtreeState.OPEN)

    def _move(self, subtree: Subtree, state: SubtreeState) -> None:
        subtree.state = state
        self.changed = True
        self._watch()

    def _watch(self) -> None:
        self._watched = frozenset(
            name for name, each in self.subtrees.items() if each.state is not SubtreeState.OPEN
        )

    def _repeated(self, subtree: Subtree, name: str, page: GrowingPage) -> int:
        """Count the links to known pages of the subtree, each target once.

        Navigation names the same few pages on every page. The page's referrer and the directories
        above it are no evidence either.
        """
        path = page.url.partition("?")[0]
        count = 0
        for url, fingerprint in page.repeated:
            if fingerprint in subtree.linked or url == page.referrer or self.name_of(url) != name:
                continue
            if url.endswith("/") and path.startswith(url):
                continue
            if len(subtree.linked) >= MAX_LINKED:
                del subtree.linked[next(iter(subtree.linked))]
            subtree.linked[fingerprint] = None
            count += 1
        return count

    def _subtree(self, name: str) -> Subtree:
        subtree = self.subtrees.get(name)
        if subtree is None:
            if len(self.subtrees) >= MAX_SUBTREES:
                idle = (key for key in self.subtrees if key not in self._watched)
                del self.subtrees[next(idle, next(iter(self.subtrees)))]
            subtree = self.subtrees[name] = Subtree()
        return subtree

    def as_stored(self) -> Iterable[tuple[str, str, dict[str, Any]]]:
        """Yield name, state and values of each subtree with evidence."""
        for name, each in self.subtrees.items():
            if each.pages >= WINDOW:
                yield name, each.state.value, {**each.as_stored(), "others": self.pages}

    def restore(self, stored: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Restore the subtrees of an earlier run."""
        for name, values in stored:
            own = dict(values)
            self.pages = max(self.pages, int(own.pop("others")))
            self.subtrees[name] = Subtree.from_stored(own)
        self._watch()
