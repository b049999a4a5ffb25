"""Reading of random mutations of real files: each must end in time, within memory, with a reason.

    python -m benchmarks.hostile_files [--files 2000] [--seed 1]

Mutated are PDFs that Debian ships, the files that the tests make, and what pandoc writes of a manual.
Exit status 1 where a file has no known result, takes too long, or takes the reading process down.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.extraction.truth import cache_folder
from benchmarks.files import FHS, converted
from fixtures import files
from sitecrawl.crawl.reader_processes import FileReaders
from sitecrawl.policy.outcomes import PAGE_FAULTS
from sitecrawl.web.files.formats import READABLE

ROOT = Path(__file__).parent.parent
SECONDS = 5
NUMBERS = (b"0", b"-1", b"65535", b"2147483647", b"4294967296", b"99999999999999999999")
PATIENCE = 60  # seconds by the clock


def corpus(folder: Path) -> list[tuple[str, bytes]]:
    """Real files with their media types."""
    subprocess.run(
        [ROOT / "scripts" / "debian", "bash-doc", "debian-policy", "shared-mime-info", "pandoc"],
        check=True,
    )
    found = [
        (files.PDF, path.read_bytes())
        for path in (
            Path("/usr/share/doc/bash-doc/bash.pdf"),
            Path("/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf"),
        )
    ]
    twin = FHS / "fhs-3.0.html"
    found += [(kind, converted(twin, name, folder).read_bytes()) for name, kind in WRITTEN.items()]
    pages = [["1 Of Bees", "Bees make honey."], ["2 Of Wax"], []]
    found += [
        (files.PDF, files.pdf(*pages, outline=[("Of Bees", 1)], links=["http://localhost/x"])),
        (files.PPTX, files.pptx(("Bees", "They fly."), ("Wax", "It melts."))),
        (files.XLSX, files.xlsx("A", '<row><c r="A1" t="s"><v>0</v></c></row>' * 50, ["Queen"])),
    ]
    return found


WRITTEN = {"docx": files.DOCX, "odt": files.ODT, "epub": files.EPUB}


def mutated(body: bytes, chance: random.Random) -> bytes:
    """The bytes with one to eight changes."""
    data = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        if data:
            chance.choice(CHANGES)(data, chance)
    return bytes(data)


def flip(data: bytearray, chance: random.Random) -> None:
    """Change single bytes."""
    for _ in range(chance.randint(1, 30)):
        data[chance.randrange(len(data))] = chance.randrange(256)


def cut(data: bytearray, chance: random.Random) -> None:
    """Drop a part, or the end."""
    start = chance.randrange(len(data))
    del data[start : start + chance.choice((1, 100, len(data)))]


def repeat(data: bytearray, chance: random.Random) -> None:
    """Say a part several times."""
    start = chance.randrange(len(data))
    data[start:start] = data[start : start + chance.randint(1, 1000)] * chance.choice((1, 5, 100))


def renumber(data: bytearray, chance: random.Random) -> None:
    """Replace a number in letters, such as an offset, a length or a count."""
    start = next(
        (i for i in range(chance.randrange(len(data)), len(data)) if 48 <= data[i] < 58), 0
    )
    end = start
    while end < len(data) and 48 <= data[end] < 58:
        end += 1
    data[start:end] = chance.choice(NUMBERS)


CHANGES: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, repeat, renumber)


def mutated_parts(body: bytes, chance: random.Random) -> bytes:
    """A package with changes in one of its parts, packed properly again."""
    target = BytesIO()
    with ZipFile(BytesIO(body)) as source, ZipFile(target, "w", ZIP_DEFLATED) as made:
        names = source.namelist()
        chosen = chance.choice([name for name in names if name.endswith((".xml", "html", ".rels"))])
        for name in names:
            part = source.read(name)
            made.writestr(name, mutated(part, chance) if name == chosen else part)
    return target.getvalue()


async def campaign(count: int, seed: int, folder: Path) -> int:
    """Read so many files, print what became of them; the number of those that misbehaved."""
    chance, sources = random.Random(seed), corpus(folder)
    readers = FileReaders([each.name for each in READABLE], seconds=SECONDS)
    faults: Counter[str] = Counter()
    details: Counter[str] = Counter()
    wrong, longest, costliest = 0, 0.0, 0.0
    for number in range(count):
        kind, body = chance.choice(sources)
        is_package = body.startswith(b"PK") and chance.random() < 0.7
        body = mutated_parts(body, chance) if is_package else mutated(body, chance)
        began = time.monotonic()
        try:
            found = await readers.read(body, kind)
        except Exception as error:  # noqa: BLE001 - this is what must never happen
            wrong += 1
            print(f"file {number} of seed {seed}: {error!r}", file=sys.stderr)
            continue
        seconds = time.monotonic() - began
        faults[found.fault or "read"] += 1
        details[found.detail[:60] if found.fault == "file_broken" else ""] += 1
        longest, costliest = max(longest, seconds), max(costliest, found.cpu)
        known = found.fault in PAGE_FAULTS if found.fault else bool(found.html)
        if not known or seconds > PATIENCE:
            wrong += 1
            print(
                f"file {number} of seed {seed}: {found.fault!r}, {seconds:.1f} s", file=sys.stderr
            )
    await readers.close()
    for fault, times in faults.most_common():
        print(f"{times:6} {fault}")
    for detail, times in details.most_common(12):
        print(f"{times:6}   {detail or 'no damage'}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    print(f"longest {longest:.1f} s, costliest {costliest:.2f} s of CPU, largest {peak:.0f} MB")
    return wrong


def main() -> int:
    """Run a campaign; 1 where a file misbehaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000, help="number of mutations")
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same files")
    arguments = parser.parse_args()
    folder = cache_folder() / "files"
    folder.mkdir(parents=True, exist_ok=True)
    wrong = asyncio.run(campaign(arguments.files, arguments.seed, folder))
    print(f"{wrong} of {arguments.files} files misbehaved")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
