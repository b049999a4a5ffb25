"""Losses of documents that a run carries out, and texts that are their page's own."""

from __future__ import annotations

import pytest

from sitecrawl.policy.lifecycle.losses import (
    Loss,
    LossCount,
    TextChange,
    acceptable,
    has_own_content,
    is_lasting,
    is_rewritten,
    words_of,
)

DAY = 24 * 3600.0
BEFORE = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrst")
SENTENCE = "we are working on our site and will be back soon"


def losses(plain: int, other: int) -> list[Loss]:
    """So many losses of each kind."""
    return [Loss(url, url < plain, 1, 0.0) for url in range(plain + other)]


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize(
    ("documents", "plain", "other", "before", "accepted"),
    [
        (1, 1, 0, (0, 0), 0),
        (8, 0, 1, (0, 0), 1),
        (8, 0, 2, (0, 0), 0),
        (8, 4, 0, (0, 0), 4),
        (8, 5, 0, (0, 0), 0),
        (8, 3, 1, (0, 0), 4),
        (8, 4, 1, (0, 0), 0),
        (8, 2, 2, (0, 0), 2),
        (8, 0, 1, (0, 1), 0),
        (8, 2, 0, (3, 0), 0),
        (60, 0, 6, (0, 0), 6),
        (60, 0, 7, (0, 0), 0),
        (60, 20, 7, (0, 0), 20),
    ],
)
def test_losses_have_a_limit_at_every_size(
    documents: int, plain: int, other: int, before: tuple[int, int], accepted: int
) -> None:
    found = acceptable(losses(plain, other), documents, LossCount(*before), 0.1)
    assert len(found) == accepted


@pytest.mark.parametrize(("share", "accepted"), [(0.0, 0), (0.5, 4), (1.0, 8)])
def test_the_share_is_an_option(share: float, accepted: int) -> None:
    assert len(acceptable(losses(0, 4), 8, LossCount(), share)) == min(accepted, 4)
    assert len(acceptable(losses(0, 8), 8, LossCount(), share)) == (8 if share == 1.0 else 0)


@pytest.mark.parametrize(
    ("visits", "days", "lasting"), [(5, 30, True), (4, 90, False), (50, 29, False)]
)
def test_a_loss_is_believed_after_many_visits_and_much_time(
    visits: int, days: float, lasting: bool
) -> None:
    assert (
        is_lasting(Loss(1, plain=False, visits=visits, since=0.0), days * DAY, 30 * DAY) is lasting
    )


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize(
    ("after", "others", "own"),
    [
        ("", [], False),
        ("only a few words", [], False),
        (SENTENCE, [], True),
        (SENTENCE, [SENTENCE], False),
        (f"its own title {SENTENCE}", [f"another one title {SENTENCE}"], False),
        (f"incident 3fa85f64 {SENTENCE}", [f"incident 7c9e6679 {SENTENCE}"], False),
        (f"cannot get /a/page {SENTENCE}", [f"cannot get /another {SENTENCE}"], False),
        (BEFORE.replace("word", "new"), [BEFORE.replace("word", "other")], True),
    ],
)
def test_a_text_is_the_pages_own_if_it_is_long_and_unlike_others(
    after: str, others: list[str], own: bool
) -> None:
    page = TextChange(words_of(BEFORE), words_of(after))
    assert is_rewritten(page)
    different = words_of(BEFORE.replace("word", "else"))
    assert has_own_content(page, [TextChange(different, words_of(o)) for o in others]) is own


def test_an_edited_text_is_not_rewritten() -> None:
    assert not is_rewritten(TextChange(words_of(BEFORE), words_of(f"{BEFORE[7:]} and more")))


def test_scripts_without_spaces_have_words() -> None:
    assert len(words_of("ただいまメンテナンス中です")) > 8
