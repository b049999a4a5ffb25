"""Registrable domains, by the public suffix list that comes with tldextract."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.urls import is_ip_host

if TYPE_CHECKING:
    from tldextract import TLDExtract


@cache
def suffixes(*, private: bool = False) -> TLDExtract:
    """The list of suffixes, with those of private owners if asked for.

    No network: the list that is packaged is the one that is used, in every run.
    """
    from tldextract import TLDExtract  # noqa: PLC0415 -- a tenth of a start; few crawls need it

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=private)


@lru_cache(maxsize=4096)
def registrable_domain(host: str) -> str:
    """The domain that its owner registered: ``example.co.uk`` of ``www.example.co.uk``.

    Addresses and single names stand for themselves; under a suffix that is on no list
    (``.test``, an intranet's) the last two labels are taken.
    """
    if is_ip_host(host) or "." not in host:
        return host
    found = suffixes()(host).top_domain_under_public_suffix
    return found or ".".join(host.split(".")[-2:])


def is_under(host: str, domain: str) -> bool:
    """Whether ``host`` is ``domain`` or a subdomain of it."""
    return host == domain or host.endswith("." + domain)
