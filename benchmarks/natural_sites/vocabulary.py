"""Words, names and sentences of generated pages, the same for the same seed."""

from __future__ import annotations

import random
from functools import cache


def _words(text: str, separator: str | None = None) -> list[str]:
    return text.split(separator)


FIRST = _words(
    "Anna Bernard Clara Dmitri Elena Farid Greta Hugo Ines Jonas Katrin Lars Mirela Nadia Oskar Petra "
    "Quentin Rosa Stefan Tilda Ulrich Vera Walter Xenia Yusuf Zora Agnes Bruno Celia Dario Edith Felix"
)
LAST = _words(
    "Abel Brandt Castro Dvorak Engel Ferrari Gruber Holm Ivanov Jansen Keller Lindqvist Moreau Novak "
    "Olsen Pereira Quist Rossi Sandoval Thorne Urban Vogel Weiss Ximenes York Zeman Ashby Birch Carver "
    "Dunmore Eastman Falk"
)
PLACES = _words(
    "Aldermoor Birkfeld Castleton Drumree Eastwick Falkensee Glenbrook Harrowgate Inverness Jarrow "
    "Kilbride Larkhill Marsden Northgate Oakham Penrith Queensbury Ravensworth Stonebridge Thornbury "
    "Upwell Vennacher Westerham Yarmouth Zelhem Ashford Brackley Corbridge Dunstable Ellesmere"
)
NOUNS = _words(
    "bridge harbour orchard engine ladder window market chimney valley kettle lantern meadow railway "
    "saddle timber violin workshop anchor barrel candle drawer ferry garden hammer island journal kitchen "
    "letter mirror needle oven pencil quarry river stable tower umbrella village wagon yard attic bench "
    "carpet ditch easel fountain gate hedge"
)
ADJECTIVES = _words(
    "old narrow quiet heavy green broken distant early golden hollow icy late loose modest northern "
    "open painted rusty shallow steep tall unusual warm wooden young brittle coarse damp faded grey"
)
VERBS = _words(
    "repaired moved painted measured carried opened sold lifted described replaced drawn cleaned found "
    "counted borrowed covered delivered examined finished guarded hidden inspected joined kept lowered"
)
WHEN = _words(
    "in spring|after the storm|on Tuesday|before noon|last winter|at the weekend|during the fair|"
    "by lamplight|in the rain|without delay|twice|for the third time|within a week|long ago",
    "|",
)


def dice(*seed: object) -> random.Random:
    """Random numbers of a seed."""
    return random.Random("/".join(map(str, seed)))


def person(*seed: object) -> str:
    """A full name."""
    chance = dice("person", *seed)
    return f"{chance.choice(FIRST)} {chance.choice(LAST)}"


def sentence(chance: random.Random) -> str:
    """A sentence of some ten words."""
    noun, other = chance.sample(NOUNS, 2)
    adjective, second = chance.sample(ADJECTIVES, 2)
    name, place = chance.choice(LAST), chance.choice(PLACES)
    verb, when = chance.choice(VERBS), chance.choice(WHEN)
    shape = chance.randrange(6)
    if shape == 0:
        return f"The {adjective} {noun} near {place} was {verb} {when}."
    if shape == 1:
        return f"{name} had the {noun} {verb} {when}, with a {second} {other} beside it."
    if shape == 2:
        return f"Nobody in {place} remembers who had {verb} the {adjective} {noun}."
    if shape == 3:
        return f"{when.capitalize()} a {second} {other} from {place} was {verb} for {name}."
    if shape == 4:
        return (
            f"It took {chance.randrange(2, 90)} days until the {noun} and the {other} were {verb}."
        )
    return f"Of {chance.randrange(3, 400)} {adjective} {noun}s only those of {name} were {verb} {when}."


@cache
def paragraph(sentences: int, *seed: object) -> str:
    """So many sentences of a seed, on one line."""
    chance = dice("paragraph", *seed)
    return " ".join(sentence(chance) for _ in range(sentences))


@cache
def name_of(*seed: object) -> str:
    """Two words that name a thing, such as a product or a topic."""
    chance = dice("name", *seed)
    return f"{chance.choice(ADJECTIVES).capitalize()} {chance.choice(NOUNS)}"
