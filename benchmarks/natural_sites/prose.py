"""English text from a seed: words of daily life put into patterns of sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def phrases(text: str) -> list[str]:
    """The parts of a text between its bars."""
    return text.split("|")


_THINGS = """anchor apron archive arch axle bakery balcony barn barrel basket bench bicycle boiler bottle
bracket bridge brush bucket cabinet cable canal candle canvas carpet cellar chapel chimney clock cottage
counter courtyard cupboard curtain dam desk ditch dock drawer drum engine farm fence ferry field fireplace
forge fountain furnace garden gate gauge gear ginnel glacier hall hammer handle harbour hatch hedge hinge
hospital hull inn jar journal jug kettle kiln kitchen ladder lamp lane lantern lathe ledger letter lever
library lighthouse loaf lock loom market mast meadow mill mine mirror monument mosaic motor museum nail
needle net notebook nursery orchard organ oven paddle painting palace pantry parcel path pavement pier
pillar pipe plank platform plough pond porch portrait post press pulley pump quarry quilt railway ramp
register reservoir ribbon ridge roof rope sail sample saw scaffold school screw shed shelf ship shore
signal sketch sledge slope spindle spring square stable staircase station statue stove stream street
sundial switch table tank tannery tap theatre tower tram trench trunk tunnel turbine valley valve vault
verandah viaduct village vineyard wagon wall warehouse wharf wheel windmill window workshop yard"""
_QUALITIES = """abandoned ancient austere awkward bare bold brittle broad bronze careful cheap coarse
compact copper crooked curious damp deep delicate double dusty early elegant enormous faded familiar fine
flat foreign fragile generous gentle golden handsome heavy hollow humble irregular late lean light local
long lonely loose massive modern modest narrow neat new noisy northern odd old open painted pale patient
plain polished practical private public quiet rare reliable round rough rural sandy sharp short silent
simple slender slow small smooth soft solid southern spare stable steep stiff stout strong sturdy sudden
tall temporary thick thin tidy timber tiny unusual upper useful vast warm weathered wide wooden young"""
_DEEDS = """abandoned admired altered approved auctioned borrowed built bought catalogued cleaned closed
collected compared completed copied covered cut decorated delivered described designed destroyed
discovered divided documented donated doubled drained dried emptied enlarged examined exchanged extended
filled finished found funded gathered guarded heated hidden hired improved inherited inspected insured
labelled leased lifted lost lowered mapped measured mended moved named noticed numbered opened ordered
owned painted planned polished praised preserved printed protected published purchased rebuilt recorded
removed renamed rented repaired replaced restored returned sealed searched sketched sold stored studied
surveyed tested translated transported valued visited weighed widened"""
_FOLK = """accountant apprentice architect baker blacksmith bookbinder botanist brewer bricklayer butcher
carpenter chemist clerk cook cooper councillor curator dentist driver editor electrician engineer farmer
ferryman fisherman forester gardener geologist glazier goldsmith grocer guide historian innkeeper
inspector joiner journalist judge librarian locksmith mason mayor mechanic merchant midwife miller miner
musician nurse optician painter pharmacist photographer pilot plumber poet porter postman potter printer
publisher roofer saddler sailor schoolmaster sculptor secretary shepherd shoemaker singer smith surgeon
surveyor tailor teacher thatcher translator treasurer vet violinist warden watchmaker weaver"""
_FIRST = """Ada Agnes Albert Alice Amos Anna Arthur Beatrix Bernard Bridget Cecil Clara Conrad Cyril Daphne
Doris Edgar Edith Edmund Elsie Emil Ernest Esther Ethel Felix Flora Frances Frederick George Gilbert Grace
Harold Hazel Helen Henrietta Herbert Hilda Horace Hugo Ida Irene Isaac Ivy Jonas Joseph Judith Julius Karl
Kenneth Laura Leonard Lillian Louis Lucy Mabel Magnus Margaret Martha Matilda Maud Minnie Nathan Nell
Nora Olive Oscar Oswald Otto Patrick Percy Philippa Rachel Ralph Rose Ruth Samuel Selma Silas Stanley
Susan Sylvia Theodore Thomas Una Ursula Victor Viola Walter Wilfred Winifred"""
_LAST = """Abbott Ackroyd Alder Appleby Archer Ashdown Bagley Barlow Beckett Bellamy Birch Blackwood Bolton
Bramley Briggs Carver Chadwick Clough Coates Colby Crane Croft Dalton Dawes Denby Drake Dyer Eastwood
Eccles Ellery Fairfax Fenwick Finch Forrest Fowler Garland Gilmore Goddard Greaves Hale Hargrave Harker
Hawthorne Holroyd Hurst Ingham Jessop Kemp Kershaw Lacey Langley Lister Lockwood Marsh Mercer Middleton
Moss Nash Naylor Norwood Oakes Ogden Osborne Parrish Peel Pickering Platt Quill Radcliffe Ramsden Rigby
Rowe Sayer Shaw Sutcliffe Tanner Thorne Tolley Underhill Vickers Wainwright Webb Whitaker Wilde Yates"""
_TOWN = (
    "Ald Ash Bram Brid Cald Carl Dun East Ell Fair Glen Grim Had Hart Hol Kirk Lang Mar Nor Oak Pem"
)
_TOWN += " Rad Rip Sel Shel Stan Thorn Up Wal Wed West Whit Win Wool Yarn"
_ENDS = (
    "ford ton ham ley by wick worth bury mouth stead field burn dale combe minster bridge pool gate"
)

VOCABULARY: dict[str, Sequence[str]] = {
    "thing": _THINGS.split(),
    "things": [
        word + "es" if word.endswith(("s", "sh", "ch", "x")) else f"{word}s"
        for word in _THINGS.split()
        if not word.endswith(("y", "f", "shelf"))
    ],
    "quality": _QUALITIES.split(),
    "done": _DEEDS.split(),
    "person": _FOLK.split(),
    "first": _FIRST.split(),
    "last": _LAST.split(),
    "name": ["{first} {last}"],
    "town": [start + end for start in _TOWN.split() for end in _ENDS.split()],
    "month": words(
        "January February March April May June July August September October November December"
    ),
    "day": words("Monday Tuesday Wednesday Thursday Friday Saturday"),
    "material": words(
        "oak ash pine walnut steel brass copper iron slate granite sandstone glass linen wool "
        "leather clay lime cork wax silver tin zinc felt hemp"
    ),
    "colour": words(
        "red blue green yellow black white grey brown orange violet ivory crimson olive navy "
        "turquoise amber scarlet teal"
    ),
    "adverb": words(
        "carefully quietly slowly entirely hardly partly often rarely finally later soon again "
        "almost twice mostly nearly gradually officially reluctantly promptly"
    ),
    "reason": phrases(
        "because the {thing} was too {quality}|after the {month} floods|at the expense of {name}|"
        "on the advice of a {person} from {town}|without asking the {person}|for {20-900} pounds|"
        "to make room for a {quality} {thing}|although few {things} were left|before the winter of "
        "{1840-1990}|with the help of {3-40} volunteers|as the {person} had proposed|under the eyes of the "
        "{person}|in less than {2-30} weeks|because nobody in {town} wanted it"
    ),
    "sentence": phrases(
        "The {quality} {thing} was {adverb} {done} in {1780-2015} {reason}.|"
        "In {month} {1850-2019} a {person} called {name} {done} the {thing} {reason}.|"
        "{name} {done} {4-95} {things} and a {quality} {thing} near {town}.|"
        "Most {things} of this kind were {done} by a {person} in {town}.|"
        "Visitors often ask about the {thing}, which was {done} {reason}.|"
        "It has {3-60} {things}, a {thing} made of {material}, and {2-30} {quality} {things}.|"
        "Nobody knows who {done} the {material} {thing}, but {name} had seen it by {1790-1960}.|"
        "According to the {person}, every {thing} in {town} is {adverb} {done}.|"
        "Unlike the {thing} at {town}, this one is {quality}, {quality} and {adverb} {done}.|"
        "A {quality} {thing} of {material} stands beside the {thing}.|"
        "When {name} left for {town}, the {thing} was {done} {reason}.|"
        "The {person} wrote that the {thing} weighs {12-980} kilograms and is {2-60} feet long.|"
        "Since {1900-2018} the {things} have been {done} every {2-25} years {reason}.|"
        "There are {11-400} {things} between {town} and {town}, all of them {quality}.|"
        "Later the {person} {done} it {reason}, and the {thing} became {quality}.|"
        "Two {things} were {done} on a {day} in {month} {reason}.|"
        "Its {material} {thing} is {quality}; the {thing} below it was {done} {reason}.|"
        "Only the {thing}, {done} by {name}, remained {quality} for {5-90} years.|"
        "“I never saw a more {quality} {thing},” said {name}, a {person}.|"
        "Beyond the {thing} the road to {town} is {quality} and {quality}."
    ),
    "title": phrases(
        "{quality} {thing} of {town}|The {thing} and the {person}|{things} of {material}|"
        "A {quality} {thing} for {name}|Why the {thing} was {done}|{town} and its {things}|"
        "{name} and the {quality} {thing}|How {things} are {done} in {town}|"
        "{4-60} {quality} {things}|From {thing} to {thing}|No {thing} without a {person}|"
        "The {quality} {things} of {month}|Notes on the {material} {thing}"
    ),
}


class Prose:
    """A source of text: the same seed gives the same text."""

    def __init__(self, *seed: object) -> None:
        self.random = Random(":".join(map(str, seed)))

    def __call__(self, pattern: str, **vocabulary: Sequence[str]) -> str:
        """One of the patterns between bars, each ``{word}`` and ``{low-high}`` in it filled in."""

        def word(match: re.Match[str]) -> str:
            name = match[1]
            if name[0].isdigit():
                low, high = map(int, name.split("-"))
                return str(self.random.randint(low, high))
            chosen = vocabulary.get(name) or VOCABULARY[name]
            return self(self.random.choice(chosen), **vocabulary)

        one = self.random.choice(pattern.split("|")) if "|" in pattern else pattern
        return re.sub(r"\{([a-z_]+|\d+-\d+)\}", word, one)

    def text(self, sentences: int, pattern: str = "{sentence}", **vocabulary: Sequence[str]) -> str:
        """So many sentences of a pattern."""
        return " ".join(self(pattern, **vocabulary) for _ in range(sentences))

    def title(self, pattern: str = "{title}", **vocabulary: Sequence[str]) -> str:
        """A heading, its first letter a capital."""
        title = self(pattern, **vocabulary)
        return title[0].upper() + title[1:]

    def number(self, low: int, high: int) -> int:
        """A whole number between the two."""
        return self.random.randint(low, high)

    def pick(self, choices: Sequence[str], count: int) -> list[str]:
        """Several different choices."""
        return self.random.sample(choices, min(count, len(choices)))


def slug(text: str) -> str:
    """A text as a segment of a path."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
