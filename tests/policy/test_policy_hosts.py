"""Rules that one origin has the pages of another: which of the two stays, and what withdraws a rule."""

from __future__ import annotations

import pytest

from sitecrawl.policy.learning.evidence import RuleState
from sitecrawl.policy.learning.host_rules import HostRule, HostRules, Partner
from sitecrawl.policy.learning.origin_learning import EarlierPage, ObservedPage

APEX, WWW = "https://example.org", "https://www.example.org"


def read(number: int, *, size: int = 1000, canonical: str | None = None) -> ObservedPage:
    """A page of the host www."""
    return ObservedPage(f"{WWW}/p{number}", number, size, canonical=canonical)


def learned(pages: int, partner: Partner | None = None) -> HostRules:
    """The rules of www after pages that both hosts have."""
    rules = HostRules(WWW)
    rules.note_partners([partner or Partner(APEX, comes_first=True)])
    for number in range(pages):
        rules.observe(read(number))
        for question in rules.questions():
            rules.answer(question, EarlierPage(number))
    return rules


def states(rules: HostRules) -> list[RuleState]:
    """The states of all rules."""
    return [rule.state for rule in rules.rules.values()]


@pytest.mark.behaviour("DU-30")
def test_a_host_rule_is_proposed_tested_and_then_active() -> None:
    assert states(learned(2)) == [RuleState.PROPOSED]
    assert states(learned(6)) == [RuleState.TESTED]
    rules = learned(7)
    [rule] = rules.active
    assert (str(rule), rule.apply(f"{WWW}/a?b=1")) == (f"{WWW}/* => {APEX}/*", f"{APEX}/a?b=1")
    assert HostRule.from_stored(rule.as_stored()) == rule
    assert rules.withdrawn is False


@pytest.mark.behaviour("DU-30")
def test_no_rule_leads_to_a_host_that_comes_later_unless_pages_name_it() -> None:
    rules = learned(7, Partner(APEX))
    assert states(rules) == []
    for number in range(7):
        rules.observe(read(number, canonical=f"{APEX}/p{number}"))
    assert states(rules) == [RuleState.ACTIVE]
    for canonical in (f"{APEX}/", "https://elsewhere.example/p9", f"{WWW}/p8"):
        rules = HostRules(WWW)
        for _ in range(9):
            rules.observe(read(9, canonical=canonical))
        assert states(rules) == []


@pytest.mark.behaviour("DU-31")
@pytest.mark.parametrize(
    "other",
    [
        EarlierPage(99),
        EarlierPage(None, is_gone=True),
        EarlierPage(50, canonical=f"{WWW}/p50"),
    ],
    ids=["another text", "no such page", "the other host names this one"],
)
def test_one_page_withdraws_a_host_rule(other: EarlierPage) -> None:
    rules = learned(7)
    rules.observe(read(50))
    for question in rules.questions():
        rules.answer(question, other)
    assert states(rules) == [RuleState.WITHDRAWN]
    assert rules.withdrawn
    assert rules.questions() == []


@pytest.mark.behaviour("DU-31")
def test_short_texts_and_pages_that_are_not_read_yet_prove_nothing() -> None:
    rules = learned(0)
    rules.observe(read(1, size=100))
    assert rules.questions() == []
    rules.observe(read(2))
    for question in rules.questions():
        rules.answer(question, EarlierPage(None))
    assert len(rules.questions()) == 1
    for number in range(500):
        rules.observe(read(number))
    assert len(rules.questions()) == 100


@pytest.mark.behaviour("DU-31")
def test_a_rule_rests_while_the_other_host_leads_back_or_is_down() -> None:
    rules = learned(7)
    [rule] = rules.active
    rules.note_partners([Partner(APEX, comes_first=True, folds_into=(WWW,))])
    assert list(rules.active) == []
    rules.note_partners([Partner(APEX, comes_first=True, is_down=True)])
    assert list(rules.active) == [rule]
    assert rules.may_replace(rule, is_read=True)
    assert not rules.may_replace(rule, is_read=False)


@pytest.mark.behaviour("DU-30")
def test_a_sample_waits_for_a_replacement_that_was_read() -> None:
    rules = learned(7)
    [rule] = rules.active
    folded = [rules.fold(rule, is_read=False, before=False) for _ in range(4)]
    assert (folded, rules.owed) == ([True] * 4, 2)
    assert [rules.fold(rule, is_read=True, before=False) for _ in range(3)] == [False, False, True]


@pytest.mark.behaviour("DU-30")
def test_a_forbidden_host_rule_is_not_proposed() -> None:
    name = HostRule(WWW, APEX).id
    rules = HostRules(WWW, frozenset({name}))
    rules.note_partners([Partner(APEX, comes_first=True)])
    rules.observe(read(1))
    assert states(rules) == [RuleState.FORBIDDEN]
    assert rules.questions() == []
