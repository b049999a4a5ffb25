"""Queries with their answers, made by rules from the indexes that the manuals have themselves.

Nobody wrote or chose a query: each kind is a seeded sample of all entries of an index. An answer is
a page of a manual, and the anchor there if the index names one. A tenth is held back from tuning.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.search.manuals import LANGUAGES, MANUALS

SEED = 33
HELD_BACK = 10  # one of so many
ROOTS = {manual.name: manual.root for manual in MANUALS}
NUMBER = re.compile(r"^(?:(?:Chapter|Appendix|Part)\s+)?[\dA-Z]{1,3}(?:\.\d+)*\.\s+")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of a manual, by its path there, and an anchor; without one any place will do."""

    manual: str
    path: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, its kind, the answers that count as found, and the reader's language."""

    kind: str
    text: str
    answers: tuple[Answer, ...]
    held: bool = False

    @property
    def reader(self) -> str:
        """Language of the translation that a query is made from; other manuals are in English."""
        folder = self.answers[0].path.partition("/")[0]
        return folder.partition("-")[0] if folder in LANGUAGES else "en"


Entry = tuple[str, Answer]


def made_queries() -> list[Query]:
    """All queries, the same in every run."""
    entries = {
        "entry": [(sphinx_index("python"), 40), (postgresql_index(), 50), (sphinx_index("django"), 30)],
        "purpose": [(git_purposes(), 35), (python_purposes(), 30), (postgresql_purposes(), 25)],
        "section": [(sections(name), 12) for name in ROOTS if name != "handbook"],
        "identifier": [
            (git_options(), 20), (node_names(), 20), (sqlite_functions(), 15),
            (postgresql_settings(), 15), (special_methods(), 10),
        ],
        "term": [(glossary("python"), 12), (glossary("postgresql"), 12), (glossary("git"), 12)],
        "language": [(sections("handbook", language), 12) for language in LANGUAGES[1:]],
    }  # fmt: skip
    found: list[Query] = []
    grouped: dict[str, dict[str, list[Answer]]] = {}
    for kind, sources in entries.items():
        for number, (source, count) in enumerate(sources):
            answers = by_text(source)
            grouped[f"{kind} {number}"] = answers
            texts = random.Random(f"{SEED} {kind} {number}").sample(
                sorted(answers), min(count, len(answers))
            )
            found += [Query(kind, text, tuple(answers[text])) for text in texts]
    found += typos(grouped)
    found += prefixes(grouped)
    held = random.Random(SEED).sample(range(len(found)), len(found) // HELD_BACK)
    chosen = set(held)
    return [
        Query(each.kind, each.text, each.answers, number in chosen)
        for number, each in enumerate(found)
    ]


def by_text(entries: Iterable[Entry]) -> dict[str, list[Answer]]:
    """Entries by their text, without those that many pages answer."""
    found: defaultdict[str, list[Answer]] = defaultdict(list)
    for text, answer in entries:
        if answer not in found[text]:
            found[text].append(answer)
    return {text: answers for text, answers in found.items() if len(answers) <= 5}


def typos(grouped: dict[str, dict[str, list[Answer]]]) -> Iterator[Query]:
    """Entries, titles and identifiers with one edit in their longest word."""
    for name in ("entry 0", "entry 1", "entry 2", "section 0", "identifier 1", "identifier 3"):
        chance = random.Random(f"{SEED} typo {name}")
        texts = [text for text in sorted(grouped[name]) if len(_longest(text)) >= 6]
        for text in chance.sample(texts, min(10, len(texts))):
            word = _longest(text)
            yield Query(
                "typo", text.replace(word, edited(word, chance), 1), tuple(grouped[name][text])
            )


def edited(word: str, chance: random.Random) -> str:
    """A word with one transposition, deletion, insertion or replacement after its first letter."""
    place = chance.randrange(1, len(word) - 1)
    letter = chance.choice(LETTERS)
    edits = (
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place:],
        word[:place] + letter + word[place + 1 :],
    )
    others = [each for each in edits if each != word]
    return chance.choice(others)


