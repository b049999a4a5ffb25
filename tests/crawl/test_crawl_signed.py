"""Signed requests: the vectors of RFC 9421, and a server that verifies with another implementation."""

from __future__ import annotations

import json
import stat
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.message import Message
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Request, Server, Site, page, redirect
from sitecrawl.http.agent_files import (
    DIRECTORY_TYPE,
    WELL_KNOWN,
    PublishedFile,
    problems_of_signature,
)
from sitecrawl.http.agent_identity import (
    AgentIdentity,
    UnusableKeyError,
    make_key,
    read_identity,
)
from tests.fetch.tls import Authority

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


VECTORS = [  # signature bases by this key, and their signatures
    (  # RFC 9421, B.2.6
        (
            '"date": Tue, 20 Apr 2021 02:07:55 GMT\n"@method": POST\n"@path": /foo\n'
            '"@authority": example.com\n"content-type": application/json\n"content-length": 18\n'
            '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" '
            '"content-length");created=1618884473;keyid="test-key-ed25519"'
        ),
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
    ),
    (  # draft-ietf-webbotauth-httpsig-protocol, Signature-Agent present
        (
            '"@authority": example.com\n"signature-agent";key="agent2": "https://signature-agent.test"\n'
            '"@signature-params": ("@authority" "signature-agent";key="agent2");created=1735689600'
            f';keyid="{THUMBPRINT}";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuw'
            'Hw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"'
        ),
        "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
    ),
    (  # the same, the older form of Signature-Agent
        (
            '"@authority": example.com\n"signature-agent": "https://signature-agent.test"\n'
            '"@signature-params": ("@authority" "signature-agent");created=1735689600'
            f';keyid="{THUMBPRINT}";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuu'
            'ANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth"'
        ),
        "jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==",
    ),
    (  # the same, a signed directory
        (
            '"@authority";req: signature-agent.test\n'
            '"content-digest": sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:\n'
            '"@signature-params": ("@authority";req "content-digest");created=1735689600'
            f';expires=4889289600;keyid="{THUMBPRINT}";tag="http-message-signatures-directory"'
        ),
        "l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==",
    ),
]


@pytest.fixture
def standard(tmp_path: Path) -> AgentIdentity:
    """The identity with the key of the standards."""
    path = tmp_path / "key.json"
    path.write_text(json.dumps(KEY), encoding="utf-8")
    return read_identity(path)


@pytest.mark.behaviour("IDENT-01")
@pytest.mark.parametrize(("base", "signed"), VECTORS)
def test_the_vectors_of_the_standards(base: str, signed: str, standard: AgentIdentity) -> None:
    assert b64encode(standard.sign(base.encode())).decode() == signed


@pytest.mark.behaviour("IDENT-01")
def test_the_headers_of_a_request(standard: AgentIdentity) -> None:
    assert (standard.public, standard.key_id) == (PUBLIC, THUMBPRINT)  # RFC 9421, B.1.4
    order = {name: standard.public_key[name] for name in ("kty", "crv", "kid", "x", "use")}
    body = json.dumps(
        {"keys": [order]}, separators=(",", ":")
    )  # as in the draft's signed directory
    digest = b64encode(sha256(body.encode()).digest()).decode()
    assert digest == "CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0="
    headers = standard.headers("Example.com", 1735689600.5)
    assert headers["Signature-Agent"] == f'sig1="{AGENT}"'
    assert headers["Signature-Input"] == (
        'sig1=("@authority" "signature-agent";key="sig1");created=1735689600;expires=1735689900;'
        f'keyid="{THUMBPRINT}";tag="web-bot-auth"'
    )


