"""The files that the agent of a crawl publishes: its keys, its card, and its addresses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from ipaddress import ip_network
from typing import Any
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
MAX_SIZE = 1 << 20
SECONDS = 20.0


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
        kind, found = _fetched(url)
        published = {key.get("x"): key for key in found["keys"]}
    except _UnfetchedError as error:
        yield str(error)
        return
    except (KeyError, TypeError, AttributeError):
        yield f"{url} is no JSON Web Key Set"
        return
    if url.endswith(WELL_KNOWN) and kind != DIRECTORY_TYPE:
        yield f"{url} is served as {kind} in place of {DIRECTORY_TYPE}"
    for name, identity in identities.items():
        ours, theirs = identity.public_key, published.get(identity.public)
        if theirs is None:
            yield f"{url} lacks the key of {name}"
            continue
        for part, value in ours.items():
            if theirs.get(part) != value:
                yield f"{url} gives the {part} {theirs.get(part)!r} to the key of {name} in place of {value!r}"


def problems_of_card(url: str, identity: AgentIdentity) -> Iterator[str]:
    """Fetch the card of an agent; yield what is wrong with it."""
    try:
        _, card = _fetched(url)
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


def _fetched(url: str) -> tuple[str, Any]:
    """Return the media type and the JSON of a file."""
    request = Request(url, headers={"Accept": f"{DIRECTORY_TYPE}, application/json"})  # noqa: S310 -- https
    try:
        with build_opener(_NoRedirects).open(request, timeout=SECONDS) as answer:
            if answer.status != 200:
                raise _UnfetchedError(f"{url} answers {answer.status} in place of 200")
            body = answer.read(MAX_SIZE)
            return answer.headers.get_content_type(), json.loads(body)
    except HTTPError as error:
        raise _UnfetchedError(f"{url} answers {error.code} in place of 200") from error
    except (URLError, OSError) as error:
        raise _UnfetchedError(
            f"{url} cannot be fetched: {getattr(error, 'reason', error)}"
        ) from error
    except ValueError as error:
        raise _UnfetchedError(f"{url} is no JSON") from error
