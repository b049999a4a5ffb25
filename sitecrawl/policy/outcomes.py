"""Outcomes of visits, and the faults of pages and files that give no document."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

OUTCOME_STATS, RULE_STATS = "sitecrawl/outcomes/", "sitecrawl/rules/"
"""Beginnings of the names of the stats that count visits by outcome, and refusals by reason."""


class Outcome(IntEnum):
    """Outcome of a crawl action: each has exactly one. The numbers are stored."""

    DATABASE_ERROR = -3
    CANCELLED = -2
    LEASE_LOST = -1
    BLOCKED_BY_ROBOTS_TXT = 10
    BLOCKED_URL_BY_LOCAL_POLICY = 11
    FILE_INGESTED = 20
    NOINDEX = 21
    NON_CANONICAL = 22
    DUPLICATE = 23
    NO_CONTENT = 24
    DROPPED = 25
    SCRIPT_SHELL = 26
    PARKED = 27
    UNWANTED_TYPE = 28
    FILE_OF_UNKNOWN_TYPE = 29
    USAGE_FORBIDDEN = 30
    PERMANENT_REDIRECT = 31
    REDIRECT = 32
    NOTHING_NEW = 33
    FILE_DID_NOT_CHANGE = 34
    SERVER_BLAMED_CLIENT = 40
    FILE_GONE = 41
    DID_NOT_UNDERSTAND_ANSWER = 42
    LOGIN_WALL = 43
    FILE_NOT_FOUND = 44
    SOFT_404 = 45
    NOT_ACCEPTABLE = 46
    TOO_LARGE = 47
    CONSENT_WALL = 48
    RATE_LIMITED = 49
    SERVER_INTERNAL_ERROR = 50
    ERROR_PAGE = 51
    CONNECTION_FAILED = 100
    REQUEST_TIMEOUT = 101


READ = frozenset(
    {
        Outcome.FILE_INGESTED,
        Outcome.FILE_DID_NOT_CHANGE,
        Outcome.NOINDEX,
        Outcome.USAGE_FORBIDDEN,
        Outcome.NON_CANONICAL,
        Outcome.DUPLICATE,
        Outcome.NOTHING_NEW,
    }
)
"""Outcomes of pages that were read."""
REDIRECTS = frozenset({Outcome.REDIRECT, Outcome.PERMANENT_REDIRECT})
PLACEHOLDER_KINDS = {
    outcome.name.lower(): outcome
    for outcome in (
        *(Outcome.SOFT_404, Outcome.LOGIN_WALL, Outcome.CONSENT_WALL, Outcome.SCRIPT_SHELL),
        *(Outcome.PARKED, Outcome.ERROR_PAGE),
    )
}
"""Values of the option ``placeholder_pages``, with their outcomes."""
PLACEHOLDERS = frozenset(PLACEHOLDER_KINDS.values())
"""Outcomes of pages with status 200 but without content of the site."""


class PageFault(NamedTuple):
    """A fault: the outcome of its visit, and its row in docs/outcomes.md."""

    outcome: Outcome
    meaning: str


# A file without text has its document deleted, if it had one. A file that is broken or too costly
# may be readable at the next visit: its document stays.
PAGE_FAULTS: Mapping[str, PageFault] = {
    "unknown_version": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "a `<documentdata>` file in a version that is not known"
    ),
    "listing": PageFault(
        Outcome.UNWANTED_TYPE,
        "a feed, sitemap or list of feeds served as XML text: it repeats what its pages say",
    ),
    "file_encrypted": PageFault(Outcome.UNWANTED_TYPE, "the file needs a password"),
    "file_scanned": PageFault(
        Outcome.UNWANTED_TYPE,
        "a PDF of pictures without text; character recognition must run first",
    ),
    "file_without_text": PageFault(Outcome.UNWANTED_TYPE, "there is no text in the file"),
    "file_unsupported": PageFault(
        Outcome.UNWANTED_TYPE, "a format that is known and cannot be read, such as Word 97-2003"
    ),
    "file_broken": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER,
        "the file is cut short, damaged, or not of the format that it claims",
    ),
    "file_too_slow": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "reading the file takes more than 20 s of processor time"
    ),
    "file_too_large": PageFault(
        Outcome.TOO_LARGE,
        "reading the file takes more than 600 MB of memory, or it unpacks to more than 200 MB",
    ),
}
