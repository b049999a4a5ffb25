"""Pools of related templates: what the kinds of pages of a directory, namespace or parameter share."""

from __future__ import annotations

import pytest

from sitecrawl.policy.learning.template_worth import (
    HANDFUL,
    MIN_POOLED,
    MIN_STATED,
    NEAR_COPY,
    Templates,
    TemplateVisit,
)

HOME = "https://example.org"


def observe(templates: Templates, *paths: str, result: str = "noindex", new: bool = False) -> None:
    for path in paths:
        templates.observe(TemplateVisit(HOME + path, f"{HOME}/", result, is_new=new))


def judged(templates: Templates, path: str) -> str | None:
    """Name of what a URL is left out for, None if it is requested."""
    found = templates.judge(HOME + path)
    return found[0] if found is not None and found[1].is_barren else None


SPECIAL = [f"/wiki/Special:{name}/{n}" for name in ("Links", "Log", "Export") for n in range(3)]
ACTIONS = [
    f"/index.php?action={name}&title=P{n}" for name in ("edit", "info", "raw") for n in range(3)
]
SECTIONS = [f"/index.php?action=edit&section={n}&title=P" for n in range(3)]
DEAD = [f"/old/{part}/{name}.html" for part in "abc" for name in ("one", "two", "three", "four")]


@pytest.mark.behaviour("Q-30")
@pytest.mark.parametrize(
    ("paths", "result", "further", "pool"),
    [
        (SPECIAL, "noindex", "/wiki/Special:Export/9", "/wiki/Special:**"),
        ([*ACTIONS, *SECTIONS], "noindex", SECTIONS[0] + "Q", "/index.php?**action"),
        (DEAD, "file_not_found", "/old/d/five.html", "/old/**"),
    ],
)
def test_kinds_that_share_a_namespace_parameter_or_directory_are_judged_together(
    paths: list[str], result: str, further: str, pool: str
) -> None:
    templates = Templates()
    observe(templates, "/wiki/Article", "/other.html", result="file_ingested", new=True)
    enough = MIN_STATED if result == "noindex" else MIN_POOLED
    observe(templates, *paths[: enough - 1], result=result)
    assert judged(templates, further) is None
    observe(templates, *paths[enough - 1 :], result=result)
    assert judged(templates, further) == pool


@pytest.mark.behaviour("Q-30")
def test_the_first_page_of_each_kind_is_requested_unless_its_directory_is_dead() -> None:
    templates = Templates()
    observe(templates, *ACTIONS)
    assert judged(templates, "/index.php?action=history&title=P1") is None
    observe(templates, "/index.php?action=history&title=P1")
    assert judged(templates, "/index.php?action=history&title=P2") == "/index.php?**action"


@pytest.mark.behaviour("Q-30")
def test_a_single_document_keeps_a_pool_from_being_left_out() -> None:
    templates = Templates()
    observe(templates, *DEAD, result="file_not_found")
    observe(templates, "/old/d/five.html", result="file_ingested", new=True)
    assert judged(templates, "/old/d/six.html") is None
    assert templates.revived


@pytest.mark.behaviour("Q-30")
def test_a_document_found_on_a_page_counts_for_its_whole_pool() -> None:
    templates = Templates()
    observe(templates, *SPECIAL)
    page = TemplateVisit(f"{HOME}/wiki/A", HOME + SPECIAL[0], "file_ingested", is_new=True)
    templates.observe(page)
    assert judged(templates, "/wiki/Special:Export/9") is None
    assert templates.revived


@pytest.mark.behaviour("Q-30")
def test_samples_are_shared_by_the_kinds_of_a_pool() -> None:
    templates = Templates()
    observe(templates, *ACTIONS, *SECTIONS)
    samples = 0
    for n in range(200):
        for path in (
            f"/index.php?action=edit&title=Q{n}",
            f"/index.php?action=edit&section=1&title=Q{n}",
        ):
            found = templates.judge(HOME + path)
            assert found is not None
            samples += found[1].sample()
    assert samples == 9  # the first, second, fourth, ... of 400


@pytest.mark.behaviour("Q-27")
def test_a_kind_comes_last_from_its_first_page_that_says_noindex_or_its_second_without_a_document() -> (
    None
):
    templates = Templates()

    def comes_last(path: str) -> bool:
        found = templates.judge(HOME + path)
        return found is not None and found[1].comes_last

    observe(templates, "/tag/1")
    assert comes_last("/tag/2")
    observe(templates, "/item/1", result="file_not_found")
    assert not comes_last("/item/2")
    observe(templates, "/item/2", result="file_not_found")
    assert comes_last("/item/3")
    observe(templates, "/item/3", result="file_ingested", new=True)
    assert not comes_last("/item/4")
    observe(templates, *(f"/item/{n}" for n in range(4, 4 + HANDFUL)), result="file_not_found")
    assert comes_last("/item/10")


@pytest.mark.behaviour("Q-51")
def test_documents_that_were_not_compared_count_for_their_kind_unless_it_has_near_copies() -> None:
    """Translations are not compared with each other: broken links among them prove nothing."""
    templates = Templates()
    for n in range(HANDFUL):
        document = TemplateVisit(
            f"{HOME}/ko/page{n}.html", f"{HOME}/", "file_ingested", is_new=True
        )
        templates.observe(document._replace(is_counted=False))
    missing = [f"/ko/missing{n}.html" for n in range(4 * HANDFUL)]
    observe(templates, *missing, result="file_not_found")
    assert judged(templates, "/ko/other.html") is None
    observe(templates, "/ko/copy.html", result=NEAR_COPY)
    assert judged(templates, "/ko/other.html") is not None
