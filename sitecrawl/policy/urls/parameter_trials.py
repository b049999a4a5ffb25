"""Trials of the names of session ids and tracking parameters, which are only guesses.

The default lists remove such parameters from every URL. Where several URLs differ in them alone, or
where the URL without them is no page, three are requested as they were found. If these bring several
texts, or any in place of none, the names carry a meaning on their origin, and nothing is removed there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from sitecrawl.policy.documents.output_shapes import text_of
from sitecrawl.policy.urls.rule_engine import Rules

SAMPLES = 3
MAX_NOISE = 3
"""Number of words, numbers and ids apart, in which two answers for one page may differ."""
MAX_TEXT = 20_000
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
MAX_FOUND = 10_000
"""URLs that are kept for one trial; what is found later waits for the next run."""


class Found(NamedTuple):
    """A link whose URL was found with parameters that a list removes."""

    url: str
    depth: int
    referrer: str


class Ended(NamedTuple):
    """A trial that has ended: its names, True if they carry a meaning, and the links that they are part of."""

    names: tuple[str, ...]
    is_meant: bool
    links: list[Found]


@dataclass(slots=True)
class Trial:
    """The trial of names on an origin.

    ``found`` are the links by the URL without the names, then by their own; ``results`` the words
    of the samples, None for no document, once they are known.
    """

    found: defaultdict[str, dict[str, Found]] = field(default_factory=lambda: defaultdict(dict))
    number: int = 0
    samples: list[str] = field(default_factory=list)
    results: dict[str, frozenset[str] | None] = field(default_factory=dict)
    is_missing: bool = False
    is_over: bool = False

    def end(self) -> Iterator[Found]:
        """Forget and yield the links that were found."""
        self.is_over = True
        for each in self.found.values():
            yield from each.values()
        self.found.clear()


class ParameterTrials:
    """The trials of a crawl, by origin and names."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._trials: defaultdict[tuple[str, tuple[str, ...]], Trial] = defaultdict(Trial)
        self._sampled: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._by_plain: dict[str, tuple[str, tuple[str, ...]]] = {}

    def note(self, key: str, plain: str, found: Found) -> Iterable[Found]:
        """Note a link that the rules changed to ``plain``; return the samples to request, if any."""
        names = self._rules.guessed(found.url, plain)
        if not names:
            return ()
        trial = self._trials[key, names]
        if trial.is_over or trial.number >= MAX_FOUND:
            return ()
        variants = trial.found[plain]
        trial.number += found.url not in variants
        variants.setdefault(found.url, found)
        self._by_plain[plain] = key, names
        return self._sample(trial, (key, names), plain) if len(variants) >= SAMPLES else ()

    def missing(self, plain: str) -> Iterable[Found]:
        """Return the samples to request after a URL proved to be no page."""
        place = self._by_plain.get(plain)
        trial = self._trials[place] if place else None
        if place is None or trial is None or trial.is_over or trial.samples:
            return ()
        trial.is_missing = True
        return self._sample(trial, place, plain)

    def _sample(
        self, trial: Trial, place: tuple[str, tuple[str, ...]], plain: str
    ) -> Iterable[Found]:
        if trial.samples:
            return ()
        chosen = list(trial.found[plain].values())[:SAMPLES]
        self._rules.try_as_found(each.url for each in chosen)
        trial.samples = [self._rules.admit(each.url).url for each in chosen]
        self._sampled.update(dict.fromkeys(trial.samples, place))
        return chosen

    def judge(self, url: str, document: Mapping[str, Any]) -> Ended | None:
        """Take the document of a page, empty for none; return the trial that ends with it, if any."""
        place = self._sampled.pop(url, None)
        if place is None:
            return None
        key, names = place
        trial = self._trials[place]
        text = text_of(document)[:MAX_TEXT]
        trial.results[url] = frozenset(_WORD.findall(text)) if document else None
        if len(trial.results) < len(trial.samples):
            return None
        texts = [each for each in trial.results.values() if each is not None]
        links = list(trial.end())
        differ = any(len(one ^ other) > MAX_NOISE for one, other in combinations(texts, 2))
        if not (differ or (trial.is_missing and texts)):
            return Ended(names, is_meant=False, links=[])
        self._rules.take_back(key, names)
        return Ended(names, is_meant=True, links=links)

    def close(self, key: str, names: tuple[str, ...]) -> None:
        """Try names no more: an earlier run has found no meaning in them."""
        self._trials[key, names].is_over = True
