"""Says of each start why it brought nothing, so that a failed crawl explains itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sitecrawl.frontier.base import Outcome
from sitecrawl.web.urls import origin

if TYPE_CHECKING:
    from sitecrawl.frontier.base import Candidate, Visit
    from sitecrawl.policy.decision import Decision

READ = frozenset(
    {
        Outcome.FILE_INGESTED,
        Outcome.FILE_DID_NOT_CHANGE,
        Outcome.NOINDEX,
        Outcome.NON_CANONICAL,
        Outcome.DUPLICATE,
    }
)


WORDS = {
    "robots_txt": "forbidden by robots.txt",
    "scheme": "this scheme cannot be crawled",
    "not_found": "the server has no such page",
    "mime_ignored": "not a page",
    "content_type": "not a page",
    "unauthorized": "the server asks for a password, see -a auth=",
}


class Starts:
    """Follows the starts of a crawl, and whether any page at all was read."""

    def __init__(self) -> None:
        self.pages_read = 0
        self._watched: dict[int, str] = {}
        self._led_to: dict[str, str] = {}
        self._troubles: dict[str, str] = {}
        self._origins_given_up: dict[str, str] = {}

    def begin(self, seeds: Sequence[Candidate]) -> None:
        """The starts that were admitted."""
        self._watched = {seed.fingerprint: seed.url for seed in seeds}

    def refused(self, url: str, decision: Decision) -> None:
        """A start that the rules do not admit."""
        self._troubles[url] = said(decision.reason, decision.rule)

    def failed(self, url: str, why: str) -> None:
        """A start that is a sitemap or feed and could not be read."""
        self._troubles[url] = why

    def given_up(self, key: str, why: str) -> None:
        """An origin that is not asked any more in this run."""
        self._origins_given_up[key] = why

    def note(self, visit: Visit) -> None:
        """A visit that ended; where a start was sent to is watched like a start."""
        self.pages_read += visit.outcome in READ
        url = self._watched.get(visit.due.fingerprint)
        if url is None or visit.outcome in READ:
            return
        status = f"status {visit.status}" if visit.status else ""
        sent = f"to {visit.redirect_to}" if visit.redirect_to else ""
        detail = ", ".join(filter(None, (sent, visit.detail or status)))
        self._troubles[url] = said(visit.reason, detail)
        if visit.target is not None and visit.target.fingerprint not in self._watched:
            self._watched[visit.target.fingerprint] = visit.target.url
            self._led_to[url] = visit.target.url

    def problems(self) -> list[str]:
        """One line for each start that brought nothing, if no page was read at all."""
        if self.pages_read:
            return []
        for url in self._watched.values():
            if origin(url) in self._origins_given_up:
                self._troubles.setdefault(url, self._origins_given_up[origin(url)])
        starts = self._troubles.keys() - self._led_to.values()
        return [
            f"start {url} brought nothing: {'; '.join(self._way(url))}"
            for url in self._troubles
            if url in starts
        ]

    def _way(self, url: str) -> Iterator[str]:
        """What became of a start, and of where it was sent."""
        yield self._troubles[url]
        while url := self._led_to.get(url, ""):
            yield f"{url}: {self._troubles.get(url, 'not asked in this run')}"


def said(reason: str, detail: str) -> str:
    """A reason as people write it, with what decided."""
    words = WORDS.get(reason, reason.replace("_", " "))
    return f"{words} ({detail})" if detail else words
