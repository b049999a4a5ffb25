"""Main text and metadata by other programs, which run in an environment of their own.

Started with that environment's Python: reads one JSON line (name, folder of results, pages) and
writes a text file and a time for each page.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

NAMES = ("trafilatura", "readability-lxml", "resiliparse main", "resiliparse all", "jusText")
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def extractor(name: str) -> Callable[[bytes, str], str]:
    """The extraction of one program; imported only here, in its own environment."""
    return READERS[name.partition(" ")[0]](name)


def _trafilatura(name: str) -> Callable[[bytes, str], str]:
    if name.endswith("metadata"):
        return _trafilatura_metadata()
    extract: Any = import_module("trafilatura").extract
    return lambda body, url: extract(body, url=url, include_comments=True) or ""


def _trafilatura_metadata() -> Callable[[bytes, str], str]:
    """Title, date and authors as JSON."""
    load: Any = import_module("trafilatura.utils").load_html
    extract: Any = import_module("trafilatura.metadata").extract_metadata

    def read(body: bytes, url: str) -> str:
        tree = load(body)
        found = extract(tree, default_url=url).as_dict() if tree is not None else {}
        authors = (found.get("author") or "").split("; ")
        told = {"title": found.get("title"), "date": found.get("date"), "authors": authors}
        return json.dumps(told)

    return read


def _htmldate(name: str) -> Callable[[bytes, str], str]:
    find: Any = import_module("htmldate").find_date
    is_full = not name.endswith("fast")

    def read(body: bytes, url: str) -> str:
        text = body.decode("utf-8", "replace")
        date = find(text, original_date=True, extensive_search=is_full, url=url)
        return json.dumps({"date": date})

    return read


def _rs_trafilatura(_name: str) -> Callable[[bytes, str], str]:
    extract: Any = import_module("rs_trafilatura").extract
    return lambda body, url: extract(body.decode("utf-8", "replace"), url=url).main_content or ""


def _readability(_name: str) -> Callable[[bytes, str], str]:
    document: Any = import_module("readability").Document
    parse: Any = import_module("lxml.html").fromstring

    def read(body: bytes, _url: str) -> str:
        return "\n".join(parse(document(body.decode("utf-8", "replace")).summary()).itertext())

    return read


def _resiliparse(name: str) -> Callable[[bytes, str], str]:
    extract: Any = import_module("resiliparse.extract.html2text").extract_plain_text
    encoding: Any = import_module("resiliparse.parse.encoding")
    is_main = name.endswith("main")

    def read(body: bytes, _url: str) -> str:
        text = encoding.bytes_to_str(body, encoding.detect_encoding(body))
        return str(extract(text, main_content=is_main, alt_texts=False))

    return read


_STOPLISTS = {b"de": "German", b"fr": "French", b"es": "Spanish", b"it": "Italian", b"nl": "Dutch"}


def _justext(_name: str) -> Callable[[bytes, str], str]:
    program: Any = import_module("justext")

    def read(body: bytes, _url: str) -> str:
        declared = re.search(rb"<html[^>]+lang=[\"']?(\w\w)", body)
        language = _STOPLISTS.get(declared[1].lower() if declared else b"", "English")
        paragraphs = program.justext(body, program.get_stoplist(language))
        return "\n".join(each.text for each in paragraphs if not each.is_boilerplate)

    return read


def _html_to_markdown(_name: str) -> Callable[[bytes, str], str]:
    convert: Any = import_module("html_to_markdown").convert

    def read(body: bytes, _url: str) -> str:
        done = convert(body.decode("utf-8", "replace"))
        return done if isinstance(done, str) else str(getattr(done, "content", done))

    return read


def _markdownify(_name: str) -> Callable[[bytes, str], str]:
    convert: Any = import_module("markdownify").markdownify
    return lambda body, _url: str(convert(body.decode("utf-8", "replace"), heading_style="ATX"))


READERS = {
    "html-to-markdown": _html_to_markdown,
    "markdownify": _markdownify,
    "rs_trafilatura": _rs_trafilatura,
    "trafilatura": _trafilatura,
    "htmldate": _htmldate,
    "readability-lxml": _readability,
    "resiliparse": _resiliparse,
    "jusText": _justext,
}


def extract(folder: Path, name: str, pages: Sequence[tuple[str, Path]]) -> tuple[list[str], float]:
    """The texts of pages by a program, and its CPU milliseconds a page; kept for the next time."""
    key = "".join(letter if letter.isalnum() else "-" for letter in name)
    results = folder / "others" / key
    results.mkdir(parents=True, exist_ok=True)
    known = results / "results.jsonl"
    found = dict(map(json.loads, known.read_text().splitlines())) if known.is_file() else {}
    missing = [(url, str(path)) for url, path in pages if str(path) not in found]
    if missing:
        order = json.dumps([name, missing])
        python = _environment(folder)
        done = subprocess.run(
            [python, __file__], input=order, capture_output=True, text=True, check=True
        )
        with known.open("a") as file:
            file.write(done.stdout)
        found |= dict(map(json.loads, done.stdout.splitlines()))
    read = [found[str(path)] for _, path in pages]
    return [text for text, _ in read], 1000 * sum(seconds for _, seconds in read) / len(read)


def _environment(folder: Path) -> Path:
    """The Python of the environment that has the others."""
    place = folder / "environment"
    python = place / "bin" / "python"
    if not python.is_file():
        venv.create(place, with_pip=True)
        pip: list[str | Path] = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--upgrade", "pip"], check=True)
        subprocess.run([*pip, "-r", REQUIREMENTS], check=True)
    return python


def main() -> None:
    """Answer one order."""
    name, pages = json.load(sys.stdin)
    read = extractor(name)
    for url, path in pages:
        body = Path(path).read_bytes()
        begun = time.process_time()
        try:
            text = read(body, url)
        except Exception as error:  # noqa: BLE001 -- they have no end of kinds
            text = ""
            sys.stderr.write(f"{name}: {path}: {error}\n")
        print(json.dumps([path, [text, time.process_time() - begun]]))


if __name__ == "__main__":
    main()
