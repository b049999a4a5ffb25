"""Differences between each profile and the defaults on the test site."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from site_runs import marks

from fixtures.crawls import CrawlCommand
from fixtures.server import Server
from fixtures.site import serve

CASES = Path(__file__).parent / "cases"
PROFILES = tomllib.loads((CASES / "profiles.toml").read_text("utf-8"))
TABLE = tomllib.loads((CASES / "documents.toml").read_text("utf-8"))
GROUPS = ("robots", "frames", "maps", "menus", "scripts", "types", "names", "query")


@pytest.mark.behaviour("K-01", "K-03", "K-05", "K-08", "K-09", "K-19", "K-28")
@pytest.mark.parametrize(("profile", "case"), PROFILES.items(), ids=PROFILES)
def test_profile(profile: str, case: dict[str, Any], server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    starts = [f"{origins.main}/{group}/" for group in GROUPS]
    run = crawl(*starts, profile=profile, mode="crawl")
    assert run.status == 0, run.log[-3000:]
    usual = {
        mark for group in GROUPS for found in TABLE[group]["documents"].values() for mark in found
    }
    found = {mark for each in run.documents.values() for mark in marks(each)}
    assert usual - found == set(case["lost"])
    asked = set(server.log.targets(origins.main))
    assert asked >= set(case["asked"])
    assert asked.isdisjoint(case["not_asked"])
