"""Proof of identity: requests signed with a key (RFC 9421, draft-ietf-webbotauth-httpsig-protocol-00)."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

LIFETIME = 300
"""Seconds for which a signature is valid."""
LABEL = "sig1"


class UnusableKeyError(Exception):
    """A file of a key that cannot be used."""


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """An Ed25519 key, and the https URL of the agent below which its directory is published."""

    public: str
    agent: str
    sign: Callable[[bytes], bytes]

    @property
    def key_id(self) -> str:
        """The thumbprint of the key (RFC 7638, RFC 8037)."""
        return _encoded(sha256(_json({"crv": "Ed25519", "kty": "OKP", "x": self.public})).digest())

    @property
    def directory(self) -> str:
        """The directory to publish, a JSON Web Key Set (draft-ietf-webbotauth-httpsig-directory)."""
        key = {"kty": "OKP", "crv": "Ed25519", "x": self.public, "kid": self.key_id, "use": "sig"}
        return json.dumps({"keys": [key]}, indent=2)

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
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 -- 20 ms
        Ed25519PrivateKey,
    )

    try:
        key = json.loads(path.read_text("utf-8"))
        secret, agent = _decoded(key["d"]), check_agent(key["agent"])
        private = Ed25519PrivateKey.from_private_bytes(secret)
    except OSError as error:
        raise UnusableKeyError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UnusableKeyError(f"{path} is no key of scrapy identity") from error
    return AgentIdentity(_encoded(private.public_key().public_bytes_raw()), agent, private.sign)


def make_key(path: Path, agent: str) -> None:
    """Write a new key that only its owner may read; raises OSError if the file exists."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 -- 20 ms
        Ed25519PrivateKey,
    )

    secret = _encoded(Ed25519PrivateKey.generate().private_bytes_raw())
    path.touch(0o600, exist_ok=False)
    path.write_text(json.dumps({"kty": "OKP", "crv": "Ed25519", "d": secret, "agent": agent}))


def check_agent(url: str) -> str:
    """Return the URL of an agent without a final slash; raises ValueError if it is not one of https."""
    parts = urlsplit(url)
    plain = url.isascii() and url.isprintable() and not set(url) & set('"\\ ')
    if parts.scheme != "https" or not parts.hostname or not plain or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is no https URL, as https://bot.example.org")
    return url.rstrip("/")


def _json(value: dict[str, str]) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _encoded(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
