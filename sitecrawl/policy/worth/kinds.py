"""Kinds of URLs of one origin, and the pools of related kinds that share evidence.

A kind is the template of a URL with the shapes of its parameters' values: ``topic=<#>.<#>`` and
``topic=<#>.msg<#>`` are two. The name of a directory or program that is one of a few
is part of the kind; where many different ones are met they count as one. So is
the difference to the URLs that were requested before: those that differ in a session id alone are a
kind of their own, and those whose page was read under another address. URLs that pages declare to be
their translations are others than those that are only linked, as untranslated pages have URLs in each
language too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_plus
from zlib import crc32

from sitecrawl.policy.urls.templates import DEEPER, WORD, is_opaque, url_template
from sitecrawl.policy.worth.copies import Copies
from sitecrawl.policy.worth.translations import Translations

MAX_PROGRAMS = 16
"""Number of programs in a directory, above which their names are those of pages and not of kinds."""
MAX_SHAPE = 24
"""Length of the shape of a value, in characters."""
MAX_PLACES = 5000
"""Number of places of URLs whose words are remembered."""
MAX_NAMES = (100, 16)
"""The same for the names of directories at each place of a path; deeper ones are no part of a kind,
nor is their number."""
MAX_REQUESTED = 250_000
MAX_POOLS = 4
"""Number of parameters of a URL that are pools."""
NAME = "<name>"
"""Directories and values of which there are many."""
TRANSLATION, READ_BEFORE = " as translation", " read before"
FRUITLESS = " that brought nothing"
"""End of the names of kinds whose pages were requested in earlier runs, and brought nothing."""
FOUND_ON = " on "
"""Before the path of the pages on which URLs of a kind were found."""
NAMES, SET, FOLDER, PARAMETER = "names", "set", "folder", "parameter"
"""Bases of pools, what their kinds share: the same parameters on one path; as many parameters on one path; a directory; a
parameter on any path."""
COPY, TRANSLATED, OF_WORD = "copy", "translated", "word"
"""Further bases: an alias; all declared translations that were read under another address; the same parameters with
one word as a value, a pool that is only asked if it brings something."""

NUMBER = "<#>"
QUERY = "%3F"
"""End of the name of a program whose query begins with a path."""
_NUMBER = re.compile(r"\d+")
_COUNTED = re.compile("<(?:date|id|number)>")
_SEGMENT = re.compile(r"(?<=/)[^/?]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_PLACEHOLDER = re.compile(r"(<[a-z#]+>)")
_CHOICE = re.compile(r"[A-Za-z][A-Za-z._-]*")
_VALUE = re.compile(r"[<*]")
_IN_QUERY = re.compile(r"(?!\d+,\d+$).*[/\d]")  # no point of an image map, which a user asks for
_PRINTED = re.compile(
    r"(?:[^a-z]|^)(?:print(?:er|able|out|page|thread|version|view)?|druck(?:ansicht|en|version)?"
    r"|imprim(?:able|er|ible|ir)|stampa)(?:[^a-z]|$)"
)


class Pool(NamedTuple):
    """A group of related kinds: ``basis`` is what they share."""

    basis: str
    name: str


class Kind(NamedTuple):
    """The kind of a URL, and its pools, the most specific first.

    ``is_on_another_host``: the page was read there. ``has_exceptions``: it was read under another address, but
    other pages differ under theirs, and it was not requested in earlier runs.
    """

    name: str
    pools: tuple[Pool, ...] = ()
    is_on_another_host: bool = False
    has_exceptions: bool = False


@dataclass(slots=True)
class Kinds:
    """The kinds of the URLs of one origin, by the words that were met at each place.

    ``requested`` are the CRC-32 hashes of the URLs that were requested, each without the value of one
    of its parameters, or without an id in its path; ``fruitless`` are those of the whole URLs that were
    requested and brought nothing. ``_paths`` has what ``_path`` returns, until a word is added.
    """

    requested: set[int] = field(default_factory=set)
    fruitless: set[int] = field(default_factory=set)
    translations: Translations = field(default_factory=Translations)
    copies: Copies = field(default_factory=Copies)
    _words: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _paths: dict[str, tuple[str, tuple[Pool, ...]]] = field(default_factory=dict)

    def of(self, url: str) -> Kind:
        """Return the kind of an absolute URL."""
        kind = self._of(url)
        if self.fruitless and crc32(url.encode()) in self.fruitless:
            return kind._replace(name=kind.name + FRUITLESS, has_exceptions=False)
        return kind

    def found_on(self, kind: Kind, referrer: str | None) -> str:
        """Return the name of the URLs of a kind that were found on pages like one."""
        return f"{kind.name}{FOUND_ON}{self.shape(referrer)}" if referrer else kind.name

    def brought(self, url: str, *, something: bool) -> None:
        """Record whether a URL that was requested has brought anything so far."""
        if something:
            self.fruitless.discard(crc32(url.encode()))
        elif len(self.fruitless) < MAX_REQUESTED:
            self.fruitless.add(crc32(url.encode()))

    def _of(self, url: str) -> Kind:
        whole, url = url, with_path_of_query(url)
        template = url_template(url)
        path, folders = self._path(template.path, url)
        key = crc32(whole.encode()) if self.translations.declared else 0
        named = f"?{'&'.join(template.parameters)}" if template.parameters else ""
        if key in self.translations.read_elsewhere:
            name = f"{path}{named}{TRANSLATION}{READ_BEFORE}"
            return Kind(name, (Pool(TRANSLATED, ""),))
        if key in self.translations.declared:
            return Kind(f"{path}{named}{TRANSLATION}")
        alias = self.copies.of(whole) if self.copies.aliases else None
        if alias is not None:
            by_path = f"{path}{named} as copy by {alias.name}"
            name = alias.name if alias.is_of_parameters else by_path
            lists = _pools(path, template.parameters) if alias.is_of_parameters else ()
            pools = (Pool(COPY, alias.name), *lists)
            return Kind(name, pools, alias.leads_elsewhere(whole), self.copies.aliases[alias])
        again = ",".join(name for name, key in _variables(url) if key in self.requested)
        again = f" again by {again}" if again else ""
        if not template.parameters:
            return Kind(path + again, folders)
        word = self._word(path, template.parameters, url)
        values = {name: shape_of(value) for name, value in parameters_of(url)} | word
        shapes = "&".join(sorted(f"{name}={shape}" for name, shape in values.items()))
        related = _pools(path, template.parameters, *word.values())
        return Kind(f"{path}?{shapes}{again}", related)

    def shape(self, url: str) -> str:
        """Return the path of the kind of a URL, in which all that looks like a number is one."""
        url = with_path_of_query(url)
        path, _ = self._path(url_template(url).path, url)
        return _COUNTED.sub(NUMBER, path) if "<" in path else path

    def add(self, url: str) -> None:
        """Record that a URL was requested."""
        if len(self.requested) < MAX_REQUESTED:
            self.requested.update(key for _, key in _variables(with_path_of_query(url)))

    def add_translation(self, url: str, language: str, text: int) -> None:
        """Record that a page with the hash ``text`` declares a URL to be its translation."""
        is_read = crc32(url.encode()) in self.copies.read_urls
        self.translations.declare(text, language, url, is_read=is_read)

    def _path(self, shape: str, url: str) -> tuple[str, tuple[Pool, ...]]:
        """Return the shape of a path with the names of its directories, and its first directories as pools.

        Before a query the last name is that of a program, if there are few.
        """
        if "?" in url:
            return self._walk(shape, url)
        if shape not in self._paths:
            if len(self._paths) >= MAX_PLACES:
                self._paths.clear()
            self._paths[shape] = self._walk(shape, url)
        return self._paths[shape]

    def _walk(self, shape: str, url: str) -> tuple[str, tuple[Pool, ...]]:
        *directories, page = shape.split("/")
        prefix = ""
        folders: list[Pool] = []
        in_query = any(each.endswith(QUERY) for each in directories)  # there the places begin
        for place, each in enumerate(directories[1:], -in_query):
            if "<" not in each and place >= len(MAX_NAMES):
                prefix = prefix.removesuffix(f"/{DEEPER}") + f"/{DEEPER}"
            elif "<" in each or self._is_choice(prefix + "/", each, MAX_NAMES[place]):
                prefix += f"/{each}"
                folders.append(Pool(FOLDER, f"{prefix}/"))
            else:
                prefix += f"/{NAME}"
        if page.startswith(WORD) and "?" in url:
            program = url.partition("?")[0].rpartition("/")[2]
            page = program if self._is_choice(f"{prefix}/?", program) else page
        return f"{prefix}/{page}", tuple(folders[::-1])

    def _word(self, path: str, names: Sequence[str], url: str) -> dict[str, str]:
        """Return the only parameter of a URL with a value that is one of several words, but a few.

        If there are more, their mixes are views of one kind.
        """
        words: dict[str, str] = {}
        for name, value in parameters_of(url):
            place = f"{path}?{'&'.join(names)} {name}"
            if _is_word(value) and self._is_choice(place, value) and len(self._words[place]) > 1:
                words[name] = value
        return words if len(words) == 1 else {}

    def _is_choice(self, place: str, word: str, most: int = MAX_PROGRAMS) -> bool:
        """Return True if a word is one of the few at a place."""
        if place not in self._words and len(self._words) >= MAX_PLACES:
            return False
        words = self._words[place]
        if len(words) <= most and word not in words:
            words.add(word)
            self._paths.clear()
        return len(words) <= most


def with_path_of_query(url: str) -> str:
    """Return a URL whose query begins with a path or a number as one with that at the end of its path.

    ``/index.php?/topic/12-lamps&s=1`` becomes ``/index.php%3F/topic/12-lamps?s=1``: such a query has no parameters.
    """
    if "?" not in url:
        return url
    bare, _, query = url.partition("?")
    first, _, rest = query.partition("&")
    if "=" in first or not _IN_QUERY.match(first):
        return url
    return f"{bare}{QUERY}/{first.removeprefix('/')}{'?' if rest else ''}{rest}"


def is_printed(url: str) -> bool:
    """Return True for the address of a page as it is printed, which comes after the page itself."""
    return _PRINTED.search(url.lower()) is not None


@lru_cache(maxsize=1024)
def _pools(path: str, names: Sequence[str], word: str = "") -> tuple[Pool, ...]:
    """Return the pools of the URLs of a path with parameters of these names, and a word as a value."""
    pools = [Pool(NAMES, f"{path}?{'&'.join(names)}")]
    if len(names) > 1:
        pools.append(Pool(SET, f"{path}?{len(names)}"))
    pools += (Pool(PARAMETER, name) for name in names[:MAX_POOLS])
    if word:
        pools.append(Pool(OF_WORD, f"{pools[0].name} {word}"))
    return tuple(pools)


def pattern_of(kind: str) -> str:
    """Return a regular expression for the URLs of a kind, for the option ``always_fetch``."""
    path, mark, query = kind.partition(" ")[0].partition("?")
    pattern = "".join(
        {DEEPER: ".+", "": ""}.get(
            each,
            "[^/?]+" if _PLACEHOLDER.fullmatch(each) else re.escape(each).replace(r"\*", ".*"),
        )
        for each in _PLACEHOLDER.split(path)
    ).replace(f"{QUERY}/", r"\?/?")
    if not mark:
        return f"{pattern}$"
    names = (_pattern_of_parameter(_VALUE.split(each)[0]) for each in query.split("&"))
    return pattern + "[?&]" + "".join(f"(?=(.*[&;])?{each})" for each in names)


def _pattern_of_parameter(start: str) -> str:
    """Return a regular expression for the start of a parameter, which may have no value."""
    name = start.removesuffix("=")
    return f"{re.escape(name)}(=|[&;]|$)" if name != start else re.escape(start)


@lru_cache(maxsize=4096)
def shape_of(value: str) -> str:
    """Return the shape of a value that is no plain word: ``12.msg34`` has ``<#>.msg<#>``."""
    shape = _NUMBER.sub(NUMBER, value)
    if len(shape) > MAX_SHAPE or shape == value or is_opaque(value):
        return NAME
    return _LETTERS.sub(lambda found: found[0] if len(found[0]) <= len("msg") else "<a>", shape)


