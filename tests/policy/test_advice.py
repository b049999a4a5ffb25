"""Every reason for which a fetch brings nothing has words and a remedy, and remedies name options."""

from __future__ import annotations

import re

import pytest

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.advice import all_advice
from sitecrawl.policy.http import answers
from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import PLACEHOLDER_KINDS, READ, REDIRECTS

RESULTS = [
    *(each for each in vars(answers).values() if isinstance(each, FetchResult)),
    *answers.STATUSES.values(),
    *answers.FAILURES.values(),
]
ADVICE = all_advice()
REASONS = {each.reason for each in RESULTS if each.outcome not in READ | REDIRECTS}
RULES = {"no_document", "start_for_links"}
"""Reasons whose remedy depends on rules: ``scrapy explain`` names them."""


@pytest.mark.behaviour("O-15")
def test_every_reason_has_words_and_a_remedy() -> None:
    assert len(REASONS) > 30
    assert sorted((REASONS | PLACEHOLDER_KINDS.keys()) - ADVICE.keys()) == []
    assert {reason for reason, each in ADVICE.items() if not each.remedy} == RULES
    assert [] == []


def test_remedies_name_options_that_exist() -> None:
    named = {name for each in ADVICE.values() for name in re.findall(r"-a (\w+)=", each.remedy)}
    assert "auth" in named
    assert sorted(named - CrawlParams.model_fields.keys()) == []
