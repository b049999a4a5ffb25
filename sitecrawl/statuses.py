"""The exit statuses of the commands."""

from __future__ import annotations

DONE, NO_RESULT, BAD_USAGE, DATABASE_ERROR = 0, 1, 2, 3
STARTS_FAILED = 4  # of a crawl that is done otherwise
ALREADY_RUNNING = 5  # of a crawl with exclusive=yes
INTERRUPTED = 130  # as in shells: 128 + signal number
SUCCESSES = frozenset({DONE, STARTS_FAILED})
"""Statuses of crawls that ran to their end or limit, and wrote everything they found."""

MAX_PAGES = "max_pages"
"""Finish reason of a run that has made as many requests as that option allows."""
