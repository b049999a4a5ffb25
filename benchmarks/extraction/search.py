"""Known-item search: each page is asked for by its own heading, over the pages of its site."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

K1, B = 1.2, 0.75


class Ranking:
    """BM25 over the texts of a site."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(words) for words in texts]
        self._lengths = [len(words) for words in texts]
        self._mean = sum(self._lengths) / max(1, len(texts)) or 1
        self._frequency = Counter(word for counts in self._counts for word in counts)

    def reciprocal_rank(self, query: Sequence[str], page: int) -> float:
        """One over the rank of a page; pages of an equal score share the worst of their ranks."""
        scores = [self._score(query, number) for number in range(len(self._counts))]
        if not scores[page]:
            return 0.0
        return 1 / sum(score >= scores[page] for score in scores)

    def matches(self, query: Sequence[str]) -> float:
        """The share of pages that have every word of a query."""
        found = sum(all(word in counts for word in query) for counts in self._counts)
        return found / len(self._counts)

    def _score(self, query: Sequence[str], page: int) -> float:
        counts, length = self._counts[page], self._lengths[page]
        total = 0.0
        for word in set(query):
            count = counts[word]
            if count:
                pages = self._frequency[word]
                weight = math.log(1 + (len(self._counts) - pages + 0.5) / (pages + 0.5))
                norm = K1 * (1 - B + B * length / self._mean)
                total += weight * count * (K1 + 1) / (count + norm)
        return total
