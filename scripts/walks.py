"""Traces a small crawl for the walks of docs/architecture.md: python -m scripts.walks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from fixtures.server import Server, page

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SOURCE = ROOT / "sitecrawl"
REQUEST = "a start to its first request"
LINE = "a response to its line"
EXPLAIN = "`scrapy explain`"
WALK = re.compile(r"^## ([^\n]+): \d+ of \d+ files\n(.*?)(?=^## |^\[|\Z)", re.MULTILINE | re.DOTALL)
ALL = "\n\nAll files that run on the way, by `python -m scripts.walks`:\n\n"
# Files that declare: their statements run when they are imported.
DECLARE = {"config/options/rules.py", "policy/documents/fields.py", "policy/decision.py"}
BY_TIMER = {"policy/decision.py", "policy/origin_shares.py"}
"""Files of heartbeats, which may come at any time."""
LEASES = {"frontier/runs.py", "scheduling/leased_origins.py"}
"""The same: a start runs it in any case, a response only if a heartbeat comes on the way."""
TRACER = """
import json, pkgutil, sys, threading
from contextlib import suppress
from importlib import import_module
from scrapy.cmdline import execute
import sitecrawl
record, source, start, *words = sys.argv[1:]
walks = {"start": {}, "response": {}, "end": {}}
walk = ["end"]
def is_import(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(source):
            return True
        frame = frame.f_back
    return False
def trace(frame, event, _):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(source):
        return
    name = code.co_filename.removeprefix(source), code.co_name
    if event == "return":
        if name == ("output/exporters.py", "export_item"):
            walk[0] = "end"
        return
    if name == ("spidermiddlewares.py", "process_start") and not walks["start"]:
        walk[0] = "start"
    elif name == ("http/handler.py", "download_request"):
        if frame.f_locals["request"].url == start:
            walks[walk[0]][name[0]] = None
            walk[0] = "response"
    if name[0] not in walks[walk[0]] and not is_import(frame):
        walks[walk[0]][name[0]] = None
for module in pkgutil.walk_packages(sitecrawl.__path__, "sitecrawl."):
    with suppress(ImportError):
        import_module(module.name)
sys.setprofile(trace)
threading.setprofile(trace)
try:
    execute(["scrapy", *words])
finally:
    sys.setprofile(None)
    with open(record, "w") as file:
        json.dump({name: list(files) for name, files in walks.items()}, file)
"""


def trace(folder: Path, start: str, *words: str) -> dict[str, list[str]]:
    """Run a command of Scrapy; return the files of which a function was called, by the walk."""
    record = folder / "walks.json"
    subprocess.run(
        [sys.executable, "-c", TRACER, str(record), f"{SOURCE}{os.sep}", start, *words],
        cwd=folder,
        env=os.environ | {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
        capture_output=True,
        timeout=120,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(record.read_text())
    return found


def traced() -> dict[str, set[str]]:
    """The files that run on each walk."""
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        start = f"{server.serve({'/': page('/a'), '/a': page(title='A')})}/"
        words = ("-a", f"start={start}", "-a", "delay=0", "-O", "out.jsonl")
        crawl = trace(Path(folder), start, "crawl", "site", *words)
        explain = trace(Path(folder), start, "explain", start)
    ran = {
        REQUEST: {*crawl["start"]},
        LINE: {*crawl["response"]} - LEASES,
        EXPLAIN: {*explain["end"]},
    }
    return {walk: files - BY_TIMER for walk, files in ran.items()}


def text(page_text: str, walks: Mapping[str, set[str]]) -> str:
    """The page with the files of each walk; raises ValueError for a listed one that did not run."""

    def walk(match: re.Match[str]) -> str:
        title, body = match[1], match[2].partition(ALL)[0].rstrip()
        [ran] = (files for name, files in walks.items() if name in title)
        listed = re.findall(r"^\d+\. `([^`]+)`", body, re.MULTILINE)
        if idle := [name for name in listed if name not in ran | DECLARE]:
            raise ValueError(f"From {title}: {idle} did not run")
        ran = ran | {*listed}
        heading = f"## {title}: {len(listed)} of {len(ran)} files\n"
        return f"{heading}{body}{ALL}{_by_folder(ran, listed)}\n\n"

    return WALK.sub(walk, page_text)


def _by_folder(files: set[str], listed: Sequence[str]) -> str:
    """The files, a line for each folder; those of the walk's list are bold."""
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(files):
        folder, _, file = name.rpartition("/")
        stem = file.removesuffix(".py")
        folders[folder].append(f"**{stem}**" if name in listed else stem)
    return "\n".join(
        f"- `{folder or '.'}/`: {', '.join(names)}" for folder, names in sorted(folders.items())
    )


def main() -> None:
    """Write the page."""
    PAGE.write_text(text(PAGE.read_text(encoding="utf-8"), traced()), encoding="utf-8")


if __name__ == "__main__":
    main()
