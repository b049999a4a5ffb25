"""The files that the agent of a crawl publishes: its keys, its card, and its addresses."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.message import Message
from hashlib import sha256
from ipaddress import ip_network
from time import time
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sitecrawl.config.assembly import agent
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.http.agent_identity import AgentIdentity
from sitecrawl.web.robots.robots_txt import product_token

WELL_KNOWN = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
OBEYED = ("User-Agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "Content-Usage")
DIRECTORY_TAG = "http-message-signatures-directory"
MAX_SIZE = 1 << 20
SECONDS = 20.0
_SIGNED = re.compile(r"(?P<label>[a-z*][\w.*-]*)=(?P<components>\([^()]*\))(?P<parameters>[^,]*)")
_SIGNATURE = re.compile(r"([a-z*][\w.*-]*)=:([\w+/=]*):")
_COMPONENT = re.compile(r'("([^"]*)"(?:;req)?)')
_EXPIRES = re.compile(r";expires=(\d+)")


class PublishedFile(NamedTuple):
    """A file as it is published."""

    headers: Message
    body: bytes


def directory_url(identity: AgentIdentity) -> str:
    """Return the URL of an agent's keys: its own, or the well-known one of a URL without a path."""
    url = identity.agent
    return url if urlsplit(url).path else url + WELL_KNOWN


def key_directory(identities: Iterable[AgentIdentity]) -> str:
    """Return the JSON Web Key Set to publish, of several keys while one follows another."""
    return json.dumps({"keys": [each.public_key for each in identities]}, indent=2)


def agent_card(url: str, identity: AgentIdentity, params: CrawlParams) -> str:
    """Return the card of a crawl's agent, to publish at ``url`` (draft-meunier-webbotauth-registry)."""
    contact, user_agent = params.contact, agent(params)
    is_page = contact.startswith(("http://", "https://"))
    mail = contact if is_page or contact.startswith("mailto:") else f"mailto:{contact}"
    about: dict[str, Any] = {
        "expected-user-agent": user_agent,
        "rfc9309-product-token": product_token(user_agent),
        "rfc9309-compliance": OBEYED if params.obey_robots else (),
        "trigger": "crawler",
        "purpose": " ".join(params.purpose),
        "rate-control": "429, Retry-After, Crawl-delay",
        "rate-expectation": f"one request at a time, then a pause of {params.delay:g} s",
    }
    card: dict[str, Any] = {
        "client_id": url,
        "client_name": product_token(user_agent),
        "client_uri": contact if is_page else "",
        "contacts": [mail] if contact else (),
        "jwks_uri": directory_url(identity),
        "web_bot_auth": {name: value for name, value in about.items() if value},
    }
    return json.dumps({name: value for name, value in card.items() if value}, indent=2)


def address_file(addresses: Sequence[str], now: float) -> str:
    """Return the file of addresses that crawl (draft-illyes-webbotauth-jafar); raises ValueError."""
    networks = sorted(map(ip_network, addresses), key=lambda each: (each.version, each))
    prefixes = [{f"ipv{each.version}Prefix": str(each)} for each in networks]
    token = sha256(json.dumps(prefixes).encode()).hexdigest()[:16]
    created = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps({"synctoken": token, "creationTime": created, "prefixes": prefixes}, indent=2)


def problems_of_directory(identities: Mapping[str, AgentIdentity]) -> Iterator[str]:
    """Fetch the directory of keys, given by the names of their files; yield what is wrong with it."""
    url = directory_url(next(iter(identities.values())))
    try:
        file = _fetched(url)
        published = {key.get("x"): key for key in json.loads(file.body)["keys"]}
    except _UnfetchedError as error:
        yield str(error)
        return
    except (KeyError, TypeError, AttributeError):
        yield f"{url} is no JSON Web Key Set"
        return
    kind = file.headers.get_content_type()
    if url.endswith(WELL_KNOWN) and kind != DIRECTORY_TYPE:
        yield f"{url} is served as {kind} in place of {DIRECTORY_TYPE}"
    for name, identity in identities.items():
        for problem in _problems_of_key(file, identity, published.get(identity.public), url):
            yield f"{url} {problem} the key of {name}"


def _problems_of_key(
    file: PublishedFile, identity: AgentIdentity, theirs: Any, url: str
) -> Iterator[str]:
    if theirs is None:
        yield "lacks"
        return
    for part, value in identity.public_key.items():
        if theirs.get(part) != value:
            yield f"gives the {part} {theirs.get(part)!r} in place of {value!r} to"
    yield from problems_of_signature(file, identity, urlsplit(url).netloc.lower(), time())


def problems_of_signature(
    file: PublishedFile, identity: AgentIdentity, authority: str, now: float
) -> Iterator[str]:
    """Yield what is wrong with a directory's signature by a key; a directory needs none.

    The end of each sentence, the key, is left to the caller.
    """
    signatures = dict(_SIGNATURE.findall(_field(file, "Signature")))
    signed = [
        each
        for each in _SIGNED.finditer(_field(file, "Signature-Input"))
        if f';tag="{DIRECTORY_TAG}"' in each["parameters"]
    ]
    own = [each for each in signed if f';keyid="{identity.key_id}"' in each["parameters"]]
    if signed and not own:
        yield "is signed, but not with"
    for each in own:
        lines, digest = [], b64encode(sha256(file.body).digest()).decode()
        for component, name in _COMPONENT.findall(each["components"]):
            value = authority if name == "@authority" else _field(file, name)
            lines.append(f"{component}: {value}")
        base = "\n".join([*lines, f'"@signature-params": {each["components"]}{each["parameters"]}'])
        expires = _EXPIRES.search(each["parameters"])
        if expires and int(expires[1]) <= now:
            yield "has an expired signature with"
        elif not identity.verifies(signatures.get(each["label"], ""), base):
            yield "has a wrong signature with"
        elif "sha-256=" in base and f"sha-256=:{digest}:" not in base:
            yield "has another content than was signed with"


def _field(file: PublishedFile, name: str) -> str:
    return ", ".join(value.strip() for value in file.headers.get_all(name, ()))


def problems_of_card(url: str, identity: AgentIdentity) -> Iterator[str]:
    """Fetch the card of an agent; yield what is wrong with it."""
    try:
        card = json.loads(_fetched(url).body)
    except _UnfetchedError as error:
        yield str(error)
        return
    for part, value in {"client_id": url, "jwks_uri": directory_url(identity)}.items():
        found = card.get(part) if isinstance(card, dict) else None
        if found != value:
            yield f"{url} has the {part} {found!r} in place of {value!r}"


class _UnfetchedError(Exception):
    """A file that is not published as the drafts require: with 200, without a redirect."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect; the answer becomes an error of its status."""


def _fetched(url: str) -> PublishedFile:
    request = Request(url, headers={"Accept": f"{DIRECTORY_TYPE}, application/json"})  # noqa: S310 -- https
    try:
        with build_opener(_NoRedirects).open(request, timeout=SECONDS) as answer:
            if answer.status != 200:
                raise _UnfetchedError(f"{url} answers {answer.status} in place of 200")
            file = PublishedFile(answer.headers, answer.read(MAX_SIZE))
            json.loads(file.body)
            return file
    except HTTPError as error:
        raise _UnfetchedError(f"{url} answers {error.code} in place of 200") from error
    except (URLError, OSError) as error:
        raise _UnfetchedError(
            f"{url} cannot be fetched: {getattr(error, 'reason', error)}"
        ) from error
    except ValueError as error:
        raise _UnfetchedError(f"{url} is no JSON") from error
