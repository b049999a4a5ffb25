"""All natural sites."""

from __future__ import annotations

from itertools import chain

from benchmarks.natural_sites import news, parameters, places, reference, shops, software, wikis

SITES = tuple(
    chain.from_iterable(
        module.SITES for module in (shops, reference, wikis, news, places, software, parameters)
    )
)
