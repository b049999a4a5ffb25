"""What the rules answer about a URL."""

from __future__ import annotations

from typing import NamedTuple

from sitecrawl.policy.decision import Decision


class Admission(NamedTuple):
    """The verdict on one URL, and what would be requested and stored if it is allowed.

    ``url`` is the URL after rewriting and query treatment, ``key`` its identity key,
    ``fingerprint`` the key's signed 64-bit hash, ``origin`` its origin ("" if it has none).
    ``indexed`` is False for a start that may be fetched for its links but that the
    patterns a document must match do not match.
    """

    decision: Decision
    url: str
    key: str = ""
    fingerprint: int = 0
    origin: str = ""
    indexed: bool = True


class Step(NamedTuple):
    """One rule's part in a decision, as ``scrapy explain`` prints it.

    ``rule`` is the reason it would refuse under, ``verdict`` one of ``passed``,
    ``changed``, ``exempt`` (a start, to which the rule does not apply) or ``refused``;
    ``detail`` is the option with its value and source, or for a change the new URL.
    """

    rule: str
    verdict: str
    detail: str
