"""Compare the output of a crawl before and after: every document of a corpus.

    python -m benchmarks.same_output FILE [--corpus NAME] [--option NAME=VALUE ...]

Writes one hash per document into FILE, or compares with what it holds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import CORPORA, MAIN, served
from benchmarks.crawls import sitecrawl

PORT = 18765  # ids are made of URLs, so the port stays
TIMES = {"first_seen_at", "last_crawled_at", "last_changed_at"}
RUN = {"run_id"}
ORDER = {"seq"}
LEFT_OUT = TIMES | RUN | ORDER


def lasting(line: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that two crawls of the same code have in common."""
    return {name: value for name, value in line.items() if name not in LEFT_OUT}


def hashed(value: Any) -> str:
    """A short hash of a field's value."""
    text = json.dumps(value, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def crawled(corpus_name: str, options: Sequence[str]) -> dict[str, dict[str, str]]:
    """The hashes of all fields of every line, by operation, URL and id."""
    with served(corpus_name, PORT) as corpus:
        folder = corpus.room("crawl")
        sitecrawl(corpus, folder, *options)
        lines = [json.loads(line) for line in (folder / "site.jsonl").open(encoding="utf-8")]
    return {
        f"{line['op']} {line['url']} {line['id']}": {
            "fields": hashed(list(lasting(line))),
            **{name: hashed(value) for name, value in lasting(line).items()},
        }
        for line in lines
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """A line for each document that is missing, new, or has other fields."""
    found = [f"missing: {key}" for key in before if key not in now]
    found += [f"new: {key}" for key in now if key not in before]
    for key in before.keys() & now.keys():
        names = before[key].keys() | now[key].keys()
        changed = sorted(n for n in names if before[key].get(n) != now[key].get(n))
        if changed:
            found.append(f"changed: {key}: {', '.join(changed)}")
    return found


def main() -> int:
    """Write or compare; 1 where a document differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--corpus", choices=CORPORA, default=MAIN)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    now = crawled(arguments.corpus, arguments.option)
    if not arguments.file.exists():
        arguments.file.write_text(json.dumps(now, indent=0, ensure_ascii=False))
        print(f"{len(now)} lines written to {arguments.file}")
        return 0
    found = differences(json.loads(arguments.file.read_text()), now)
    print(f"{len(now)} lines, {len(found)} differences", *found[:20], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