@pytest.mark.behaviour("IDENT-03")
def test_the_signature_of_a_directory(standard: AgentIdentity) -> None:
    base, signed = VECTORS[-1]
    order = {name: standard.public_key[name] for name in ("kty", "crv", "kid", "x", "use")}
    body = json.dumps({"keys": [order]}, separators=(",", ":")).encode()
    lines = dict(line.split(": ", 1) for line in base.splitlines())

    def problems(
        changed: Mapping[str, str] = MappingProxyType({}),
        *,
        body: bytes = body,
        now: float = 1735689600,
    ) -> list[str]:
        headers = Message()
        fields = {"digest": lines['"content-digest"'], "input": lines['"@signature-params"']}
        fields |= {"signature": signed, **changed}
        headers["Content-Digest"] = fields["digest"]
        headers["Signature-Input"] = f'other=("date");tag="x", binding0={fields["input"]}'
        headers["Signature"] = f"other=:AA==:, binding0=:{fields['signature']}:"
        file = PublishedFile(headers, body)
        return [*problems_of_signature(file, standard, "signature-agent.test", now)]

    assert problems() == []
    assert problems({"input": '("date");tag="x"'}) == [], "it needs no signature"
    assert problems({"input": lines['"@signature-params"'].replace(THUMBPRINT, "x")}) == [
        "is signed, but not with"
    ]
    assert problems(now=4889289600) == ["has an expired signature with"]
    assert problems(body=b"{}") == ["has another content than was signed with"]
    for changed in ({"digest": "sha-256=:AA==:"}, {"signature": "AA=="}, {"signature": "A"}):
        assert problems(changed) == ["has a wrong signature with"]


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
    "change", [{"d": "AA"}, {"d": 1}, {"agent": "http://x"}, {"agent": None}, {"exp": "soon"}]
)
def test_unusable_keys(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "key.json"
    path.write_text(json.dumps(KEY | change), encoding="utf-8")
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
    assert (status, told) == (2, "key.json: File exists.\n")
    status, told = crawl.command("identity", "other.json", "--make", "http://bot.example.org")
    assert (status, len(told.splitlines())) == (2, 1)
    make_key(crawl.directory / "old.json", AGENT, -3600)
    run = crawl("http://127.0.0.1:9/", identity="old.json")
    assert (run.status, len(run.log.splitlines())) == (2, 1)
    assert run.log.startswith("identity: old.json expired on 20")
    assert crawl.command("identity", "old.json") == (2, run.log.removeprefix("identity: "))


@pytest.mark.behaviour("IDENT-03")
def test_a_key_that_expires_in_mid_crawl_ends_it(server: Server, crawl: CrawlCommand) -> None:
    pages = {f"/{number}": page(title=f"{number}") for number in range(100)}
    origin = server.serve({"/": page(*pages), **pages})
    make_key(crawl.directory / "key.json", AGENT, 6)
    run = crawl(f"{origin}/", identity="key.json", delay=0.3)
    assert (run.status, run.log.count("The key of the crawl (identity) has expired")) == (1, 1)
    assert "Traceback" not in run.log
    assert all("signature" in each.headers for each in server.log.of())
    assert crawl.rows("select count(*) from url where waiting = 1")[0][0] > 50, "they stay due"


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Site]]:
    """A server of an agent's files, by https and with a certificate that is trusted."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    site: Site = {}
    with Server() as server:
        yield server.serve(site, tls=authority.context("127.0.0.1")), site


@pytest.mark.behaviour("IDENT-03")
def test_what_is_published_is_checked(agent: tuple[str, Site], crawl: CrawlCommand) -> None:
    origin, site = agent
    crawl.command("identity", "old.json", "--make", origin)
    crawl.command("identity", "new.json", "--make", origin, "--valid", "90d")
    status, keys = crawl.command("identity", "old.json", "new.json")
    [old, new] = json.loads(keys)["keys"]
    assert (status, new["exp"] - new["nbf"], "exp" in old) == (0, 90 * 86400, False)
    options = ("-a", "contact=ops@bot.example.org", "-a", "purpose=search ai-input")
    status, card = crawl.command("identity", "new.json", "--card", f"{origin}/card", *options)
    assert status == 0, card
    about = json.loads(card)
    assert about["jwks_uri"] == origin + WELL_KNOWN
    assert about["contacts"] == ["mailto:ops@bot.example.org"]
    assert about["web_bot_auth"]["purpose"] == "search ai-input"
    assert about["web_bot_auth"]["rfc9309-product-token"] == "sitecrawl"

    def told(*arguments: str) -> tuple[int, str]:
        status, text = crawl.command("identity", *arguments, "--check")
        return status, text.replace(origin, "")

    files = ("old.json", "new.json", "--card", f"{origin}/card")
    assert told(*files) == (
        1,
        f"{WELL_KNOWN} answers 404 in place of 200.\n/card answers 404 in place of 200.\n",
    )
    site[WELL_KNOWN] = Answer(keys, headers={"Content-Type": DIRECTORY_TYPE})
    site["/card"] = Answer(card, headers={"Content-Type": "application/json"})
    assert told(*files) == (0, f"{WELL_KNOWN} is as it should be.\n")
    stale = json.dumps({"keys": [new | {"exp": new["exp"] - 1}]})
    site[WELL_KNOWN] = Answer(stale, headers={"Content-Type": "application/json"})
    site["/card"] = redirect("/elsewhere")
    assert told(*files) == (
        1,
        (
            f"{WELL_KNOWN} is served as application/json in place of {DIRECTORY_TYPE}.\n"
            f"{WELL_KNOWN} lacks the key of old.json.\n"
            f"{WELL_KNOWN} gives the exp {new['exp'] - 1} in place of {new['exp']} to the key of "
            "new.json.\n/card answers 301 in place of 200.\n"
        ),
    )
    for text in ("{", "[]", '{"keys": [1]}'):
        site[WELL_KNOWN] = Answer(text, headers={"Content-Type": DIRECTORY_TYPE})
        status, lines = told("new.json")
        assert (status, lines.count("\n")) == (1, 1), lines


@pytest.mark.behaviour("IDENT-03")
def test_the_file_of_addresses(crawl: CrawlCommand) -> None:
    nets = ("2001:db8::/32", "192.0.2.7", "192.0.2.0/29")
    status, text = crawl.command("identity", "--addresses", *nets)
    assert status == 0, text
    told = json.loads(text)
    assert told.keys() == {"synctoken", "creationTime", "prefixes"}
    assert told["prefixes"] == [
        {"ipv4Prefix": "192.0.2.0/29"},
        {"ipv4Prefix": "192.0.2.7/32"},
        {"ipv6Prefix": "2001:db8::/32"},
    ]
    again = json.loads(crawl.command("identity", "--addresses", *reversed(nets))[1])
    assert again["synctoken"] == told["synctoken"]
    assert crawl.command("identity", "--addresses", "192.0.2.1/24") == (
        2,
        "192.0.2.1/24 has host bits set.\n",
    )
    assert crawl.command("identity")[0] == 2
