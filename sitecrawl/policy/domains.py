"""Registrable domains, by the public suffix list that comes with tldextract."""

from __future__ import annotations

from functools import lru_cache

import tldextract

from sitecrawl.web.urls import is_ip_host

# No network: the list that is packaged is the one that is used, in every run.
_extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache(maxsize=4096)
def registrable_domain(host: str) -> str:
    """The domain that its owner registered: ``example.co.uk`` of ``www.example.co.uk``.

    Addresses and single names stand for themselves; under a suffix that is on no list
    (``.test``, an intranet's) the last two labels are taken.
    """
    if is_ip_host(host) or "." not in host:
        return host
    return _extract(host).top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


def is_under(host: str, domain: str) -> bool:
    """Whether ``host`` is ``domain`` or a subdomain of it."""
    return host == domain or host.endswith("." + domain)
