"""The rules of fetching, by their tables of cases."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.http.answers import (
    FAILURES,
    FailureBudget,
    FetchResult,
    answer_of_failure,
    answer_of_status,
    retry_wait,
)
from sitecrawl.policy.http.network_addresses import AddressRule, special_network
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.policy.http.request_headers import (
    HeaderPolicy,
    conditional,
    modified_since,
    user_agent,
)
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.urls.path_limits import RedirectChains
from sitecrawl.web.robots.robots_txt import product_token
from sitecrawl.web.validators import retry_after


@pytest.mark.behaviour("R-09", "K-21")
def test_redirect_chains_end() -> None:
    setting = "max_redirects 3 (-a max_redirects)"
    chains = RedirectChains(value=3, setting=setting)
    assert [chains.follow(n, n + 1).allowed for n in range(5)] == [True, True, True, False, True]
    assert chains.follow(3, 9) == Decision(allowed=False, reason="redirect_chain", rule=setting)
    assert not RedirectChains(value=0).follow(1, 2).allowed


def table(name: str) -> dict[str, Any]:
    path = Path(__file__).parent / "cases" / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8"))


def cases(name: str) -> list[Any]:
    return [
        pytest.param(case, marks=pytest.mark.behaviour(case["id"]), id=f"{case['id']}-{number}")
        for number, case in enumerate(table(name)["case"])
    ]


ADDRESSES, PACES, HEADERS = table("addresses"), table("paces"), table("headers")
LIMITED = answer_of_status(429, {})
OK = answer_of_status(200, {})
BROKEN = answer_of_status(500, {})


@pytest.mark.parametrize("address", ADDRESSES["networks"])
def test_network_of_address(address: str) -> None:
    assert (special_network(address) or "") == ADDRESSES["networks"][address]


@pytest.mark.parametrize("case", ADDRESSES["rules"], ids=lambda case: case["id"])
def test_open_addresses(case: dict[str, Any]) -> None:
    rule = AddressRule(case["starts"], allow_private=case.get("allow_private", False))
    for host, *addresses in case["lookups"]:
        rule.resolved(host, addresses)
    assert [a for a in case["open"] + case["shut"] if rule.decide(a).allowed] == case["open"]
    assert {rule.decide(address).reason for address in case["shut"]} <= {"private_address"}


@pytest.mark.parametrize("case", cases("paces"))
def test_pauses(case: dict[str, Any]) -> None:
    pace = Pace(case.get("delay", 1.0), case.get("crawl_delay"))
    pauses, at = [], 1000.0
    for seconds, what, *url in case["answers"]:
        if what == "ok":
            ready = pace.answered(at, seconds)
        elif what == "failed":
            ready = pace.failed(at, seconds)
        elif url:
            ready = pace.unavailable(at, seconds, what, *url)
        else:
            ready = pace.limited(at, seconds, None if what == "limited" else what)
        pauses.append(ready - at)
        at = ready
    assert pauses == pytest.approx(case["pauses"], abs=0.001)


@pytest.mark.behaviour("RT-14")
def test_crawl_delay_holds_from_robots_txt_on() -> None:
    pace = Pace(1.0)
    assert pace.answered(100.0, 0.01) == 101.0
    assert pace.learn(7.0) == 107.0
    assert pace.learn(None) == 101.0


def test_thousands_of_limits_overflow_nothing() -> None:
    pace = Pace()
    assert [pace.limited(0.0, 1.0) for _ in range(3000)][-1] == 120.0


@pytest.mark.parametrize("case", cases("headers"))
def test_headers(case: dict[str, Any]) -> None:
    policy = HeaderPolicy("sitecrawl/1 (+https://me.test)", **case.get("policy", {}))
    found = policy.of(
        case["url"],
        wanted=case.get("wanted", "page"),
        referrer=case.get("referrer"),
        known=case.get("known", False),
    )
    assert {name: found.get(name) for name in case.get("has", {})} == case.get("has", {})
    assert not set(case.get("absent", [])) & set(found)
    assert "*/*" not in found["Accept"]


@pytest.mark.behaviour("F-05", "F-06", "K-32")
@pytest.mark.parametrize("case", HEADERS["agent"], ids=lambda case: case["sent"])
def test_user_agent(case: dict[str, str]) -> None:
    agent = user_agent("1.2", case["contact"], case["own"])
    assert agent == case["sent"]
    assert product_token(agent) == case["token"]


def test_conditional_headers_only_with_something_to_compare() -> None:
    assert conditional(None, None) == {}
    assert conditional('"1"', "then") == {"If-None-Match": '"1"', "If-Modified-Since": "then"}


@pytest.mark.behaviour("K-16", "RC-02")
@pytest.mark.parametrize(
    ("told", "sent"),
    [
        (None, "Fri, 20 Nov 2026 12:00:00 GMT"),
        ("Thu, 19 Nov 2026 08:30:00 GMT", "Thu, 19 Nov 2026 08:30:00 GMT"),
        ("Thursday, 19-Nov-26 08:30:00 GMT", "Thursday, 19-Nov-26 08:30:00 GMT"),
        ("Fri, 20 Nov 2026 12:00:01 GMT", "Fri, 20 Nov 2026 12:00:01 GMT"),
        ("Fri, 20 Nov 2026 14:00:00 GMT", "Fri, 20 Nov 2026 12:00:00 GMT"),
        ("Thu, 01 Jan 2099 00:00:00 GMT", "Fri, 20 Nov 2026 12:00:00 GMT"),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Tue, 01 Jan 1980 00:00:01 GMT", None),
        ("yesterday", "yesterday"),
    ],
)
def test_the_date_since_when_a_change_is_asked_for(told: str | None, sent: str | None) -> None:
    assert modified_since(told, 1795176000.0) == sent


@pytest.mark.parametrize("case", cases("answers"))
def test_status(case: dict[str, Any]) -> None:
    answer = answer_of_status(case["status"], case["headers"])
    assert [
        answer.outcome.name,
        answer.reason,
        answer.retryable,
        answer.counts_against_budget,
    ] == case["means"]


def test_every_status_means_something() -> None:
    meanings = {answer_of_status(status, {"location": "/"}).outcome for status in range(-1, 1001)}
    assert len(meanings) == 13
    assert meanings <= set(Outcome)


def test_first_cause_in_the_table_decides() -> None:
    for name, answer in FAILURES.items():
        assert answer_of_failure([name, "Exception"]) == answer
    assert answer_of_failure(["ValueError"]).outcome is Outcome.CONNECTION_FAILED
    tls = answer_of_failure(["ConnectionBrokenError", "TlsFailedError"])
    assert tls.reason == "tls_failed"


@pytest.mark.behaviour("S-10", "S-11", "S-12")
def test_patience_ends_with_the_fifth_lasting_failure() -> None:
    patience = FailureBudget()
    answers = [OK, BROKEN, OK, BROKEN, BROKEN, BROKEN, LIMITED, BROKEN, BROKEN]
    assert [patience.record_result(answer) for answer in answers] == [False] * 8 + [True]
    assert patience.record_result(OK)
    assert patience.left == 0


@pytest.mark.behaviour("S-10")
def test_a_url_that_goes_on_failing_costs_patience_once() -> None:
    patience = FailureBudget()
    fluke, other = 1, 2
    assert not any(patience.record_result(BROKEN, fluke) for _ in range(9))
    assert not patience.record_result(BROKEN, other)
    assert patience.left == 3


@pytest.mark.behaviour("DEL-12")
@pytest.mark.parametrize(
    ("answers", "as_before"),
    [
        ([(BROKEN, True)] * 5, True),
        ([(BROKEN, True)] * 4, False),  # it is not exhausted
        ([(BROKEN, True)] * 4 + [(BROKEN, False)], False),
        ([(BROKEN, False)] + [(BROKEN, True)] * 4, False),
        ([(LIMITED, True)] * 7, False),
    ],
)
def test_what_failed_before_says_nothing_new_of_an_origin(
    answers: list[tuple[FetchResult, bool]], as_before: bool
) -> None:
    patience = FailureBudget()
    for fingerprint, (answer, failed_before) in enumerate(answers):
        patience.record_result(answer, fingerprint, failed_before=failed_before)
    assert patience.failed_like_last_run == as_before


def test_endless_refusals_end_patience() -> None:
    patience = FailureBudget()
    assert [patience.record_result(LIMITED) for _ in range(7)] == [False] * 6 + [True]


@pytest.mark.behaviour("S-08", "K-30", "K-31")
@pytest.mark.parametrize(
    ("status", "retries", "retry_after", "waits"),
    [
        (500, 2, 0.0, [1.0, 2.0, None]),
        (502, 4, 0.0, [1.0, 2.0, 4.0, 8.0, None]),
        (503, 1, 0.0, [1.0, None]),
        (504, 0, 0.0, [None]),
        (501, 2, 0.0, [None]),
        (404, 2, 0.0, [None]),
        (429, 0, 0.0, [0.0, 0.0, 0.0, None]),
        (429, 2, 40.0, [40.0, 40.0, 40.0, None]),
        (429, 2, 61.0, [None]),
        (500, 10, 0.0, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, None]),
    ],
)
def test_when_a_url_is_tried_again(
    status: int, retries: int, retry_after: float, waits: list[float | None]
) -> None:
    answer = answer_of_status(status, {})
    found = [
        retry_wait(answer, times, retries=retries, max_wait=60.0, retry_after=retry_after)
        for times in range(len(waits))
    ]
    assert found == waits


@pytest.mark.parametrize("case", table("options")["case"], ids=lambda case: case["option"])
def test_option_is_read(case: dict[str, Any]) -> None:
    read = getattr(FetchParams.model_validate({case["option"]: case["written"]}), case["option"])
    assert (list(read) if isinstance(read, tuple) else read) == case["read"]


@pytest.mark.parametrize("case", table("options")["mistake"], ids=lambda case: case["option"])
def test_invalid_option_is_reported(case: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=case["wrong"]):
        FetchParams.model_validate({case["option"]: case["written"]})


@pytest.mark.behaviour("F-16")
def test_credentials_are_read_and_not_shown() -> None:
    params = FetchParams.model_validate({"auth": "https://A.test/=me:p=a:ss"})
    assert params.auth["https://a.test"].get_secret_value() == "me:p=a:ss"
    assert "p=a:ss" not in repr(params)
    assert "p=a:ss" not in params.model_dump_json()


@pytest.mark.parametrize("value", PACES["retry_after"])
def test_retry_after(value: str) -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
    seconds = retry_after(value, now)
    assert (-1.0 if seconds is None else seconds) == PACES["retry_after"][value]


def test_a_rest_of_more_than_a_week_is_a_mistake() -> None:
    assert Pace().limited(0.0, 0.1, retry_after=1e9) == 7 * 86400.0
