"""Text and headings of files against their HTML twins, and the cost of reading them.

    python -m benchmarks.files [--without-others]

PDF: the manuals of bash and R and the Filesystem Hierarchy Standard, which Debian ships in both forms.
The others: the same HTML, written as Word, OpenDocument and EPUB by pandoc. F1 is that of bags of
words. Beside ours stand pypdf and pdfminer.six, from an environment of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
import subprocess
import time
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.extraction.truth import cache_folder
from sitecrawl.crawl.reader_processes import FileReaders, ReadFile
from sitecrawl.web.files.formats import FORMATS, READABLE
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

ROOT = Path(__file__).parent.parent
PACKAGES = ("bash-doc", "debian-policy", "r-doc-html", "r-doc-pdf", "pandoc")
R = Path("/usr/share/R/doc/manual")
BASH = Path("/usr/share/doc/bash-doc")
FHS = Path("/usr/share/doc/debian-policy/fhs")
TWINS = (
    *((BASH / f"{name}.pdf", BASH / f"{name}.html") for name in ("bash", "bashref")),
    (FHS / "fhs-3.0.pdf.gz", FHS / "fhs-3.0.html"),
    *(
        (R / f"{name}.pdf", R / f"{name}.html")
        for name in ("R-admin", "R-data", "R-exts", "R-intro", "R-ints", "R-lang")
    ),
)
WRITTEN = ("docx", "odt", "epub")
OTHERS = {
    "pypdf": "import pypdf; read = lambda f: '\\n'.join(p.extract_text() for p in "
    "pypdf.PdfReader(f).pages)",
    "pdfminer.six": "from pdfminer.high_level import extract_text as read",
}
_RUN = "import sys, json, time\n{}\nfor f in sys.argv[1:]:\n b = time.process_time(); t = read(f)\n"
_RUN += " print(json.dumps([t, time.process_time() - b]))\n"
_WORD = re.compile(r"\w+")
EVERYTHING = ReadOptions(remove_elements=())


class Scores(NamedTuple):
    """Precision, recall and F1 of words, share of headings found, seconds and megabytes."""

    precision: float
    recall: float
    f1: float
    headings: float
    seconds: float
    megabytes: float


def words(text: str) -> Counter[str]:
    """The words of a text, in small letters."""
    return Counter(_WORD.findall(text.casefold()))


def overlap(found: Counter[str], true: Counter[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of two bags."""
    common = (found & true).total()
    precision, recall = common / max(found.total(), 1), common / max(true.total(), 1)
    return precision, recall, 2 * common / max(found.total() + true.total(), 1)


def html_page(body: bytes, kind: str = "text/html", file_html: bytes | None = None) -> Page:
    """The facts of a page or of a file's HTML, nothing removed."""
    return read_page(
        body,
        url="http://localhost/",
        content_type=kind,
        headers={},
        options=EVERYTHING,
        file_html=file_html,
    )


def headings(page: Page) -> set[str]:
    """The headings by their letters."""
    return {"".join(re.findall(r"[^\W\d_]+", each.text.casefold())) for each in page.headings}


def read_all(paths: list[Path], kind: str) -> list[ReadFile]:
    """The files as the crawl reads them."""

    async def run() -> list[ReadFile]:
        readers = FileReaders([each.name for each in READABLE], size=1, seconds=60)
        found = [await readers.read(path.read_bytes(), kind) for path in paths]
        await readers.close()
        return found

    return asyncio.run(run())


def scored(found: ReadFile, path: Path, twin: Path, kind: str) -> Scores:
    """Compare a file with its twin."""
    true = html_page(twin.read_bytes())
    page = html_page(path.read_bytes(), kind, found.html)
    expected = headings(true)
    share = len(expected & headings(page)) / max(len(expected), 1)
    size = path.stat().st_size / 1e6
    return Scores(*overlap(words(page.text), words(true.text)), share, found.cpu, size)


