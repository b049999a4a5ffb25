"""Proof of identity: requests signed with a key (RFC 9421, draft-ietf-webbotauth-httpsig-protocol-00)."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from math import inf
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import urlsplit

LIFETIME = 300
"""Seconds for which a signature is valid."""
LABEL = "sig1"


class UnusableKeyError(Exception):
    """A file of a key that cannot be used."""


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """An Ed25519 key, and the https URL of its agent.

    ``validity`` are the members ``nbf`` and ``exp`` of the key, in UTC epoch seconds, if it has them.
    """

    public: str
    agent: str
    sign: Callable[[bytes], bytes]
    validity: Mapping[str, int] = field(default_factory=dict)

    @property
    def key_id(self) -> str:
        """The thumbprint of the key (RFC 7638, RFC 8037)."""
        return _encoded(sha256(_json({"crv": "Ed25519", "kty": "OKP", "x": self.public})).digest())

    @property
    def expires_at(self) -> float:
        """The end of the key's validity, in UTC epoch seconds."""
        return self.validity.get("exp", inf)

    @property
    def public_key(self) -> dict[str, Any]:
        """The key as a JSON Web Key to publish."""
        key = {"kty": "OKP", "crv": "Ed25519", "x": self.public, "kid": self.key_id, "use": "sig"}
        return {**key, **self.validity}

    def verifies(self, signature: str, base: str) -> bool:
        """Return True for the signature, in base 64, of a signature base by this key."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 -- 20 ms

        try:
            key = _ed25519().Ed25519PublicKey.from_public_bytes(_decoded(self.public))
            key.verify(b64decode(signature), base.encode("latin-1"))
        except (InvalidSignature, ValueError):
            return False
        return True

    def headers(self, authority: str, now: float) -> dict[str, str]:
        """Return the headers that sign a request to an authority at a time, in UTC epoch seconds."""
        parameters = (
            f'("@authority" "signature-agent";key="{LABEL}");created={int(now)};'
            f'expires={int(now) + LIFETIME};keyid="{self.key_id}";tag="web-bot-auth"'
        )
        base = (
            f'"@authority": {authority.lower()}\n'
            f'"signature-agent";key="{LABEL}": "{self.agent}"\n'
            f'"@signature-params": {parameters}'
        )
        signature = b64encode(self.sign(base.encode("ascii"))).decode()
        return {
            "Signature-Agent": f'{LABEL}="{self.agent}"',
            "Signature-Input": f"{LABEL}={parameters}",
            "Signature": f"{LABEL}=:{signature}:",
        }


def read_identity(path: Path) -> AgentIdentity:
    """Read the file of a key; raises UnusableKeyError."""
    try:
        key = json.loads(path.read_text("utf-8"))
        secret, agent = _decoded(key["d"]), check_agent(str(key["agent"]))
        private = _ed25519().Ed25519PrivateKey.from_private_bytes(secret)
        validity = {name: int(key[name]) for name in ("nbf", "exp") if name in key}
    except OSError as error:
        raise UnusableKeyError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UnusableKeyError(f"{path} is no key of scrapy identity") from error
    public = _encoded(private.public_key().public_bytes_raw())
    identity = AgentIdentity(public, agent, private.sign, validity)
    if identity.expires_at <= time():
        expired = datetime.fromtimestamp(identity.expires_at, UTC)
        raise UnusableKeyError(f"{path} expired on {expired:%F}")
    return identity


def make_key(path: Path, agent: str, seconds: float | None = None) -> None:
    """Write a new key that only its owner may read; raises OSError if the file exists.

    It expires after a time in seconds, if that is given.
    """
    secret = _encoded(_ed25519().Ed25519PrivateKey.generate().private_bytes_raw())
    path.touch(0o600, exist_ok=False)
    now = int(time())
    validity = {} if seconds is None else {"nbf": now, "exp": now + int(seconds)}
    key = {"kty": "OKP", "crv": "Ed25519", "d": secret, "agent": agent, **validity}
    path.write_text(json.dumps(key))


def check_agent(url: str) -> str:
    """Return the URL of an agent without a final slash; raises ValueError if it is not one of https."""
    parts = urlsplit(url)
    plain = url.isascii() and url.isprintable() and not set(url) & set('"\\ ')
    if parts.scheme != "https" or not parts.hostname or not plain or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is no https URL, as https://bot.example.org")
    return url.rstrip("/")


def _ed25519() -> Any:
    """Return the module of the keys; loading it takes 20 ms."""
    return import_module("cryptography.hazmat.primitives.asymmetric.ed25519")


def _json(value: dict[str, str]) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _encoded(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
