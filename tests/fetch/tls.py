"""Certificates for test servers, good and bad, from an authority of the test's own."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from scrapy.http import Response


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _subject(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


class Authority:
    """A certificate authority; ``path`` is its certificate as a PEM file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = self._sign("Test Authority", self._key, days=9)
        self.path = folder / "authority.pem"
        self.path.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def context(self, address: str, days: int = 9) -> ssl.SSLContext:
        """A server's TLS context for an address or name; ``days`` below 0 have passed."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(address, key, days, address)
        chain = self._folder / f"{address}.{days}.pem"
        chain.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    def _sign(
        self, common: str, key: ec.EllipticCurvePrivateKey, days: int, address: str = ""
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(common))
            .issuer_name(_name("Test Authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=30))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=not address, path_length=None), critical=True)
        )
        if address:
            names = x509.SubjectAlternativeName([_subject(address)])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def issuer(response: Response) -> str:
    """Issuer of the certificate that a response came with."""
    pem = response.certificate.dumpPEM()
    return x509.load_pem_x509_certificate(pem).issuer.rfc4514_string()
