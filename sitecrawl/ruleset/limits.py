"""Makes the limits with a memory out of the options."""

from __future__ import annotations

from collections.abc import Mapping

from sitecrawl.params.rules import RuleParams
from sitecrawl.policy.limits.copies import Copies
from sitecrawl.policy.limits.counts import DirectoryCounts
from sitecrawl.policy.limits.growth import Growth
from sitecrawl.policy.limits.limits import Limits
from sitecrawl.policy.limits.series import Series
from sitecrawl.policy.limits.tokens import Tokens
from sitecrawl.policy.limits.variants import Variants
from sitecrawl.ruleset.citations import Citations


def build_limits(params: RuleParams, sources: Mapping[str, str]) -> Limits:
    """The limits with a memory, empty as they are at the start of a run."""
    cite = Citations(params, sources)
    barren, patience = cite.setting("max_barren_pages"), params.max_barren_pages
    return Limits(
        series=Series(patience, barren),
        copies=Copies(),
        growth=Growth(params.max_growing_path, cite.setting("max_growing_path")),
        variants=Variants(params.max_variants, patience, cite.setting("max_variants"), barren),
        tokens=Tokens(),
        directories=DirectoryCounts(
            params.max_pages_per_directory, cite.setting("max_pages_per_directory")
        ),
        links_per_page=params.max_links_per_page,
        links_setting=cite.setting("max_links_per_page"),
    )
