"""Types the command blocks of a page in a folder, against a local site in place of example.org."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from markdown_it import MarkdownIt
from written import WRITTEN_OPTIONS

from fixtures.command import FORKED, ROOT, Command, run

PROGRAMS = re.compile(
    r"(scrapy|sitecrawl|scripts/|cp|mkdir|chmod|rm|head|jq|python|sqlite3|curl|docker|pip|uv|pg_dump"
    r"|prometheus-node-exporter|SITECRAWL_)"
)
"""Beginnings of the first line of a block of commands."""
NOT_TYPED = {
    r"^scripts/setup|^pip install": "makes an environment: scripts/check begins with one, test_deployment.py has another",
    r"^scripts/(test|check|docs)": "runs the tests, this one too, or test_documentation_site.py runs it",
    r"^uv pip compile": "asks the package index for newer versions",
    r"docker ": "there is no registry of images: test_deployment.py checks the files",
    r"scrapyd|schedule\.json": "tests/scrapyd types it",
    r"scrapy crawl handbook": "tests/house/test_library_docs.py types it, with the files of the page",
    r"(opensearch|elasticsearch)://|localhost:9200": "tests/engines has the servers",
    r"proxies=": "tests/fetch has the proxies",
    r"\$HOST|pg_dump": "needs a server of the reader's",
    r"^prometheus-node-exporter": "tests/engines/test_prometheus.py runs it",
}
"""Commands that are not typed, and the reason or the place of their proof."""
SERVES = re.compile(r"scrapy (browse(?!.*--embed)|mcp --http)|--follow|interval=")
"""Commands that go on until they are interrupted."""
EXAMPLE_ORG = re.compile(r"https://(?!bot\.)([\w-]+\.)?example\.org")
FINDS_NOTHING = re.compile(
    r"explain|identity .*--check|frontier (errors|left-out|confirm|workers|stats|prune|delete)|reindex|report --|--since|check-outside|links|search|stats"
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
        if token.type == "code_block" and block.startswith("-"):
            yield from WRITTEN_OPTIONS.findall(block)
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
    """Type commands in a folder, one after the other; return what they printed.

    Our programs are forked from a process that has imported everything; what needs a shell gets one.
    """
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for program, words in (("sitecrawl", "-m sitecrawl"), ("scrapy", "-m scrapy"), ("python", "")):
        (programs / program).write_text(SHIM.format(python=sys.executable, words=words))
        (programs / program).chmod(0o755)
    here, printed = folder, ""
    for each in commands:
        command = "scrapy crawl site " if each.startswith("-") else ""
        if command and "start=" not in each:
            command += "-a start=https://example.org "
        text = EXAMPLE_ORG.sub(origin, f"{command}{each}")
        for word, other in replaced.items():
            text = text.replace(word, other)
        if FORKED.fullmatch(text):
            program, *arguments = shlex.split(text, comments=True)
            spared = ["-a", "delay=0"] if arguments[0] == "crawl" and "delay=" not in text else []
            done = (
                interrupted([*arguments, *spared], here, program)
                if SERVES.search(text)
                else run([*arguments, *spared], here, settings="", program=program)
            )
        else:
            done = in_shell(text, here, programs)
            here = Path((programs / "here").read_text().strip())
        allowed = {0, 130} if SERVES.search(text) else {0, 1} if FINDS_NOTHING.search(text) else {0}
        assert done.returncode in allowed, (
            f"{text}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        assert "Traceback" not in done.stderr, f"{text}\n{done.stderr}"
        printed += done.stdout
    return printed


def interrupted(
    arguments: list[str], folder: Path, program: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that goes on until Ctrl-C, which it gets 3 s after its first words."""
    printed = [folder / "output", folder / "errors"]
    output, errors = printed
    command = Command(arguments, folder, output=output, errors=errors, settings="", program=program)
    end = time.monotonic() + 30
    while time.monotonic() < end and not any(
        each.exists() and each.stat().st_size for each in printed
    ):
        time.sleep(0.1)
    time.sleep(3)
    command.send_signal(signal.SIGINT)
    status = command.wait(60)
    return subprocess.CompletedProcess(arguments, status, *(each.read_text() for each in printed))


def in_shell(text: str, folder: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Type a command in bash, with our programs first; ``here`` is then its last folder."""
    given = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    given.pop("SCRAPY_SETTINGS_MODULE", None)
    if "http.server" in text:  # until it is ended
        text = f"timeout 3 {text}\n[ $? = 124 ]"
    return subprocess.run(
        ["bash", "-c", f"{text}\nstatus=$?; pwd >'{programs}/here'; exit $status"],
        cwd=folder,
        env=given,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
