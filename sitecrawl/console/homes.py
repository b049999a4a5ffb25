"""Where starts were sent: that is in scope too, as the crawl has it."""

from __future__ import annotations

from sitecrawl.frontier.records import Records
from sitecrawl.params.crawl import CrawlParams
from sitecrawl.policy.engine import Rules
from sitecrawl.web.urls import normalize


def start_fingerprints(rules: Rules, params: CrawlParams) -> frozenset[int]:
    """The fingerprints of the starts that the configuration names."""
    starts = (rules.admit(normalize(start) or start, via="seed") for start in params.start)
    return frozenset(start.fingerprint for start in starts)


def widen_scope(rules: Rules, params: CrawlParams, records: Records) -> None:
    """Bring the origins into scope that starts were sent to when they last answered."""
    starts = [rules.admit(normalize(start) or start, via="seed").url for start in params.start]
    for url, target in records.sent(starts, realm=params.realm, key=rules.key):
        rules.admit_redirect(url, target)
