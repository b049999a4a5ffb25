"""Deletions: when a document is lost, which losses a run carries out, and which wait.

A document is lost by a deletion of any reason, or by a new version without content of its own, as a
maintenance notice has it. A page that moved to a document with its text is not lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome

PLAIN = frozenset(
    {
        *(Outcome.FILE_GONE, Outcome.FILE_NOT_FOUND, Outcome.NOINDEX),
        *(Outcome.USAGE_FORBIDDEN, Outcome.BLOCKED_BY_ROBOTS_TXT),
        *(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, Outcome.DROPPED),
    }
)
"""Outcomes by which the owner of a site, or the user, says plainly that a page is no document."""
PLAIN_SHARE = 0.5
"""Part of an origin's documents that a day may lose by plain words, and in all."""
LASTING_VISITS = 5
"""Visits in a row that a loss must have stood, and for ``max_revisit``, to be carried out."""
LOST_WORDS = 1 / 3
"""Part of a text's words that an edited text has not lost."""
OWN_WORDS = 0.5
"""Least number of own words of a new text, as a part of those of the text before."""
_WORD = re.compile(r"\S+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
_VARIABLE = re.compile(r"[\d/\\]")
AT_ONCE = {
    Outcome.FILE_GONE: "gone",
    Outcome.NOINDEX: "noindex",
    Outcome.USAGE_FORBIDDEN: "usage",
    Outcome.BLOCKED_BY_ROBOTS_TXT: "robots_txt",
    Outcome.BLOCKED_URL_BY_LOCAL_POLICY: "excluded",
    Outcome.DROPPED: "dropped",
    Outcome.UNWANTED_TYPE: "unwanted_type",
    Outcome.FILE_OF_UNKNOWN_TYPE: "unwanted_type",
    Outcome.NOT_ACCEPTABLE: "unwanted_type",
    Outcome.PERMANENT_REDIRECT: "redirected",
    Outcome.NON_CANONICAL: "non_canonical",
    Outcome.DUPLICATE: "duplicate",
}
CONFIRMED = {
    Outcome.FILE_NOT_FOUND: "not_found",
    Outcome.SOFT_404: "not_found",
    Outcome.REDIRECT: "redirected",
}
UNREACHABLE = frozenset(
    {
        *(Outcome.SERVER_BLAMED_CLIENT, Outcome.SERVER_INTERNAL_ERROR),
        *(Outcome.DID_NOT_UNDERSTAND_ANSWER, Outcome.CONNECTION_FAILED),
        *(Outcome.REQUEST_TIMEOUT,),
    }
)


class Loss(NamedTuple):
    """A loss that a visit found: ``visits`` have found it in a row since the time ``since``."""

    url: int
    plain: bool
    visits: int
    since: float


class LossCount(NamedTuple):
    """Documents of an origin that were lost today, by plain words and otherwise."""

    plain: int = 0
    other: int = 0

    def plus(self, losses: Iterable[Loss]) -> LossCount:
        """Return the count after more losses."""
        plain = [loss.plain for loss in losses]
        return LossCount(self.plain + sum(plain), self.other + len(plain) - sum(plain))


class TextChange(NamedTuple):
    """Words of a page before and after its text changed."""

    before: frozenset[str]
    after: frozenset[str]


def is_lasting(loss: Loss, now: float, lasting: float) -> bool:
    """Return True if a loss has stood long enough, ``lasting`` seconds, to be believed."""
    return loss.visits >= LASTING_VISITS and now - loss.since >= lasting


def acceptable(
    losses: Sequence[Loss], documents: int, before: LossCount, share: float
) -> list[Loss]:
    """Return the losses that an origin may have without a confirmation.

    ``documents`` includes those that were lost ``before`` on the same day. At most ``share`` of them,
    but at least one, may be lost otherwise than by plain words, at most half of them in all; of more,
    none is. A share above a half is the limit for both.
    """
    most = int(max(share, PLAIN_SHARE) * documents)
    count = before.plus(losses)
    if count.plain + count.other > most:
        return []
    limit = max(share * documents, 1 if share else 0)
    return [loss for loss in losses if loss.plain or count.other <= limit]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, without those that have a digit or are part of a path.

    Each character counts as a word in scripts that set no spaces.
    """
    spaced = _UNSPACED.sub(r" \g<0> ", text.lower())
    return frozenset(word for word in _WORD.findall(spaced) if not _VARIABLE.search(word))


def is_rewritten(page: TextChange) -> bool:
    """Return True if a text was replaced, not edited: it has lost many of its words."""
    lost = len(page.before - page.after)
    return lost > LOST_WORDS * len(page.before) or not page.after


def has_own_content(page: TextChange, others: Iterable[TextChange]) -> bool:
    """Return True if a new text is long enough, and unlike the new texts of other pages.

    The words that two pages share do not count, such as those of the site's template, or of an error
    text with an incident number.
    """
    if len(page.after) < max(OWN_WORDS * len(page.before), 1):
        return False
    return all(
        len(page.after - other.after) >= max(OWN_WORDS * len(page.before - other.before), 1)
        for other in others
    )


@dataclass(frozen=True, slots=True)
class Deletion:
    """Evidence required for a deletion, and the ``share`` of an origin's documents that may be lost.

    A page that returns 404 is deleted after ``confirmations`` such responses in a row, one that
    cannot be fetched after ``unreachable_after`` failures in a row (0: never). ``acceptable`` has the
    meaning of the share.
    """

    confirmations: int = 3
    unreachable_after: int = 0
    share: float = 0.1


def deletion_reason(rule: Deletion, outcome: Outcome, missing: int, failures: int) -> str | None:
    """Return the reason to delete the document of a URL now; None to keep it.

    ``missing`` counts the consecutive 404 responses, ``failures`` the consecutive failed visits,
    both including this one.
    """
    if outcome in CONFIRMED and missing >= rule.confirmations:
        return CONFIRMED[outcome]
    if outcome in UNREACHABLE and 0 < rule.unreachable_after <= failures:
        return "unreachable"
    return AT_ONCE.get(outcome)
