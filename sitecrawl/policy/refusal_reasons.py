"""Registry of all refusal reasons, in the order in which a crawl applies them.

Each reason is declared where it is applied; the documentation and ``scrapy explain`` use this list.
"""

from __future__ import annotations

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.http.network_addresses import PRIVATE_ADDRESS
from sitecrawl.policy.urls.path_limits import DIRECTORY_FULL, LINKS_PER_PAGE, RedirectChains
from sitecrawl.policy.urls.rule_engine import LINK_RULES, STAGES
from sitecrawl.policy.worth.wanted import ENDLESS, LOW_YIELD

ROBOTS_TXT = RefusalReason(
    "robots_txt", "robots.txt forbids it (`obey_robots`)", options=("obey_robots",)
)
ROBOTS_TXT_UNREACHABLE = RefusalReason(
    "robots_txt_unreachable",
    "robots.txt cannot be read, which forbids everything (RFC 9309, 2.3.1.4)",
)
FORMER_START = RefusalReason(
    "former_start", "no longer a start, and no page or sitemap in scope names it"
)
URL_REASONS = tuple(rule.reason for stage in STAGES for rule in stage.rules)
"""Reasons that depend on the URL alone."""
LINK_REASONS = tuple(rule.reason for rule in LINK_RULES)
"""Reasons that depend on the place of a link."""
LIMIT_REASONS = (LINKS_PER_PAGE, DIRECTORY_FULL, RedirectChains.reason, LOW_YIELD, ENDLESS)
"""Reasons of the limits that count while a crawl runs."""
REFUSAL_REASONS = (
    *URL_REASONS,
    *LINK_REASONS,
    *LIMIT_REASONS,
    PRIVATE_ADDRESS,
    ROBOTS_TXT,
    FORMER_START,
    ROBOTS_TXT_UNREACHABLE,
)


def documentation() -> str:
    """Return the table of docs/outcomes.md."""
    head = "| reason | meaning, with the deciding [option](configuration.md) |\n|---|---|\n"
    return head + "".join(f"| `{each.name}` | {each.meaning} |\n" for each in REFUSAL_REASONS)
