"""Rules on URLs of the same page: their variables, and the URL that they keep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from random import Random

import pytest

from sitecrawl.policy.learning.duplicate_rules import DuplicateRule, script_of
from sitecrawl.policy.learning.evidence import RuleState
from sitecrawl.policy.learning.origin_learning import (
    MAX_PARAMETER_RULES,
    MAX_PROPOSALS,
    ObservedPage,
    OriginLearning,
    rewriting_of,
)

ORIGIN = "https://example.org"
LANGUAGES = ("de", "fr", "pt-br")


def rule_of(*pairs: tuple[str, str]) -> DuplicateRule:
    """A rule that pairs of paths make."""
    scripts = [script_of(one, other) for one, other in pairs]
    assert all(script is not None for script in scripts)
    rule = DuplicateRule.of(scripts[0] or ())
    for script in scripts[1:]:
        rule.widen(script or ())
    return rule


def learning(known: Iterable[str]) -> OriginLearning:
    """The learning of an origin whose URLs are known by their paths."""
    urls = {ORIGIN + path for path in known}
    return OriginLearning(ORIGIN, urls.__contains__, urls.__contains__, lambda *_: False)


def learn(origin: OriginLearning, *pairs: tuple[str, str]) -> None:
    """Observe pages, each found to be equal to an earlier one."""
    for path, other in pairs:
        origin.observe(ObservedPage(ORIGIN + path, hash((path, other)), 1000, (ORIGIN + other,)))


@pytest.mark.behaviour("DU-20")
def test_a_language_that_only_one_url_has_is_a_variable() -> None:
    rule = rule_of(*((f"/{each}/a/x.html", "/a/x.html") for each in LANGUAGES), ("/de/y", "/y"))
    assert str(rule) == "/<language>/* => /* (<language>: de, fr, pt-br)"
    assert rule.apply("/pt-br/b.html") == "/b.html"
    assert rule.apply("/mod/b.html") is None
    assert rule.apply("/ja/b.html") is None  # no page has confirmed it
    assert set(rule.duplicates_of("/b.html")) == {f"/{each}/b.html" for each in LANGUAGES}
    again = DuplicateRule.from_stored(rule.as_stored())
    assert again.as_stored() == rule.as_stored()
    assert str(again) == str(rule)


@pytest.mark.behaviour("DU-20")
def test_a_language_and_a_moved_word_are_two_variables() -> None:
    rule = rule_of(("/de/x.html.fr", "/fr/x.html"), ("/fr/y.html.de", "/de/y.html"))
    assert rule.apply("/de/z.html.fr") == "/fr/z.html"
    assert rule.apply("/de/z.html") is None


@pytest.mark.behaviour("DU-20")
def test_a_withdrawn_rule_for_all_languages_leaves_one_for_each() -> None:
    origin = learning([])
    learn(origin, ("/de/x.html", "/x.html"))
    [general] = (
        each for each in origin.duplicates.values() if str(each) == "/de/x.html => /x.html"
    )
    general.evidence.contradict("https://example.org/fr/x.html")
    learn(origin, *((f"/de/{name}.html", f"/{name}.html") for name in "abcdefghijk"))
    active = [str(each) for each in origin.duplicates.values() if each.state is RuleState.ACTIVE]
    assert active == ["/de/*.html => /*.html"]


@pytest.mark.behaviour("DU-33")
def test_a_generalised_rule_is_tested_with_texts_that_supported_it_before() -> None:
    origin = learning([])
    texts = range(12)
    for language in LANGUAGES:
        for number in texts:
            page = ObservedPage(f"{ORIGIN}/{language}/{number}.html", number, 1000)
            origin.observe(page._replace(equal_to=(f"{ORIGIN}/{number}.html",)))
        [rule] = (each for each in origin.duplicates.values() if "=> /*.html" in str(each))
        assert rule.state is RuleState.ACTIVE
    assert rule.evidence.support == len(texts)
    # One text proves nothing, however often it is found.
    rule.evidence.retest()
    rule.evidence.state = RuleState.TESTED
    for number in texts:
        page = ObservedPage(f"{ORIGIN}/de/{number}/x.html", 1, 1000)
        origin.observe(page._replace(equal_to=(f"{ORIGIN}/{number}/x.html",)))
    assert (rule.state, rule.evidence.tests) == (RuleState.TESTED, 1)


@pytest.mark.behaviour("DU-34")
def test_names_with_a_hash_have_a_rule_of_their_own_where_that_for_all_names_failed() -> None:
    origin = learning([])
    learn(origin, ("/15/x.html", "/16/x.html"))
    for rule in origin.duplicates.values():
        rule.evidence.contradict(f"{ORIGIN}/15/y.html")
    hashes = (
        "d5ffa3",
        "0a1b2c3d",
        "9f86d0818",
        "c0ffee1",
        "3fbea91",
        "a00000",
        "e4d909c",
        "77de68",
    )
    names = [f"source_{each}.html" for each in hashes]
    pairs = [(f"/15/api/{name}", f"/16/api/{name}") for name in names]
    learn(origin, *pairs, *((f"/15/{name}.html", f"/16/{name}.html") for name in "abcdefghi"))
    [active] = (each for each in origin.duplicates.values() if each.state is RuleState.ACTIVE)
    assert str(active) == "/15/api/*.html => /16/api/*.html (names with a hash)"
    assert active.apply("/15/api/other-1b2c3d4e.html") == "/16/api/other-1b2c3d4e.html"
    for name in (
        "other.html",
        "facade.html",
        "20231105.html",
        "release-16.html",
        "x.html?id=d5ffa3",
    ):
        assert active.apply(f"/15/api/{name}") is None
    again = DuplicateRule.from_stored(json.loads(json.dumps(active.as_stored())))
    assert (again.key, again.rewriting()) == (active.key, active.rewriting())
    exported, _, target = (rewriting_of(active, ORIGIN) or "").partition("=>")
    assert (
        re.sub(exported, target, f"{ORIGIN}/15/api/x-d5ffa3.html")
        == f"{ORIGIN}/16/api/x-d5ffa3.html"
    )
    assert re.search(exported, f"{ORIGIN}/15/api/x.html") is None


@pytest.mark.behaviour("DU-20")
def test_rules_that_lead_in_circles_keep_the_page_that_was_read_or_ranks_first() -> None:
    names = "abcdefghijk"
    pairs = [(f"/{name}.html.de", f"/de/{name}.html") for name in names]
    origin = learning(["/de/x.html", "/x.html.de", "/x.html"])
    learn(origin, *pairs, *((other, path) for path, other in pairs))
    read = {f"{ORIGIN}/x.html.de"}
    folds = [each.url for each in origin.fold(f"{ORIGIN}/de/x.html", read.__contains__)]
    assert folds == [f"{ORIGIN}/x.html.de"]
    unread = [*origin.fold(f"{ORIGIN}/de/x.html", lambda _: False)]
    assert unread == []
    assert [each.url for each in origin.fold(f"{ORIGIN}/x.html.de", lambda _: False)] == [
        f"{ORIGIN}/de/x.html"
    ]


@pytest.mark.behaviour("DU-20")
def test_samples_are_taken_apart_where_the_kept_page_links_to_the_url() -> None:
    rule = rule_of(("/de/x", "/x"))
    kept = [rule.evidence.fold(linked=each) for each in [False] * 40 + [True] * 4]
    assert [place for place, folded in enumerate(kept) if not folded] == [1, 3, 15, 31, 40, 41, 43]
    before = [rule.evidence.fold(before=True) for _ in range(3)]
    assert before == [False, True, True]


@pytest.mark.behaviour("DU-29")
def test_what_is_learned_is_bounded_whatever_a_site_does() -> None:
    random, made = Random(1), learning([])

    def word() -> str:
        return "".join(random.choices("abcdefghij-0.", k=random.randint(1, 90)))

    for number in range(4000):
        one, other = ("/" + "/".join(word() for _ in range(random.randint(1, 4))) for _ in range(2))
        page = f"{one}?{word()}={word()}&x{number}=1"
        made.observe(ObservedPage(ORIGIN + page, number // 3, 1000, (ORIGIN + other,)))
    assert len(made.duplicates) <= MAX_PROPOSALS
    assert len(made.parameters) <= MAX_PARAMETER_RULES
    stored = [len(json.dumps(rule.as_stored())) for rule in made.rules]
    assert sum(stored) < 1_000_000
    assert max(stored) < 8000


@pytest.mark.behaviour("DU-26")
def test_a_way_that_ends_at_another_version_of_the_page_is_not_gone() -> None:
    names = "abcdefghijk"
    known = {f"{ORIGIN}/{each}/z.html" for each in ("ja", "de", "en")}
    translated = {(f"{ORIGIN}/ja/z.html", f"{ORIGIN}/en/z.html")}
    origin = OriginLearning(
        ORIGIN, known.__contains__, known.__contains__, lambda *pair: pair in translated
    )
    for other in ("de", "en"):
        learn(origin, *((f"/ja/{name}.html", f"/{other}/{name}.html") for name in names))
    learn(origin, *((f"/de/{name}.html", f"/en/{name}.html") for name in names))
    assert [*origin.fold(f"{ORIGIN}/ja/z.html", lambda _: False)] == []
    translated.clear()
    assert [*origin.fold(f"{ORIGIN}/ja/z.html", lambda _: False)] != []
