"""Server-side image maps: links whose target depends on where a person clicks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.web.options import ReadOptions

DEFAULT_SIZE = (100, 100)
_MAP_FILE = re.compile(r"\.map$|/imagemap/", re.IGNORECASE)
_SIZE = re.compile(r"\s*(\d{1,5})")
# A point, or the radius of a CERN circle.
_POINT = re.compile(r"(?<=\s)(?:\(\s*\d+\s*,\s*\d+\s*\)|\d+\s*,\s*\d+|\d+)(?=\s)")
_SHAPES = frozenset(
    {"rect", "rectangle", "circle", "circ", "poly", "polygon", "point", "default", "def"}
)


def map_hrefs(href: str, image_map: str, options: ReadOptions) -> Sequence[str]:
    """The addresses to ask for a link around a server-side map, by the mode of the options.

    ``image_map`` is the image's size as ``WIDTHxHEIGHT``, empty for ordinary links.
    """
    if not image_map:
        return (href,)
    if options.image_maps == "sample":
        plain = re.split(r"[?#]", href, maxsplit=1)[0]
        points = sample_points(image_map, options.image_map_samples)
        return [f"{plain}?{x},{y}" for x, y in points]
    return (href,) if options.image_maps == "mapfile" and is_map_file(href) else ()


def is_map_file(url: str) -> bool:
    """Whether an address looks like a map file."""
    return _MAP_FILE.search(re.split(r"[?#]", url, maxsplit=1)[0]) is not None


def sample_points(size: str, count: int) -> list[tuple[int, int]]:
    """About ``count`` points spread over an image of that size, in pixels."""
    width, height = (_pixels(text) for text in size.split("x", 1))
    columns = max(1, round(count**0.5))
    rows = -(-count // columns)
    points = [
        (width * (2 * column + 1) // (2 * columns), height * (2 * row + 1) // (2 * rows))
        for row in range(rows)
        for column in range(columns)
    ]
    return points[:count]


def _pixels(text: str) -> int:
    matched = _SIZE.match(text)
    return max(1, int(matched[1])) if matched else DEFAULT_SIZE[0]


def read_map(text: str) -> Iterator[str]:
    """The targets in a map file: NCSA (``rect url x,y x,y``) and CERN (``rect (x,y) url``).

    Comments begin with ``#``; lines that are neither form are passed over.
    """
    for line in text.splitlines():
        shape, _, rest = line.strip().partition(" ")
        words = _POINT.sub(" ", f" {rest} ").split()
        if shape.lower() in _SHAPES and words:
            yield words[0].strip('"')