def others(folder: Path, paths: list[Path]) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Texts and seconds of other libraries, by name."""
    environment = folder / "pdf-others"
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *OTHERS], check=True)
    for name, program in OTHERS.items():
        ended = subprocess.run(
            [python, "-W", "ignore", "-c", _RUN.format(program), *paths],
            capture_output=True,
            check=True,
        )
        yield name, [tuple(json.loads(line)) for line in ended.stdout.splitlines()]


def line(name: str, found: list[Scores]) -> str:
    """A row of the table: means, and the rate."""
    count = len(found)
    means = [sum(each[index] for each in found) / count for index in range(4)]
    seconds = sum(each.seconds for each in found)
    rate = sum(each.megabytes for each in found) / max(seconds, 0.001)
    shown = " | ".join(f"{mean:.3f}" for mean in means)
    return f"| {name} | {count} | {shown} | {seconds:.2f} | {rate:.2f} |"


def fork_cost() -> str:
    """Cost of a file in a kept process, against that of a new process."""
    small = b"%PDF-1.4\n"

    async def run() -> tuple[float, float]:
        kept = FileReaders(["pdf", "docx", "epub"], size=1)
        await kept.read(small, "application/pdf")
        began = time.perf_counter()
        for _ in range(50):
            await kept.read(small, "application/pdf")
        each = (time.perf_counter() - began) / 50
        await kept.close()
        began = time.perf_counter()
        for _ in range(5):
            new = FileReaders(["pdf", "docx", "epub"], size=1)
            await new.read(small, "application/pdf")
            await new.close()
        return each, (time.perf_counter() - began) / 5

    forked, started = asyncio.run(run())
    return f"A file in a fork: {forked * 1000:.1f} ms; in a new process: {started * 1000:.0f} ms."


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-others", action="store_true", help="leave other libraries out")
    arguments = parser.parse_args()
    subprocess.run([ROOT / "scripts" / "debian", *PACKAGES], check=True)
    folder = cache_folder() / "files"
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [(unpacked(path, folder), twin) for path, twin in TWINS]
    print("| reader | files | precision | recall | F1 | headings | CPU s | MB/s |")
    print("|---|---|---|---|---|---|---|---|")
    pdf, paths = "application/pdf", [path for path, _ in pairs]
    ours = read_all(paths, pdf)
    print(line("PDF, ours", [scored(f, *pair, pdf) for f, pair in zip(ours, pairs, strict=True)]))
    for name, texts in [] if arguments.without_others else others(folder, paths):
        print(line(f"PDF, {name}", [other(t, *p) for t, p in zip(texts, pairs, strict=True)]))
    types: dict[str, str] = {each.name: each.types[0] for each in FORMATS}
    for name in WRITTEN:
        made = [(converted(twin, name, folder), twin) for _, twin in TWINS[2:]]
        read = read_all([path for path, _ in made], types[name])
        rows = [scored(f, *pair, types[name]) for f, pair in zip(read, made, strict=True)]
        print(line(f"{name} of pandoc, ours", rows))
    print(f"\n{fork_cost()}")


def other(found: tuple[str, float], path: Path, twin: Path) -> Scores:
    """Compare the text that another library reads with the file's twin."""
    true = words(html_page(twin.read_bytes()).text)
    size = path.stat().st_size / 1e6
    return Scores(*overlap(words(found[0]), true), 0.0, found[1], size)


def unpacked(path: Path, folder: Path) -> Path:
    """The file itself where it is packed."""
    if path.suffix != ".gz":
        return path
    target = folder / path.stem
    target.write_bytes(gzip.decompress(path.read_bytes()))
    return target


def converted(twin: Path, name: str, folder: Path) -> Path:
    """The HTML as another format."""
    target = folder / f"{twin.stem}.{name}"
    if not target.exists():
        command = ["pandoc", "-f", "html", "-t", name, "-o", str(target), str(twin)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, cwd=twin.parent)
    return target


if __name__ == "__main__":
    main()
