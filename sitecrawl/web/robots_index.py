"""Finds, among very many patterns of robots.txt, the few that may speak of a path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST = 16


@dataclass(frozen=True, slots=True)
class PieceIndex:
    """Patterns by a piece of each that stands in every path they match.

    The piece is the end of the longest part between wildcards, in lower case: names in such
    lists begin alike (``?param1=``, ``?param2=``). Its length is a power of two, so that few
    lengths have to be tried at each place of a path.
    """

    by_piece: dict[str, list[int]]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, patterns: Iterable[tuple[str, ...]]) -> PieceIndex:
        """Each pattern is given as what stands between its wildcards."""
        by_piece: defaultdict[str, list[int]] = defaultdict(list)
        for number, parts in enumerate(patterns):
            by_piece[_piece(max(parts, key=len))].append(number)
        return cls(dict(by_piece), tuple({len(piece) for piece in by_piece}))

    def among(self, paths: Iterable[str]) -> list[int]:
        """The numbers of the patterns that may match one of the paths, in their order."""
        found: set[int] = set()
        for path in paths:
            folded = path.lower()
            for length in self.lengths:
                places = range(len(folded) - length + 1)
                pieces = {folded[at : at + length] for at in places}
                for piece in pieces & self.by_piece.keys():
                    found.update(self.by_piece[piece])
        return sorted(found)


def _piece(part: str) -> str:
    length = min(len(part), LONGEST)
    longest = 1 << length.bit_length() - 1 if length else 0
    return part[len(part) - longest :].lower()
