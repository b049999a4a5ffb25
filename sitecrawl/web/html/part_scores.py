"""Parts of a page that are not its content, by a linear score of structure, names and headings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from math import log
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.web.html.furniture import MIN_TEXT, prose
from sitecrawl.web.html.page_types import DOCUMENTATION, THREAD
from sitecrawl.web.html.part_weights import BIAS, SUBJECTS, VALUES
from sitecrawl.web.html.regions import ARTICLE, BLOCK, FORM, LIST, NAMED, Region

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Heading
    from sitecrawl.web.html.walk import Walk


NO_SUBJECTS: frozenset[str] = frozenset()
_FORMS = frozenset({FORM})
_KINDS = frozenset({ARTICLE, BLOCK, FORM, LIST, NAMED})
MAX_SHARE = 0.6  # of the text, and of its prose, of a part that may be left out
MAX_TITLE = 60  # characters of a first line that is read as a heading
END = 0.02  # of the prose, before or after which the text has begun or ended
_TOPICS = re.compile(
    r"(?P<related>related|recommend|you (?:may|might)|(?:read|discover|explore) (?:more|next)|see more"
    r"|more (?:from|in|on|stories|articles|like|to)|also (?:read|like)|similar|people also|frequently"
    r"|customers? (?:who|also)|recently viewed|most (?:read|popular)|trending|popular|latest|up next"
    r"|what to read|recent (?:posts|articles|news)|complete the|featured|verwandte|ähnliche|weitere"
    r"|das könnte|mehr zum|articles (?:liés|similaires|récents)|à lire|te puede|también"
    r"|artículos relacionados|articoli correlati|leggi anche|potrebbe|powiązane|czytaj)"
    r"|(?P<opinions>\d+ (?:comments?|replies|responses)|comments?\b|leave a|join the (?:conversation"
    r"|discussion)|discussion|post a comment|(?:customer |user |product )?reviews?\b|ratings?\b"
    r"|testimonials?|kommentare|commentaires|comentarios|commenti|komentarze|bewertungen|avis"
    r"|opiniones|recensioni|opinie|write a)"
    r"|(?P<invitation>(?:our |the )?newsletter|subscribe|sign up|stay (?:up|in|con)|follow|share|join"
    r"|get (?:the|our|started|updates|in touch)|ready (?:for|to)|start your|about the author|abonn"
    r"|inscri|suscr|iscri|zapisz|folge|suivez|síguenos|seguici|contact|über den autor|à propos)",
    re.IGNORECASE,
)


class ScoredPart(NamedTuple):
    """A part with what its score weighs: numbers in the order of ``VALUES``, and subjects."""

    region: Region
    values: tuple[float, ...]
    subjects: frozenset[str]


def scored_parts(walk: Walk, kept: bytearray, page_type: str) -> list[Region]:
    """The parts whose score says that they are furniture, and profiles of a thread's posters.

    Manuals have none.
    """
    if "furniture" in walk.options.keep_parts or page_type == DOCUMENTATION:
        return []
    weights = _weights(page_type)
    bias = weights[""]
    found: list[Region] = []
    end = 0
    for region, values, subjects in parts_of(walk, kept):
        if region.start >= end:
            named = sum(map(weights.__getitem__, subjects))
            is_profile = page_type == THREAD and "poster" in subjects
            if is_profile or bias + sum(map(mul, VALUES, values)) + named > 0:
                found.append(region)
                end = region.end
    return found


@cache
def _weights(page_type: str) -> Mapping[str, float]:
    """The weights of subjects on pages of a type; that of no subject is the bias."""
    weights = defaultdict(float, {"": BIAS + SUBJECTS.get(page_type, 0.0)})
    for name, weight in SUBJECTS.items():
        kind, _, subject = name.rpartition(" ")
        if kind in ("", page_type):
            weights[subject] += weight
    return weights


def parts_of(walk: Walk, kept: bytearray) -> Iterator[ScoredPart]:
    """The parts of a page that may be left out, outer ones before those within."""
    lines, headings = walk.text.lines, walk.headings
    sizes = [0, *accumulate(map(mul, map(len, lines), kept))]
    told = [0, *accumulate(map(mul, map(prose, lines), kept))]
    numbers = [0, *accumulate(kept)]
    whole, all_told = sizes[-1], told[-1]
    if all_told < MIN_TEXT:
        return
    first = next((start for start, _, each in headings if each.level == 1 and kept[start]), 0)
    topics = _topics(headings, len(lines))
    outer: list[tuple[int, frozenset[str]]] = []
    for start, end, links, subjects in _spans(walk.regions):
        while outer and outer[-1][0] <= start:
            outer.pop()
        size, count = sizes[end] - sizes[start], numbers[end] - numbers[start]
        around = outer[-1][1] if outer else NO_SUBJECTS
        own = around | subjects if size < MAX_SHARE * whole else around
        outer.append((end, own))
        share = (told[end] - told[start]) / all_told
        if not count or size >= MAX_SHARE * whole or share > MAX_SHARE:
            continue
        begin = kept.find(1, start)
        topic = topics[begin] or _topic(lines[begin])
        values = (
            log(1 + size / count),
            min(2.0, links / count),
            end <= first,
            sizes[start] / whole,
            told[end] >= (1 - END) * all_told,
            told[end] <= END * all_told,
            share,
        )
        yield ScoredPart(Region("", start, end), values, own | {topic} if topic else own)


def _spans(regions: Sequence[Region]) -> list[tuple[int, int, int, frozenset[str]]]:
    """The lines of regions, outer ones first; elements around the same lines are one."""
    found: dict[tuple[int, int], tuple[int, frozenset[str]]] = {}
    for kind, start, end, links, subjects in regions:
        if kind in _KINDS:
            if kind == FORM:
                subjects |= _FORMS  # noqa: PLW2901
            known = found.get((start, -end))
            found[start, -end] = (links, known[1] | subjects if known else subjects)
    return [(start, -end, *found[start, end]) for start, end in sorted(found)]


def _topics(headings: Sequence[tuple[int, int, Heading]], count: int) -> list[str]:
    """The topic of each line by the headings above it."""
    topics = [""] * count
    for number, (start, _, heading) in enumerate(headings):
        if topic := _topic(heading.text):
            later = headings[number + 1 :]
            end = next((each[0] for each in later if each[2].level <= heading.level), count)
            topics[start:end] = [topic] * (end - start)
    return topics


@lru_cache(maxsize=1_024)
def _topic(title: str) -> str:
    found = _TOPICS.match(title) if len(title) <= MAX_TITLE else None
    return (found.lastgroup or "") if found else ""
