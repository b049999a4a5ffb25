"""Limits on the query variants of one path: facets, filters, sort orders.

A variant is *recombined* if each of its parameters was seen before on its path, but not this
combination. Facets produce such variants endlessly, categories with pages for good reason. A
recombined variant is allowed as long as its kind (the names of its parameters) leads to pages
that are not variants of the same path. Mixes of facets come last until one of their kind leads on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.policy.traps.series import RecentHashes, skeleton
from sitecrawl.policy.traps.trap_limit import TrapLimit
from sitecrawl.policy.urls.url_rules import Target

REMEMBERED_PATHS = 20_000
REMEMBERED_PARAMETERS = 20_000
REMEMBERED_TEXTS = 1000

VARIANTS = RefusalReason(
    "variants", "too many query variants of one path (`max_variants`)", options=("max_variants",)
)
RECOMBINATION = RefusalReason(
    "recombination",
    "a combination of known parameters without new content (`max_barren_pages`)",
    options=("max_barren_pages",),
)


@dataclass(slots=True)
class RecombinedVariants:
    """The recombined variants of a path with the same parameter names.

    ``unproductive`` counts the consecutive pages that led to no other path; ``proven``: one did.
    """

    waiting: int = 0
    unproductive: int = 0
    proven: bool = False


@dataclass(slots=True)
class PathVariants:
    """The variants of one path: how many are waiting for proof, and the state of each kind.

    ``fresh`` counts the variants read with a text of their own, ``stale`` the others.
    ``unproductive`` counts the consecutive recombined pages that led to no other path, over all
    kinds that are not proven yet. ``facets`` has the parameters that were seen without others.
    """

    unproven: int = 0
    fresh: int = 0
    stale: int = 0
    unproductive: int = 0
    parameters: set[int] = field(default_factory=set)
    facets: set[int] = field(default_factory=set)
    kinds: dict[str, RecombinedVariants] = field(default_factory=dict)
    recombined: set[int] = field(default_factory=set)
    texts: RecentHashes = field(default_factory=lambda: RecentHashes(REMEMBERED_TEXTS))


@dataclass(slots=True)
class QueryVariants(TrapLimit):
    """The query variants of a crawl, by path."""

    limit: int
    patience: int
    limit_setting: str
    patience_setting: str
    _paths: dict[str, PathVariants] = field(default_factory=dict, init=False)
    reasons = (VARIANTS, RECOMBINATION)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limits."""
        return cls(
            options.value("max_variants"),
            options.value("max_barren_pages"),
            VARIANTS.setting(options),
            RECOMBINATION.setting(options),
        )

    def record_page(self, page: Target, text: str) -> None:
        """Record a variant that was fetched for the first time."""
        variants = self._paths.get(_path(page)) if page.parts.query else None
        if variants is None:
            return
        if variants.texts.add(skeleton(text, dated=False)):
            variants.fresh += 1
            variants.unproven = max(0, variants.unproven - 1)
        else:
            variants.stale += 1
        if hash(page.parts.query) in variants.recombined:
            variants.recombined.discard(hash(page.parts.query))
            kind = variants.kinds[_names(page)]
            kind.waiting -= 1
            kind.unproductive += 1
            variants.unproductive += not kind.proven

    def record_revisit(self, page: Target) -> None:
        """Record a variant that was fetched again: an earlier run has judged it."""
        variants = self._paths.get(_path(page)) if page.parts.query else None
        if variants:
            variants.unproven = max(0, variants.unproven - 1)

    def admit_link(self, link: Target) -> Decision:
        """Decide on a link to a variant that is not known yet."""
        if not link.parts.query:
            return ALLOWED
        variants = self._variants_of(_path(link))
        if self.limit and variants.unproven >= self.limit and variants.stale > variants.fresh:
            return self._too_many(variants, link)
        if self.patience and _is_recombined(variants, link):
            return self._admit_new_recombined(variants, link)
        self._record_new(variants, link)
        return ALLOWED

    def record_followed(self, page: Target, link: Target) -> None:
        """Record a new link that is followed: a link to another path proves the page's kind."""
        if not page.parts.query or _path(link) == _path(page):
            return
        variants = self._paths.get(_path(page))
        kind = variants.kinds.get(_names(page)) if variants else None
        if variants and kind:
            kind.unproductive = variants.unproductive = 0
            kind.proven = True

    def is_unproven(self, link: Target) -> bool:
        """Return True for a mix of facets, each of which is a page by itself, that leads nowhere yet.

        None of its kind (the names of the parameters) has led to another path.
        """
        variants = self._paths.get(_path(link))
        if variants is None or hash(link.parts.query) not in variants.recombined:
            return False
        if variants.kinds[_names(link)].proven:
            return False
        return all(each in variants.facets for each in _hashes(link))

    def admit_fetch(self, link: Target) -> Decision:
        """Decide on the first fetch of a variant."""
        variants = self._paths.get(_path(link)) if link.parts.query else None
        if variants is None:
            return ALLOWED
        if self.limit and variants.stale >= self.limit and variants.stale > variants.fresh:
            return self._too_many(variants, link)
        if hash(link.parts.query) not in variants.recombined:
            return ALLOWED
        return self._admit_recombined(variants, link)

    def _too_many(self, variants: PathVariants, link: Target) -> Decision:
        read = variants.fresh + variants.stale
        words = f"{_path(link)} had a text seen before for {variants.stale} of {read} queries"
        return VARIANTS.refuse(f"{self.limit_setting}: {words}")

    def _admit_new_recombined(self, variants: PathVariants, link: Target) -> Decision:
        decision = self._admit_recombined(variants, link)
        if decision.allowed:
            variants.kinds.setdefault(_names(link), RecombinedVariants()).waiting += 1
            variants.recombined.add(hash(link.parts.query))
            variants.unproven += 1
        return decision

    def _admit_recombined(self, variants: PathVariants, link: Target) -> Decision:
        names = _names(link)
        kind = variants.kinds.get(names) or RecombinedVariants()
        exhausted = not kind.proven and variants.unproductive >= 2 * self.patience
        # A pair may lead on where others did not: pages of a list by one facet.
        exhausted = exhausted and (kind.unproductive > 0 or names.count("&") > 1)
        if kind.unproductive < self.patience and not exhausted:
            return ALLOWED
        return RECOMBINATION.refuse(
            f"{self.patience_setting}: {_path(link)} with {names} brought nothing new"
        )

    def _record_new(self, variants: PathVariants, link: Target) -> None:
        variants.unproven += 1
        if len(variants.parameters) < REMEMBERED_PARAMETERS:
            variants.parameters.update(_hashes(link))
            if "&" not in link.parts.query:
                variants.facets.add(hash(link.parts.query))

    def _variants_of(self, path: str) -> PathVariants:
        variants = self._paths.get(path)
        if variants is None:
            if len(self._paths) >= REMEMBERED_PATHS:
                del self._paths[next(iter(self._paths))]
            variants = self._paths[path] = PathVariants()
        return variants


def _path(target: Target) -> str:
    return target.origin + target.parts.path


def _names(target: Target) -> str:
    return "&".join(sorted({p.partition("=")[0] for p in target.parts.query.split("&")}))


def _hashes(target: Target) -> Iterable[int]:
    return (hash(parameter) for parameter in target.parts.query.split("&"))


def _is_recombined(variants: PathVariants, link: Target) -> bool:
    if "&" not in link.parts.query:
        return False
    return all(value in variants.parameters for value in _hashes(link))
