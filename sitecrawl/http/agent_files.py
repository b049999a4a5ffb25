"""The files that the agent of a crawl publishes: its keys, its card, and its addresses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.config.assembly import agent
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.http.agent_identity import AgentIdentity
from sitecrawl.web.robots.robots_txt import product_token

WELL_KNOWN = "/.well-known/http-message-signatures-directory"
OBEYED = ("User-Agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "Content-Usage")


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
