"""The crawl database: URLs, outcomes and documents."""

from sitecrawl.frontier.opening import (
    open_administration,
    open_change_log,
    open_frontier,
    open_pruning,
    open_records,
    open_reindex,
    open_survey,
)
from sitecrawl.frontier.state_options import StateOptions

__all__ = [
    "StateOptions",
    "open_administration",
    "open_change_log",
    "open_frontier",
    "open_pruning",
    "open_records",
    "open_reindex",
    "open_survey",
]
