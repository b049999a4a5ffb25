"""The outcomes of a crawl action."""

from __future__ import annotations

from enum import IntEnum


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

PLACEHOLDERS = frozenset(
    {
        Outcome.SOFT_404,
        Outcome.LOGIN_WALL,
        Outcome.CONSENT_WALL,
        Outcome.SCRIPT_SHELL,
        Outcome.PARKED,
        Outcome.ERROR_PAGE,
    }
)
"""Outcomes of pages with status 200 but without content of the site."""