def _is_word(value: str) -> bool:
    """Return True for a value such as ``month``, ``by-date`` or ``month.calendar``."""
    return len(value) <= MAX_SHAPE and _CHOICE.fullmatch(value) is not None


@lru_cache(maxsize=1024)
def _variables(url: str) -> tuple[tuple[str, int], ...]:
    """Return what of a URL may be varied, each with a hash of the rest of the URL."""
    bare, _, query = url.partition("?")
    found = [
        ("path", bare[: each.start()] + bare[each.end() :] + query)
        for each in _SEGMENT.finditer(bare)
        if is_opaque(each[0])
    ]
    parts = query.replace(";", "&").split("&") if query else []
    for place, part in enumerate(parts[:MAX_POOLS]):
        name = part.partition("=")[0]
        rest = "&".join(parts[:place] + parts[place + 1 :])
        found.append((unquote_plus(name), f"{bare}?{rest}&{name}"))
    return tuple((name, crc32(rest.encode())) for name, rest in found)


@lru_cache(maxsize=1024)  # called for the verdict, the request and the page in turn
def parameters_of(url: str) -> tuple[tuple[str, str], ...]:
    """Return the decoded parameters of a URL, in their order; a semicolon separates them too."""
    query = url.partition("#")[0].partition("?")[2]
    parts = (each.partition("=") for each in query.replace(";", "&").split("&") if each)
    return tuple((unquote_plus(name), unquote_plus(value)) for name, _, value in parts)