def prefixes(grouped: dict[str, dict[str, list[Answer]]]) -> Iterator[Query]:
    """Two thirds of an identifier; every entry of its index that begins so is an answer."""
    for name in ("entry 0", "entry 2", "identifier 1", "identifier 2", "identifier 3"):
        chance = random.Random(f"{SEED} prefix {name}")
        whole = [text for text in sorted(grouped[name]) if " " not in text and len(text) >= 6]
        for text in chance.sample(whole, min(10, len(whole))):
            cut = text[: max(4, len(text) * 2 // 3)]
            begun = [a for each in whole if each.startswith(cut) for a in grouped[name][each]]
            yield Query("prefix", cut, tuple(dict.fromkeys(begun)))


def sphinx_index(manual: str) -> Iterator[Entry]:
    """The objects of a genindex, by their full names."""
    file = "genindex-all.html" if manual == "python" else "genindex.html"
    for link in _tree(ROOTS[manual] / file).css("table.genindextable a[href*='#']"):
        path, anchor = _target(link)
        if "." in anchor and re.fullmatch(r"[\w.]+", anchor) and not anchor.startswith("index-"):
            yield anchor, Answer(manual, path, anchor)


def postgresql_index() -> Iterator[Entry]:
    """The entries of the printed index, a second level after its first."""
    for link in _tree(ROOTS["postgresql"] / "bookindex.html").css("dt a.indexterm"):
        term = link.parent
        if term is None:
            continue
        words = [_own_text(term)]
        above = term.parent.parent if term.parent is not None else None
        if above is not None and above.tag == "dd" and (first := _before(above, "dt")) is not None:
            words.insert(0, _own_text(first))
        path, anchor = _target(link)
        text = " ".join(words).strip()
        if text:
            yield text, Answer("postgresql", path, anchor)


def git_purposes() -> Iterator[Entry]:
    """Purpose of each command of Git, in its manual's words."""
    for file in sorted(ROOTS["git"].glob("git-*.html")):
        found = re.search(r"<h2>NAME</h2>\s*<div[^>]*>\s*<p>\S+ -\s+([^<]+)", file.read_text())
        if found:
            yield " ".join(found[1].split()), Answer("git", file.name)


def python_purposes() -> Iterator[Entry]:
    """Purpose of each module of Python."""
    for row in _tree(ROOTS["python"] / "py-modindex.html").css("tr"):
        link, purpose = row.css_first("a[href*='#module-']"), row.css_first("em")
        if link is not None and purpose is not None and " " in purpose.text().strip():
            text = " ".join(purpose.text().split()).rstrip(".")
            yield text, Answer("python", *_target(link))


def postgresql_purposes() -> Iterator[Entry]:
    """Purpose of each command of PostgreSQL."""
    for file in sorted(ROOTS["postgresql"].glob("sql-*.html")):
        found = _tree(file).css_first("div.refnamediv p")
        if found is not None and " — " in found.text():
            yield (
                " ".join(found.text().partition(" — ")[2].split()),
                Answer("postgresql", file.name),
            )


def sections(manual: str, folder: str = "") -> Iterator[Entry]:
    """Headings of at least two words with an anchor, without their numbers."""
    for file in sorted((ROOTS[manual] / folder).rglob("*.html")):
        if "genindex" in file.name or "index" in file.stem or file.stem in {"all", "contents"}:
            continue
        path = file.relative_to(ROOTS[manual]).as_posix()
        for heading in _tree(file).css("h2, h3"):
            inner = heading.css_first("a[id], a[name]")
            link = heading.css_first("a.headerlink")
            own = (
                _target(link)[1]
                if link
                else heading.attributes.get("id") or _named(inner) or _named(heading.parent)
            )
            text = " ".join(heading.text().rstrip("¶#\n ").split())
            text = NUMBER.sub("", text).strip()
            is_long = len(text.split()) > 1 or (not text.isascii() and len(text) > 4)
            if own and is_long and len(text) < 80:
                yield text, Answer(manual, path, own)


def git_options() -> Iterator[Entry]:
    """Long options that commands of Git define."""
    for file in sorted(ROOTS["git"].glob("git-*.html")):
        for term in _tree(file).css("dt.hdlist1"):
            if found := re.match(r"--[a-z][a-z-]{4,}", term.text().strip()):
                yield found[0], Answer("git", file.name)


def node_names() -> Iterator[Entry]:
    """Functions and methods of Node.js."""
    for file in sorted(ROOTS["node"].glob("*.html")):
        for code in _tree(file).css("h3 > code, h4 > code"):
            mark = code.parent.css_first("a.mark") if code.parent is not None else None
            found = re.match(r"[\w.]+\.\w+(?=\()", code.text())
            if found and mark is not None and file.stem not in {"all", "index"}:
                yield found[0], Answer("node", file.name, mark.attributes.get("id") or "")


def sqlite_functions() -> Iterator[Entry]:
    """Functions of SQLite's C interface."""
    for file in sorted((ROOTS["sqlite"] / "c3ref").glob("*.html")):
        for name in sorted(
            set(re.findall(r"<b>?(sqlite3_\w+)\(|(sqlite3_\w+)\(", file.read_text()))
        ):
            text = name[0] or name[1]
            if text.removeprefix("sqlite3_") == file.stem:
                yield text, Answer("sqlite", f"c3ref/{file.name}")


def postgresql_settings() -> Iterator[Entry]:
    """Configuration parameters of PostgreSQL."""
    for file in sorted(ROOTS["postgresql"].glob("*.html")):
        for term in _tree(file).css("dt[id^='GUC-']"):
            if found := re.match(r"\s*(\w+_\w+)", term.text()):
                yield found[1], Answer("postgresql", file.name, term.id or "")


def special_methods() -> Iterator[Entry]:
    """Special methods of Python, which its data model defines."""
    path = "reference/datamodel.html"
    for term in _tree(ROOTS["python"] / path).css("dt[id^='object.__']"):
        yield (term.id or "").removeprefix("object."), Answer("python", path, term.id or "")


def glossary(manual: str) -> Iterator[Entry]:
    """Terms that a glossary defines."""
    path = "gitglossary.html" if manual == "git" else "glossary.html"
    for term in _tree(ROOTS[manual] / path).css("dt"):
        anchor = term.id or _named(term.css_first("a[id]"))
        text = " ".join(term.text().rstrip("¶ \n").split())
        if anchor and re.search(r"\w\w", text):
            yield text, Answer(manual, path, anchor)


@cache
def _tree(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_bytes())


def _target(link: LexborNode) -> tuple[str, str]:
    path, _, anchor = (link.attributes.get("href") or "").partition("#")
    return unquote(path), unquote(anchor)


def _named(node: LexborNode | None) -> str:
    attributes = node.attributes if node is not None else {}
    return attributes.get("id") or attributes.get("name") or ""


def _own_text(term: LexborNode) -> str:
    """The text of an entry before its first link, without what is in parentheses."""
    parts = []
    child = term.first_child
    while child is not None and child.tag != "a":
        parts.append(child.text(deep=True))
        child = child.next
    return " ".join("".join(parts).split()).rstrip(", ").partition(" (see")[0]


def _before(node: LexborNode, tag: str) -> LexborNode | None:
    previous = node.prev
    while previous is not None and previous.tag != tag:
        previous = previous.prev
    return previous


def _longest(text: str) -> str:
    return max(re.findall(r"[A-Za-z]+", text), key=len, default="")
