"""Keeps out of the log what Scrapy says of itself at the start of every crawl."""

from __future__ import annotations

import logging

TALKATIVE = ("scrapy.addons", "scrapy.crawler", "scrapy.middleware", "scrapy.utils.log")
"""Loggers that list versions, overridden settings and enabled components."""


def calm(level: str) -> None:
    """Let these loggers only warn, unless the log is to have everything.

    Filters, because Scrapy resets the levels of its loggers when it configures them.
    """
    for name in TALKATIVE:
        logger = logging.getLogger(name)
        logger.removeFilter(is_warning)
        if level != "DEBUG":
            logger.addFilter(is_warning)


def is_warning(record: logging.LogRecord) -> bool:
    """Whether a person should know."""
    return record.levelno >= logging.WARNING
