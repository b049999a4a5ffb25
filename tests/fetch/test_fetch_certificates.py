"""Certificates are verified, unless the user exempts an origin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.hostile import SocketServer, answer_400
from fixtures.server import Server
from sitecrawl.policy.outcomes import Outcome
from tests.fetch.tls import Authority

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that this machine trusts for the time of the test."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    return made


@ensureDeferred
async def test_valid_certificate_is_accepted(
    fetch: Fetch, server: Server, authority: Authority
) -> None:
    origin = server.serve({"/": "<p>safe"}, tls=authority.context("127.0.0.1"))
    assert (await fetch(f"{origin}/")).body == b"<p>safe"


@pytest.mark.parametrize(
    ("address", "days"), [("127.0.0.9", 9), ("127.0.0.1", -1)], ids=["other-host", "expired"]
)
@ensureDeferred
async def test_bad_certificate_is_refused(
    fetch: Fetch, server: Server, authority: Authority, address: str, days: int
) -> None:
    origin = server.serve({"/": "<p>unsafe"}, tls=authority.context(address, days))
    answer = await fetch.answer(f"{origin}/")
    assert (answer.outcome, answer.reason) == (Outcome.CONNECTION_FAILED, "tls_failed")
    assert server.log.exchanges == []


@ensureDeferred
async def test_unknown_authority_is_refused(fetch: Fetch, server: Server, tmp_path: Path) -> None:
    origin = server.serve({"/": "<p>unsafe"}, tls=Authority(tmp_path).context("127.0.0.1"))
    assert (await fetch.answer(f"{origin}/")).reason == "tls_failed"


@ensureDeferred
async def test_one_origin_can_be_exempt(fetch: Fetch, server: Server, authority: Authority) -> None:
    bad = authority.context("127.0.0.9")
    exempt, other = (server.serve({"/": "<p>here"}, tls=bad) for _ in range(2))
    handler = fetch.handler(exempt, unverified_origins=exempt)
    assert (await fetch.send(handler, Request(f"{exempt}/"))).status == 200
    assert (await fetch.answer(f"{other}/", unverified_origins=exempt)).reason == "tls_failed"


@ensureDeferred
async def test_verification_can_be_off(fetch: Fetch, server: Server, authority: Authority) -> None:
    origin = server.serve({"/": "<p>here"}, tls=authority.context("127.0.0.9"))
    assert (await fetch(f"{origin}/", verify_tls="no")).status == 200


@ensureDeferred
async def test_plain_and_tls_mixed_up(fetch: Fetch, server: Server, authority: Authority) -> None:
    tls = server.serve({"/": "<p>tls"}, tls=authority.context("127.0.0.1"))
    with SocketServer(answer_400) as plain:
        answer = await fetch.answer(plain.origin.replace("http:", "https:") + "/")
    assert answer.reason == "tls_failed"
    answer = await fetch.answer(tls.replace("https:", "http:") + "/")
    assert answer.outcome in (Outcome.CONNECTION_FAILED, Outcome.DID_NOT_UNDERSTAND_ANSWER)
