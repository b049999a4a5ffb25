"""Vectors of texts, made by a function or a local model of the user; nothing is downloaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

from sitecrawl.sync.target import SyncError, TargetUriError

if TYPE_CHECKING:
    from sitecrawl.search.search_index import SearchIndex

EMBED = "embed"  # the entry of an index that names the function of its vectors
TEXTS = 64  # in one call
T = TypeVar("T")
Embed = Callable[[list[str]], Iterable[Iterable[float]]]


class Embedder:
    """Calls the function ``package.module:function`` with texts, in batches; or the model of
    sentence-transformers in a local folder, given with a slash.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def vectors(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Yield the vector of each text; raises SyncError if the function fails."""
        for start in range(0, len(texts), TEXTS):
            batch, embed = list(texts[start : start + TEXTS]), self._function
            try:
                found = [[float(number) for number in vector] for vector in embed(batch)]
            except Exception as error:
                raise SyncError(f"{self.name} failed: {type(error).__name__}: {error}.") from error
            if len(found) != len(batch):
                raise SyncError(
                    f"{self.name} returned {len(found)} vectors for {len(batch)} texts."
                )
            yield from found

    def complete(
        self, found: dict[str, T], texts: Mapping[str, str], dimension: int, pack: Callable[..., T]
    ) -> dict[str, str]:
        """Add the vectors of the texts that ``found`` lacks, by their hash; return the faults of those
        that cannot be stored. ``dimension`` is that of the others, 0 for any.
        """
        missing = {hash_: text for hash_, text in texts.items() if hash_ not in found}
        faults: dict[str, str] = {}
        made = self.vectors(list(missing.values()))
        for hash_, vector in zip(missing, made, strict=True):
            if fault := _fault(vector, dimension):
                faults[hash_] = fault
            else:
                found[hash_], dimension = pack(vector), len(vector)
        return faults

    @cached_property
    def _function(self) -> Embed:
        """The user's function, also of a module in the working directory."""
        if "/" in self.name:
            return self._model()
        module, _, name = self.name.partition(":")
        if os.getcwd() not in sys.path:  # noqa: PTH109 - entries of the path are strings
            sys.path.append(os.getcwd())  # noqa: PTH109
        try:
            found: Embed = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise TargetUriError(f"embed: {self.name} cannot be imported: {error}.") from error
        return found

    def _model(self) -> Embed:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - the user's

            encode: Embed = SentenceTransformer(self.name, local_files_only=True).encode
        except (ImportError, OSError, ValueError) as error:
            raise TargetUriError(f"embed: {self.name} cannot be loaded: {error}.") from error
        return encode


def query_vector(index: SearchIndex, words: str) -> list[float] | None:
    """Return the vector of a query by the function that made those of the index, else None.

    Raises SyncError.
    """
    embed = index.meta(EMBED)
    if not embed or not words.strip():
        return None
    [vector] = _embedder(embed).vectors([words])
    return vector


@lru_cache
def _embedder(name: str) -> Embedder:
    return Embedder(name)


def _fault(vector: Sequence[float], dimension: int) -> str:
    if not vector:
        return "its vector is empty"
    if dimension and len(vector) != dimension:
        return f"its vector has {len(vector)} numbers, others have {dimension}"
    return "" if all(map(isfinite, vector)) else "its vector has a number that is not finite"
