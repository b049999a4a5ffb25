"""Refusal of URLs that a learned rule maps to another URL."""

from __future__ import annotations

from sitecrawl.policy.decision import RefusalReason

LEARNED_DUPLICATE = RefusalReason(
    "learned_duplicate",
    "by a rule learned from the site's own pages it is the same page as another URL "
    "(`learn_duplicates`, `query=learn`)",
    options=("learn_duplicates", "query", "forbidden_rules"),
)
