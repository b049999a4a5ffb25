"""Everything that is wrong with a configuration is said at once, with its place and remedy."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.config.configuration import ConfigError, load

CASES = tomllib.loads((Path(__file__).parent / "cases" / "problems.toml").read_text())["case"]


def param(case: dict[str, Any]) -> Any:
    marks = [pytest.mark.behaviour(case["id"])] if "id" in case else []
    return pytest.param(case, id=case["name"], marks=marks)


@pytest.mark.parametrize("case", list(map(param, CASES)))
def test_every_problem_has_its_line(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("site.toml").write_text(case.get("site", "").lstrip("\n"))
    Path("bytes.bin").write_bytes(b"\xff\x00")
    with pytest.raises(ConfigError) as caught:
        load(case["arguments"])
    assert sorted(caught.value.problems) == sorted(case["problems"])
    assert str(caught.value).splitlines() == caught.value.problems
