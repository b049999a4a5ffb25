"""All natural sites."""

from __future__ import annotations

from itertools import chain

from benchmarks.natural_sites import reference, shops, wikis

SITES = tuple(chain.from_iterable(module.SITES for module in (shops, reference, wikis)))
