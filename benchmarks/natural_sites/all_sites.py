"""All natural sites."""

from __future__ import annotations

from itertools import chain

from benchmarks.natural_sites import (
    endless,
    institutions,
    news,
    old_sites,
    parameters,
    places,
    reference,
    shops,
    software,
    wikis,
)
from benchmarks.natural_sites.site import NaturalSite

_SUBJECTS = (
    shops,
    reference,
    wikis,
    news,
    places,
    software,
    parameters,
    old_sites,
    institutions,
    endless,
)

SITES: tuple[NaturalSite, ...] = tuple(chain.from_iterable(module.SITES for module in _SUBJECTS))
