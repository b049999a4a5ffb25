"""Remembers the URLs, outcomes and documents of the crawl."""

from sitecrawl.frontier.opening import open_frontier
from sitecrawl.frontier.options import StateOptions

__all__ = ["StateOptions", "open_frontier"]
