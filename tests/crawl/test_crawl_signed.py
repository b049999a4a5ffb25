"""Signed requests: the vectors of RFC 9421, and a server that verifies with another implementation."""

from __future__ import annotations

import json
import stat
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Request, Server, page
from sitecrawl.http.agent_identity import UnusableKeyError, make_key, read_identity

signatures = pytest.importorskip("http_message_signatures")
AGENT = "https://bot.example.org"
KEY = {  # RFC 9421, B.1.4
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
    "agent": f"{AGENT}/",
}
PUBLIC = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
THUMBPRINT = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


@dataclass(frozen=True)
class Sent:
    """A request as the verifier takes it."""

    method: str
    url: str
    headers: dict[str, str]


def verified(url: str, headers: dict[str, str], directory: str) -> Any:
    """Verify the one signature of a request by the keys of a directory."""
    keys = {
        key["kid"]: Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(key["x"] + "="))
        for key in json.loads(directory)["keys"]
    }
    verifier = signatures.HTTPMessageVerifier(
        signature_algorithm=signatures.algorithms.ED25519,
        key_resolver=signatures.MappingKeyResolver(public_keys=keys, private_keys={}),
    )
    sent = Sent("GET", url, headers)
    [found] = verifier.verify(sent, max_age=timedelta(minutes=5), expect_tag="web-bot-auth")
    return found


@pytest.mark.behaviour("IDENT-01")
def test_the_vectors_of_the_standards(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text(json.dumps(KEY), encoding="utf-8")
    identity = read_identity(path)
    assert (identity.public, identity.key_id) == (PUBLIC, THUMBPRINT)  # RFC 9421, B.1.4
    base = (  # RFC 9421, B.2.6
        '"date": Tue, 20 Apr 2021 02:07:55 GMT\n"@method": POST\n"@path": /foo\n'
        '"@authority": example.com\n"content-type": application/json\n"content-length": 18\n'
        '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" '
        '"content-length");created=1618884473;keyid="test-key-ed25519"'
    )
    signed = (
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw"
    )
    assert identity.sign(base.encode()) == urlsafe_b64decode(signed + "==")
    headers = identity.headers("Example.com", 1735689600.5)
    assert headers["Signature-Agent"] == f'sig1="{AGENT}"'
    assert headers["Signature-Input"] == (
        'sig1=("@authority" "signature-agent";key="sig1");created=1735689600;expires=1735689900;'
        f'keyid="{THUMBPRINT}";tag="web-bot-auth"'
    )


@pytest.mark.behaviour("IDENT-01", "IDENT-02")
def test_a_server_verifies_every_request(server: Server, crawl: CrawlCommand) -> None:
    seen: list[Request] = []

    def answer(received: Request) -> Answer:
        seen.append(received)
        pages = {"/robots.txt": "", "/": page("/next", title="First")}
        return Answer(pages.get(received.path, page(title="Next")))

    origin = server.serve(dict.fromkeys(("/robots.txt", "/", "/next"), answer))
    status, directory = crawl.command("identity", "key.json", "--make", f"{AGENT}/")
    assert status == 0, directory
    assert stat.S_IMODE((crawl.directory / "key.json").stat().st_mode) == 0o600
    assert crawl.command("identity", "key.json") == (0, directory)
    secret = json.loads((crawl.directory / "key.json").read_text("utf-8"))["d"]
    assert secret not in directory

    run = crawl(f"{origin}/", identity="key.json")
    assert run.status == 0, run.log[-3000:]
    assert secret not in run.log
    assert {each.path for each in seen} == {"/robots.txt", "/", "/next"}
    for each in seen:
        found = verified(origin + each.target, dict(each.headers), directory)
        covered = {'"@authority"', '"signature-agent";key="sig1"', '"@signature-params"'}
        assert set(found.covered_components) == covered
        with pytest.raises(signatures.InvalidSignature):
            verified("http://other.test/", dict(each.headers), directory)

    seen.clear()
    crawl(f"{origin}/", force=1)
    assert seen
    assert not any("signature" in name for each in seen for name in each.headers)


@pytest.mark.behaviour("IDENT-02")
@pytest.mark.parametrize(
    "text", ["", "[]", "{}", json.dumps(KEY | {"d": "AA"}), json.dumps(KEY | {"agent": "http://x"})]
)
def test_unusable_keys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnusableKeyError, match="is no key of scrapy identity"):
        read_identity(path)


@pytest.mark.behaviour("IDENT-02")
def test_bad_keys_end_with_one_line(crawl: CrawlCommand) -> None:
    run = crawl("http://127.0.0.1:9/", identity="missing.json")
    assert run.status == 2
    assert run.log.splitlines() == [
        "identity: missing.json cannot be read: No such file or directory."
    ]
    path = crawl.directory / "key.json"
    make_key(path, AGENT)
    status, told = crawl.command("identity", "key.json", "--make", AGENT)
    assert (status, told) == (2, "key.json cannot be written: File exists.\n")
    status, told = crawl.command("identity", "other.json", "--make", "http://bot.example.org")
    assert (status, len(told.splitlines())) == (2, 1)
