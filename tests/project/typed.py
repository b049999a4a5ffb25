"""Types the command blocks of a page in a folder, against a local site in place of example.org."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from markdown_it import MarkdownIt

from fixtures.command import ROOT

PROGRAMS = re.compile(
    r"(scrapy|sitecrawl|scripts/|cp|mkdir|chmod|rm|head|jq|python|sqlite3|curl|docker|pip|uv|pg_dump"
    r"|prometheus-node-exporter|SITECRAWL_)"
)
"""What the first line of a block of commands begins with."""
NOT_TYPED = {
    r"^scripts/setup|^pip install": "makes an environment: scripts/check begins with one, test_deployment.py has another",
    r"^scripts/(test|check|docs)": "runs the tests, this one too, or test_documentation_site.py runs it",
    r"^uv pip compile": "asks the package index for newer versions",
    r"docker ": "there is no registry of images: test_deployment.py checks the files",
    r"scrapyd|schedule\.json": "tests/scrapyd types it",
    r"scrapy crawl handbook": "tests/house/test_library_docs.py types it, with the files of the page",
    r"(opensearch|elasticsearch)://|localhost:9200": "tests/engines has the servers",
    r"\$HOST|pg_dump": "needs a server of the reader's",
    r"^prometheus-node-exporter": "tests/engines/test_prometheus.py runs it",
}
"""Commands that are not typed, and the reason or the place of their proof."""
SERVES = re.compile(r"(scrapy|sitecrawl) (browse(?!.*--embed)|mcp --http)|--follow|http\.server")
"""Commands that go on until they are interrupted."""
EXAMPLE_ORG = re.compile(r"https://(docs\.|blog\.|www\.|find\.)?example\.org")
FINDS_NOTHING = re.compile(
    r"explain|frontier (errors|confirm|workers|stats|prune|delete)|reindex|report --|--since|check-outside|links|search|stats"
)
"""Commands that end with 1 where there is nothing to list, to find or to do."""

SHIM = """#!/bin/sh
case "$*" in
    crawl*delay*) ;;
    crawl*) set -- "$@" -a delay=0 ;; # no need to spare the local site
esac
exec "{python}" {words} "$@"
"""


def statements(path: Path) -> Iterator[str]:
    """Yield the commands of a page's blocks, each with all of its lines."""
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        block = token.content.replace(".venv/bin/", "")
        if token.type == "code_block" and block.startswith("-a "):
            yield from re.findall(r"""^(-a \w+=(?:"[^"]*"|'[^']*'|\S)*)""", block, re.MULTILINE)
        elif token.type == "code_block" and PROGRAMS.match(block):
            yield from _complete(block.splitlines())


def _complete(lines: list[str]) -> Iterator[str]:
    statement = ""
    for line in lines:
        statement += line
        try:
            shlex.split(statement, comments=True)
        except ValueError:  # an open quotation
            statement += "\n"
            continue
        if statement.rstrip().endswith(("\\", "|")):
            statement += "\n"
        elif statement.strip().startswith("# "):  # the rest of the block is a file
            return
        else:
            yield statement.strip()
            statement = ""


def is_typed(statement: str) -> bool:
    """Return False for a command that is not typed."""
    return not any(re.search(each, statement) for each in NOT_TYPED)


def typed(path: Path) -> list[str]:
    """Return the commands of a page that are typed."""
    return [each for each in statements(path) if each and is_typed(each)]


def type_all(commands: list[str], folder: Path, origin: str, replaced: Mapping[str, str]) -> str:
    """Type commands in a folder; return what they printed."""
    script = ["set -e"]
    for each in commands:
        start = "scrapy crawl site -a start=https://example.org " if each.startswith("-a ") else ""
        serve = "timeout --signal=INT 8 " if SERVES.search(each) else ""
        status = "= 124" if serve else "-le 1" if FINDS_NOTHING.search(each) else "= 0"
        script.append(f"status=0\n{{ {serve}{start}{each}\n}} || status=$?\n[ $status {status} ]")
    text = "\n".join(script)
    text = EXAMPLE_ORG.sub(origin, text)
    for each, other in replaced.items():
        text = text.replace(each, other)
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for program, words in (("scrapy", "-m scrapy"), ("sitecrawl", "-m sitecrawl"), ("python", "")):
        script_file = programs / program
        script_file.write_text(SHIM.format(python=sys.executable, words=words))
        script_file.chmod(0o755)
    given = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    given.pop("SCRAPY_SETTINGS_MODULE", None)
    done = subprocess.run(
        ["bash", "-xc", text],
        cwd=folder,
        env=given,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    assert "Traceback" not in done.stderr
    return done.stdout
