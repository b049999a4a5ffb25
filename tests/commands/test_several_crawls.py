"""Several crawls in one folder: the newest with documents answers, and is named."""

from __future__ import annotations

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

pytestmark = pytest.mark.behaviour("A-20")


def test_the_newest_with_documents_is_used_and_named(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    first, second = (
        f"{server.serve({'/': page(title=name, text=f'about {name}')}, address=address)}/"
        for name, address in (("apples", "127.0.0.2"), ("pears", "127.0.0.3"))
    )
    assert crawl(first).status == 0
    alone = say("search", "apples")
    assert (alone.status, alone.err) == (0, "")
    assert crawl("http://127.0.0.4:9/", retries=0).status == 1  # nobody answers there
    failed = say("search", "apples")
    assert failed.status == 0
    assert "the newest with documents is used: 127.0.0.2" in failed.err
    assert crawl(second).status == 0
    named = say("search", "pears")
    assert named.status == 0
    lines = named.err.splitlines()
    assert lines[0].startswith("Of 3 crawls, the newest with documents is used: 127.0.0.3")
    assert [line.split()[1:3] for line in lines[1:4]] == [
        ["1", "documents"],
        ["0", "documents"],
        ["1", "documents"],
    ]
    assert all("ended" in line for line in lines[1:4])
    assert "-a crawl_name=127.0.0." in lines[4]
    for command in (
        ("report",),
        ("frontier",),
        ("export",),
        ("reindex",),
        ("frontier", "prune", "1d"),
    ):
        assert say(*command).status in {0, 1}
    other = say("search", "-a", f"crawl_name={lines[3].split()[0]}", "apples")
    assert (other.status, other.err) == (0, "")
