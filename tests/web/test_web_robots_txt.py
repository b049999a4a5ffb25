"""robots.txt: what is allowed, by which line, and what else the file says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from fixtures.effort import effort_within
from sitecrawl.web.robots.robots_txt import MANY, NOTICE_LIMIT, SIZE_LIMIT, RobotsMatch, RobotsTxt

SITE = "http://example.org"
CASES = tomllib.loads((Path(__file__).parent / "cases" / "robots.toml").read_text("utf-8"))["case"]


def read(case: dict[str, Any], text: str | bytes | None = None) -> RobotsTxt:
    written = case["text"].encode("latin-1") if case.get("latin1") else case["text"]
    body = written if text is None else text
    option = case.get("case_insensitive_disallow", False)
    return RobotsTxt.parse(body, origin=SITE, case_insensitive_disallow=option)


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [
        pytest.param(case, id=case["name"], marks=pytest.mark.behaviour(*case.get("ids", ())))
        for case in cases
    ]


def assert_verdicts(robots: RobotsTxt, case: dict[str, Any]) -> None:
    for verdict in case["verdicts"]:
        agent = verdict.get("agent", "FooBot")
        for path in verdict["allowed"]:
            assert robots.match(SITE + path, agent).allowed, f"{path} is allowed for {agent}"
        for path in verdict["refused"]:
            assert not robots.match(SITE + path, agent).allowed, f"{path} is refused to {agent}"


@pytest.mark.parametrize("case", named(CASES))
def test_verdicts(case: dict[str, Any]) -> None:
    assert_verdicts(read(case), case)


@pytest.mark.parametrize("case", named([case for case in CASES if "delay" in str(case)]))
def test_crawl_delay(case: dict[str, Any]) -> None:
    robots = read(case)
    for verdict in case["verdicts"]:
        assert robots.crawl_delay(verdict.get("agent", "FooBot")) == verdict.get("delay")


@pytest.mark.parametrize("case", named([case for case in CASES if "sitemaps" in case]))
def test_sitemaps(case: dict[str, Any]) -> None:
    assert list(read(case).sitemaps) == case["sitemaps"]


@pytest.mark.parametrize("case", named([case for case in CASES if "notices" in case]))
def test_notices(case: dict[str, Any]) -> None:
    found = [[notice.line_number, notice.problem] for notice in read(case).notices]
    assert found == case["notices"]


@pytest.mark.behaviour("RT-09")
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
def test_line_ends_do_not_matter(mark: str, end: str) -> None:
    for case in CASES:
        if not case.get("latin1"):
            text = mark + case["text"].replace("\n", end)
            assert_verdicts(read(case, text.encode()), case)
            assert_verdicts(read(case, text), case)


@pytest.mark.behaviour("RT-09")
def test_line_ends_may_be_mixed() -> None:
    robots = RobotsTxt.parse(
        b"\xef\xbb\xbfUser-agent: *\rDisallow: /a\r\nDisallow: /b\nDisallow: /c"
    )
    verdicts = [robots.match(f"{SITE}/{path}", "x") for path in "abcd"]
    assert [verdict.line_number for verdict in verdicts] == [2, 3, 4, 0]


def test_utf16_is_read() -> None:
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /ä".encode("utf-16"))
    assert not robots.match(f"{SITE}/%C3%A4", "x").allowed


def test_the_deciding_line_is_reported() -> None:
    robots = RobotsTxt.parse(b"# Hello\nUser-agent: *\n\n  Disallow: /caf\xe9  # no\nAllow: /\n")
    assert robots.match(f"{SITE}/caf%E9/x", "FooBot") == RobotsMatch(
        allowed=False, line_number=4, line="Disallow: /caf\ufffd  # no"
    )
    assert robots.match(f"{SITE}/x", "FooBot") == RobotsMatch(
        allowed=True, line_number=5, line="Allow: /"
    )
    assert RobotsTxt.parse(b"").match(f"{SITE}/x", "FooBot") == RobotsMatch(allowed=True)


def test_what_a_terminal_obeys_is_not_shown() -> None:
    lines = (
        "User-agent: *\nDisallow: /a\x1b # \x1b]0;title\x07\x9b2J\nx\x1b[2J\nDisallow: /b"
        + "b" * 9_999
    )
    robots = RobotsTxt.parse(lines)
    assert (
        robots.match(f"{SITE}/a%1B", "x").line
        == "Disallow: /a\ufffd # \ufffd]0;title\ufffd\ufffd2J"
    )
    assert [notice.line for notice in robots.notices] == ["x\ufffd[2J"]
    long = robots.match(f"{SITE}/b" + "b" * 9_999, "x")
    assert (long.allowed, len(long.line)) == (False, 500)


def test_what_is_beyond_the_limit_is_not_read() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    filler = b"#" * (SIZE_LIMIT - len(head) - 12) + b"\nDisallow: /half-a-line\nDisallow: /last\n"
    robots = RobotsTxt.parse(head + filler)
    allowed = [robots.match(f"{SITE}/{path}", "x").allowed for path in ("first", "h", "last")]
    assert allowed == [False, True, True]
    assert [notice.problem for notice in robots.notices] == ["cut"]


def test_notices_are_limited() -> None:
    assert len(RobotsTxt.parse("nonsense\n" * 1000).notices) == NOTICE_LIMIT


def test_a_thousand_rules_cost_little() -> None:
    rules = "".join(f"Disallow: /path-{number}/\n" for number in range(1000))
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}")
    with effort_within(60):
        for _ in range(1000):
            robots.match(f"{SITE}/some/other/page.html", "x")


@pytest.mark.parametrize("form", ["/*?name{}=", "/dir{}/*x", "/*/{}$", "/dir{}/"])
def test_twenty_thousand_rules_cost_little(form: str) -> None:
    lines = "".join(f"Disallow: {form.format(number)}\n" for number in range(20_000))
    robots = RobotsTxt.parse(f"User-agent: *\nAllow: /\n{lines}")
    assert not robots.match(SITE + form.format(19_999).replace("*", "a").strip("$"), "x").allowed
    with effort_within(200):  # tried one after the other they take thousands
        for number in range(200):
            assert robots.match(f"{SITE}/some/other/dir/page-{number}.html?names={number}", "x")


def test_wildcards_cost_no_backtracking() -> None:
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /" + "*a" * 5000 + "b$\n")
    with effort_within(40):
        assert robots.match(f"{SITE}/" + "a" * 20_000, "x").allowed


@pytest.mark.parametrize("between", ["", "Crawl-delay: 7\n"])
def test_thousands_of_agents_share_thousands_of_lines(between: str) -> None:
    agents = "".join(f"User-agent: bot-{number}\n{between}" for number in range(6000))
    rules = "".join(f"Disallow: /path-{number}/\n" for number in range(6000))
    with effort_within(800):
        robots = RobotsTxt.parse(f"{agents}{rules}User-agent: *\nCrawl-delay: 3\n")
        for agent, delay in (("bot-0", 7.0), ("bot-5999", 7.0), ("x", 3.0)):
            assert robots.match(f"{SITE}/path-5999/", agent).allowed is (agent == "x")
            assert robots.crawl_delay(agent) == (delay if between or agent == "x" else None)


paths = st.text("ab/*$.%", max_size=6).map(lambda path: "/" + path.replace("%", "%41"))
rules = st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), paths), max_size=5)


@settings(max_examples=300)
@given(rules, paths.filter(lambda path: not set("*$") & set(path)))
def test_protego_agrees(rules: list[tuple[str, str]], path: str) -> None:
    # Where Protego reads "$" both ways and doubled slashes as a host, it is not asked.
    rules = [rule for rule in rules if "$" not in rule[1][:-1] and "//" not in rule[1]]
    text = "User-agent: *\n" + "".join(f"{name}: {value}\n" for name, value in rules)
    url = SITE + path.replace("//", "/")
    assert RobotsTxt.parse(text).match(url, "x").allowed == Protego.parse(text).can_fetch(url, "x")


@settings(max_examples=300)
@given(rules, paths.filter(lambda path: not set("*$") & set(path)), st.booleans())
def test_more_rules_that_match_nothing_change_nothing(
    rules: list[tuple[str, str]], path: str, fold: bool
) -> None:
    text = "User-agent: *\n" + "".join(f"{name}: {value}\n" for name, value in rules)
    others = "".join(f"Disallow: /~{number}*\n" for number in range(MANY))
    few, many = (
        RobotsTxt.parse(body, case_insensitive_disallow=fold) for body in (text, text + others)
    )
    assert many.match(SITE + path, "x") == few.match(SITE + path, "x")
