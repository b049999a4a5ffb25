"""Search index in one SQLite file: pages ranked by BM25 over title, headings and body, with FTS5.

The table ``words`` holds tokens only (a contentless FTS5 table). The table ``page`` has the packed
content that is shown of a page, and the columns for filters. FTS5 needs a page's tokens again to
remove them: they are derived from the packed content, so both tables change in one transaction.
"""

from __future__ import annotations

import heapq
import json
import os
import re
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic_core import from_json

from sitecrawl.policy.documents.llms_text import INDEX_PAGE
from sitecrawl.policy.documents.output_shapes import serialized
from sitecrawl.search.analysis import (
    ANALYSIS_VERSION,
    PART,
    analyze,
    entries,
    page_names,
    qualified_names,
    url_words,
)
from sitecrawl.web.decompression import zstd
from sitecrawl.web.languages import primary_language
from sitecrawl.web.urls.identity import DEFAULT_REALM

INDEX_VERSION = f"{ANALYSIS_VERSION}.10"
APPLICATION_ID = 0x73637278  # in the file's header, to detect another program's database
BUSY_SECONDS = 30.0
MAX_NAMED = 3_000  # names compared with a query
NAME_BONUS = 40.0  # BM25 points of a title, heading or definition equal to the query
BEGUN_BONUS = 28.0  # of one that begins so, by its share: an equal one stays first
SHOWN = (
    *("title", "description", "headings", "definitions", "body", "comments"),
    *("anchors", "site_name", "image", "robots"),
)
BELOW = "FROM page WHERE url >= ? AND url < ? AND (? = '' OR realm = ?)"
ORIGIN = re.compile("[^:/]*://[^/?#]*")
BEFORE_QUERY = re.compile("[^?#]*")
PUT = (
    "INSERT INTO page (id, url, host, path, realm, language, type, modified_at, change, content)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ROWS = 10_000  # multiplied at once


class IndexFileError(Exception):
    """The file of an index cannot be used; the text gives the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page as stored in the index; ``content`` holds those fields of ``SHOWN`` that it has."""

    id: str
    url: str
    language: str
    modified_at: str | None
    content: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Title of the page, else its URL."""
        return str(self.content.get("title") or self.url)

    @property
    def body(self) -> str:
        """Text of the page."""
        return _field(self.content, "body")

    @property
    def comments(self) -> str:
        """Text that readers wrote below it."""
        return _field(self.content, "comments")

    @property
    def headings(self) -> list[Mapping[str, Any]]:
        """Headings with ``level``, ``text`` and an optional ``anchor``."""
        return list(entries(self.content, "headings"))

    def named_by(self, anchor: str) -> str:
        """Text of the heading, or term of the definition, with an anchor; empty if there is none."""
        names = {each.get("anchor"): each["term"] for each in entries(self.content, "definitions")}
        names |= {each.get("anchor"): each.get("text") for each in self.headings}
        return str(names.get(anchor) or "")


class PagePlace(NamedTuple):
    """The facts on a page that filters and counts use."""

    url: str
    host: str
    path: str
    language: str
    type: str

    @property
    def folder(self) -> str:
        """First folder of the path, between slashes."""
        first, slash, _ = self.path.lstrip("/").partition("/")
        return f"/{first}/" if slash else "/"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a site: names of its folders, each with its number of pages, and the numbers of
    the pages directly in it. ``subfolders`` has the same of each folder with folders.
    """

    prefix: str
    folders: Mapping[str, int]
    pages: Sequence[int]
    subfolders: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Number of all pages below."""
        return len(self.pages) + sum(self.folders.values())


class SearchIndex:
    """One connection to the file of an index."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        """Open the file; create it if ``make`` is set and it is missing. Raises IndexFileError."""
        self.path = path
        if not make and not path.is_file():
            raise IndexFileError(f"There is no search index {path}; scrapy sync makes one.")
        try:
            if make:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                _address(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            self._prepare(make=make)
        except (sqlite3.Error, OSError) as error:
            raise IndexFileError(f"The search index {path} cannot be used: {error}.") from error
        self._compressor = zstd.ZstdCompressor(level=1)
        self._frequencies: dict[str, int] = {}
        self._languages: list[str] | None = None
        self.vectors = VectorTable(self._connection)

    def _prepare(self, *, make: bool) -> None:
        [(application,)] = self._rows("PRAGMA application_id")
        if application == APPLICATION_ID:
            return
        if self._rows("SELECT 1 FROM sqlite_schema LIMIT 1") or not make:
            raise IndexFileError(
                f"{self.path} is not a search index of sitecrawl; give another file."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            schema = files(__package__).joinpath("search_index.sql").read_text("utf-8")
            for statement in schema.split(";\n"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Apply all changes or none; raises IndexFileError if the file cannot be written."""
        try:
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                text = f"The search index {self.path} cannot be written: {error}."
                raise IndexFileError(text) from error
            raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Apply all changes or none, inside of a transaction."""
        self._connection.execute("SAVEPOINT page")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK TO page")
            raise
        finally:
            self._connection.execute("RELEASE page")

    def meta(self, key: str) -> str | None:
        """Return a text that was stored with ``set_meta``."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def set_meta(self, key: str, value: str) -> None:
        """Store a text besides the pages; call it inside a transaction."""
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def put(self, record: Mapping[str, Any], change: str = "") -> int:
        """Add the page of an upsert, or replace an older one; call it inside a transaction.

        ``change`` is the hash of the upsert. Returns the page's number.
        """
        self.remove(record["id"])
        url = str(record["url"])
        parts = urlsplit(url)
        language = str(record.get("language") or "")
        content = {name: record[name] for name in SHOWN if record.get(name)}
        if INDEX_PAGE.search(parts.path):
            content.pop("definitions", None)  # those of other pages
        row = self._connection.execute(
            PUT,
            (
                record["id"],
                url,
                (parts.hostname or "").lower(),
                parts.path or "/",
                record.get("realm") or DEFAULT_REALM,
                primary_language(language),
                str(record.get("page_type") or ""),
                record.get("modified_at"),
                change,
                self._compressor.compress(serialized(content), self._compressor.FLUSH_FRAME),
            ),
        )
        self._connection.execute(
            "INSERT INTO words (rowid, title, headings, body, comments) VALUES (?, ?, ?, ?, ?)",
            (row.lastrowid, *_texts(url, content, language)),
        )
        number = row.lastrowid or 0
        self._put_names(number, url, content)
        return number

    def _put_names(self, number: int, url: str, content: Mapping[str, Any]) -> None:
        names = page_names(url, content)
        self._connection.executemany(
            "INSERT OR IGNORE INTO name (key, page, anchor) VALUES (?, ?, ?)",
            [(key, number, anchor) for key, anchor in names],
        )
        words = {word for key, _ in names for word in PART.findall(key)}
        words |= {word.strip("()[],;:!?\"'") for key, _ in names for word in key.split()}
        self._connection.executemany(
            "INSERT OR IGNORE INTO spelling (word, page, reversed) VALUES (?, ?, ?)",
            [(word, number, word[::-1]) for word in words if len(word) > 3],
        )

    def remove(self, id_: str) -> bool:
        """Remove a page; return False if there is none. Call it inside a transaction."""
        rows = self._rows("SELECT number, url, language, content FROM page WHERE id = ?", id_)
        for number, url, language, content in rows:
            self._connection.execute(
                "INSERT INTO words (words, rowid, title, headings, body, comments)"
                " VALUES ('delete', ?, ?, ?, ?, ?)",
                (number, *_texts(url, _unpack(content), language)),
            )
            self._connection.execute("DELETE FROM page WHERE number = ?", (number,))
            self._connection.execute("DELETE FROM name WHERE page = ?", (number,))
            self._connection.execute("DELETE FROM spelling WHERE page = ?", (number,))
            self.vectors.remove(number)
        return bool(rows)

    def count(self, language: str | None = None) -> int:
        """Return the number of pages, of all or of those in a primary language."""
        if language is None:  # one statement for both would read every page
            [(count,)] = self._rows("SELECT count(*) FROM page")
        else:
            [(count,)] = self._rows("SELECT count(*) FROM page WHERE language = ?", language)
        return int(count)

    def changes(self) -> list[tuple[str, str]]:
        """Return the id of each page and the hash of the change that wrote it."""
        return self._rows("SELECT id, change FROM page")

    def languages(self) -> list[str]:
        """Return the primary languages of the pages."""
        query = "SELECT language FROM page WHERE language > ? ORDER BY language LIMIT 1"
        if self._languages is None:
            found, after = [], ""
            while rows := self._rows(query, after):
                [(after,)] = rows
                found.append(after)
            self._languages = found
        return self._languages

    def sites(self, realm: str = "") -> dict[str, int]:
        """Return the origins of the pages, of one realm or of all, with their numbers of pages."""
        found: dict[str, int] = {}
        url = ""
        while rows := self._rows("SELECT url FROM page WHERE url >= ? ORDER BY url LIMIT 1", url):
            [(first,)] = rows
            site = ORIGIN.match(first)
            prefix = f"{site[0] if site else first}/"
            place = (prefix, _successor(prefix), realm, realm)
            [(count,)] = self._rows(f"SELECT count(*) {BELOW}", *place)
            if count:
                found[prefix.removesuffix("/")] = count
            url = max(_successor(prefix), f"{first}\0")
        return found

    def site_name(self, origin: str) -> str:
        """Return the name that a site gives itself on its first page, else its host."""
        query = "SELECT host, content FROM page WHERE url >= ? ORDER BY url LIMIT 1"
        rows = self._rows(query, f"{origin}/")
        return next((str(_unpack(content).get("site_name") or host) for host, content in rows), "")

    def folder(self, prefix: str, realm: str = "") -> Folder:
        """Return the pages and folders directly below a URL that ends with a slash."""
        folders: Counter[str] = Counter()
        subfolders: defaultdict[str, Counter[str]] = defaultdict(Counter)
        pages: list[int] = []
        for number, url in self._urls(prefix, realm):
            path = BEFORE_QUERY.match(url, len(prefix))
            name, *below = (path[0] if path else "").split("/", 2)
            if below:
                folders[name] += 1
                if len(below) == 2:
                    subfolders[name][below[0]] += 1
            else:
                pages.append(number)
        return Folder(prefix, folders, pages, subfolders)

    def _urls(self, prefix: str, realm: str) -> Iterator[tuple[int, str]]:
        return self._connection.execute(
            f"SELECT number, url {BELOW} ORDER BY url", (prefix, _successor(prefix), realm, realm)
        )

    def document_frequency(self, match: str, most: int) -> int:
        """Return the number of pages that match, ``most`` if it is higher; counted once."""
        if match not in self._frequencies:
            self._frequencies[match] = self.total(match, {}, most)
        return self._frequencies[match]

    def ranked(
        self, match: str, conditions: Mapping[str, str], limit: int
    ) -> list[tuple[int, float]]:
        """Return numbers of the matching pages, best first, with BM25 scores (less is better).

        ``conditions`` are SQL conditions on ``page``, each with its value.
        """
        where = "".join(f" AND {condition}" for condition in conditions)
        joined = "JOIN page ON page.number = words.rowid" if conditions else ""
        return self._rows(
            "SELECT words.rowid, bm25(words, 10.0, 4.0, 1.0, 0.5) AS score FROM words"  # noqa: S608
            f" {joined} WHERE words MATCH ?{where} ORDER BY score, words.rowid LIMIT ?",
            match,
            *conditions.values(),
            limit,
        )

    def named(self, key: str, *, prefix: bool = False) -> dict[int, tuple[float, str]]:
        """Return the pages with a title or heading, by number: points and anchor.

        With ``prefix``, those whose title or heading begins so, with fewer points.
        """
        if not key:
            return {}
        condition = "key >= ? AND key < ?" if prefix else "key = ? AND ? <> ''"
        rows = self._connection.execute(
            f"SELECT page, anchor, length(key) FROM name WHERE {condition} LIMIT {MAX_NAMED}",  # noqa: S608
            (key, _successor(key)),
        )
        found: dict[int, tuple[float, str]] = {}
        for page, anchor, length in rows:
            points = NAME_BONUS if len(key) == length else BEGUN_BONUS * len(key) / length
            if points > found.get(page, (0.0, ""))[0]:
                found[page] = points, anchor
        return found

    def occurs(self, match: str) -> bool:
        """Return True if any page matches an expression."""
        return bool(self._rows("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", match))

    def similar_names(self, word: str) -> list[tuple[str, int]]:
        """Return words of titles, headings and definitions that share beginning or end of a word.

        Each has its number of pages.
        """
        half = _half(word)
        start, end = word[:half], word[: -half - 1 : -1]
        return self._rows(
            "SELECT word, count(*) FROM spelling WHERE (word >= ? AND word < ?)"
            " OR (reversed >= ? AND reversed < ?) GROUP BY word LIMIT 5000",
            *(start, _successor(start), end, _successor(end)),
        )

    def similar_tokens(self, word: str) -> list[tuple[str, int]]:
        """Return tokens of texts that share the beginning of a word, with their numbers of pages."""
        start = word[: _half(word)]
        query = "SELECT term, doc FROM frequency WHERE term >= ? AND term < ? LIMIT 5000"
        return self._rows(query, start, _successor(start))

    def total(self, match: str, conditions: Mapping[str, str], most: int = -1) -> int:
        """Return the number of pages that match, ``most`` if it is higher; all of them below 0."""
        where = "".join(f" AND {condition}" for condition in conditions)
        joined = "JOIN page ON page.number = words.rowid" if conditions else ""
        query = f"SELECT 1 FROM words {joined} WHERE words MATCH ?{where} LIMIT ?"  # noqa: S608
        values = (match, *conditions.values(), most)
        [(count,)] = self._rows(f"SELECT count(*) FROM ({query})", *values)  # noqa: S608
        return int(count)

    def pages(self, numbers: Sequence[int] | None = None) -> Iterator[IndexedPage]:
        """Yield the pages with these numbers, or all by id; each is read when it is asked for."""
        if numbers is None:
            numbers = [number for (number,) in self._rows("SELECT number FROM page ORDER BY id")]
        query = "SELECT id, url, language, modified_at, content FROM page WHERE number = ?"
        for number in numbers:
            for id_, url, language, at, content in self._rows(query, number):
                yield IndexedPage(id_, url, language, at, _unpack(content))

    def places(self, numbers: Sequence[int]) -> dict[int, PagePlace]:
        """Return the places of the pages with these numbers."""
        rows = self._rows(
            "SELECT number, url, host, path, language, type FROM page"
            " WHERE number IN (SELECT value FROM json_each(?))",
            json.dumps(numbers),
        )
        return {number: PagePlace(*place) for number, *place in rows}

    def checkpoint(self) -> None:
        """Merge the index's segments, and checkpoint the write-ahead log into the file."""
        self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _address(path: Path) -> str:
    """Return a file's URI; nobody writes to one without a log in a folder that is read-only, where
    SQLite could not make the log that it reads with.
    """
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_fixed = path.exists() and not has_log and not os.access(path.parent, os.W_OK)
    return f"{path.absolute().as_uri()}{'?immutable=1' if is_fixed else ''}"


def _half(word: str) -> int:
    return max(2, (len(word) - 1) // 2)


def _successor(prefix: str) -> str:
    """Return the smallest text that is greater than all that begin with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


@contextmanager
def open_index(path: Path) -> Iterator[SearchIndex]:
    """Open the index in an existing file; raises IndexFileError if it is not one."""
    with closing(SearchIndex(path)) as index:
        try:
            yield index
        except sqlite3.Error as error:
            raise IndexFileError(f"The search index {path} cannot be read: {error}.") from error


def _field(content: Mapping[str, Any], name: str) -> str:
    return str(content.get(name) or "")


def _texts(url: str, content: Mapping[str, Any], language: str) -> Iterable[str]:
    """Return the analyzed texts of the columns, the same for adding and for removing."""
    texts = [_field(each, "text") for each in entries(content, "headings")]
    for each in entries(content, "definitions"):
        term, anchor = _field(each, "term"), _field(each, "anchor")
        texts.append(f"{term} {anchor}" if qualified_names(term, anchor) else term)
    anchors = content.get("anchors")
    texts += map(str, anchors if isinstance(anchors, list) else [])
    texts.append(" ".join(url_words(url)))
    body, description = _field(content, "body"), _field(content, "description")
    whole = body if description in body else f"{body}\n{description}"
    columns = (_field(content, "title"), "\n".join(texts), whole, _field(content, "comments"))
    return [analyze(column, language) for column in columns]


def _unpack(content: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = from_json(zstd.decompress(content), cache_strings=False)
    return fields


def packed(vector: Sequence[float]) -> bytes:
    """Return the direction of a vector in a byte for each number, which reads in a quarter of the
    time of single precision.
    """
    most = max(map(abs, vector)) or 1.0
    return array("b", [round(127 * number / most) for number in vector]).tobytes()


class VectorTable:
    """The table ``vector`` of a search file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, page: int, sections: Iterable[tuple[str, str, bytes]]) -> None:
        """Add anchor, hash of the text and packed vector of sections of a page."""
        self._connection.executemany(
            "INSERT INTO vector (page, anchor, hash, numbers) VALUES (?, ?, ?, ?)",
            [(page, *section) for section in sections],
        )

    def remove(self, page: int) -> None:
        """Remove the vectors of a page."""
        self._connection.execute("DELETE FROM vector WHERE page = ?", (page,))

    def known(self, hashes: Collection[str]) -> dict[str, bytes]:
        """Return the packed vectors that texts with these hashes have."""
        rows = self._connection.execute(
            "SELECT hash, numbers FROM vector WHERE hash IN (SELECT value FROM json_each(?))",
            (json.dumps(list(hashes)),),
        )
        return dict(rows.fetchall())

    def dimension(self) -> int:
        """Return how many numbers the vectors have; 0 without vectors."""
        rows = self._connection.execute("SELECT length(numbers) FROM vector LIMIT 1").fetchall()
        return int(rows[0][0]) if rows else 0

    def nearest(
        self, vector: Sequence[float], conditions: Mapping[str, str], limit: int
    ) -> list[tuple[int, str]]:
        """Return pages with the anchor of their nearest section, nearest first.

        ``conditions`` are SQL conditions on ``page``, each with its value. Raises
        ModuleNotFoundError without numpy.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        wanted = np.array(vector, dtype=np.float32)
        joined = "JOIN page ON page.number = vector.page" if conditions else ""
        where = " AND ".join(["length(numbers) = ?", *conditions])
        rows = self._connection.execute(
            f"SELECT vector.page, anchor, numbers FROM vector {joined} WHERE {where}",  # noqa: S608
            (wanted.size, *conditions.values()),
        )
        best: dict[int, tuple[float, str]] = {}
        while part := rows.fetchmany(ROWS):
            stored = np.frombuffer(b"".join(row[2] for row in part), dtype=np.int8)
            numbers = stored.reshape(len(part), -1).astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers)) + 1e-9
            scores = (numbers @ wanted / lengths).tolist()
            for (page, anchor, _), score in zip(part, scores, strict=True):
                if page not in best or score > best[page][0]:
                    best[page] = score, anchor
        nearest = heapq.nlargest(limit, best.items(), key=lambda each: each[1][0])
        return [(page, anchor) for page, (_, anchor) in nearest]
