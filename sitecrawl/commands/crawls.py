"""`scrapy crawls`: every crawl of a TOML file, one after the other or several at a time."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from sitecrawl import program_name, typed_program
from sitecrawl.commands.crawl import problems_of
from sitecrawl.config.assembly import database_url
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.layers import read_file
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_jobs import CrawlJob, CrawlJobs, JobResult, worst_status
from sitecrawl.console.crawl_overview import read_overviews
from sitecrawl.console.scrapy_commands import MisuseError, crawl_settings
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.statuses import INTERRUPTED, NO_RESULT, STARTS_FAILED


class Command(StoredCommand):
    """Check all crawls of a file, then run each in a process of its own."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Run all crawls; return the worst status."""
        path, count = _read(args, opts)
        outputs = {"-o": opts.output_o, "-O": opts.output_O}
        outputs["-s SITECRAWL_METRICS"] = self.settings["SITECRAWL_METRICS"]
        hosts = self._check(path, opts.spargs, {f: each for f, each in outputs.items() if each})
        shared = [word for pair in opts.spargs.items() for word in ("-a", "=".join(pair))]
        shared += [word for each in opts.set for word in ("-s", each)]
        shared += ["-L", opts.loglevel] if opts.loglevel else []
        jobs = []
        for name in hosts:
            own = ["-a", f"config={path}", "-a", f"crawl={name}"]
            for flag, output in (("-o", opts.output_o), ("-O", opts.output_O)):
                own += [flag, output.replace("NAME", name)] if output else []
            command = [sys.executable, "-m", program_name(), "crawl", opts.spider, *own, *shared]
            jobs.append(CrawlJob(name, command, hosts[name]))
        results = sorted(
            CrawlJobs(jobs, count).run(), key=lambda each: list(hosts).index(each.crawl)
        )
        failed_starts = self._failed_starts(path, opts.spargs, results)
        worst = worst_status(each.status for each in results)
        status = worst if len(results) == len(jobs) else INTERRUPTED
        records = [{**asdict(each), "failed_starts": failed_starts[each.crawl]} for each in results]
        if opts.json:
            print_lines(json.dumps(each) for each in records)
        print_errors(f"[{name}] {line}" for name, lines in failed_starts.items() for line in lines)
        print_errors(_summary(results, len(jobs)))
        if opts.notify and status:
            _notify(opts.notify, {"status": status, "crawls": [r for r in records if r["status"]]})
        return status

    def _failed_starts(
        self, path: str, arguments: Mapping[str, str], results: Sequence[JobResult]
    ) -> dict[str, Sequence[str]]:
        found: dict[str, Sequence[str]] = {each.crawl: () for each in results}
        failed = {each.crawl for each in results if each.status in {NO_RESULT, STARTS_FAILED}}
        setting = crawl_settings(self.spider(), self.settings)["SITECRAWL_DATABASE"]
        for each in read_overviews(setting, path, arguments) if failed else ():
            if each.name in failed:
                found[each.name] = each.failed_starts
        return found

    def _check(
        self, path: str, arguments: Mapping[str, str], outputs: Mapping[str, str]
    ) -> dict[str, frozenset[str]]:
        """Return the crawls by name, with the hosts of their starts; raises ConfigError."""
        names = list(read_file(path, "scrapy crawls").crawls)
        if not names:
            raise ConfigError([f"{path}: there is no [[crawl]] table; use -a config={path}."])
        problems = [
            f"{flag} {output}: each crawl needs a file of its own; put NAME into it."
            for flag, output in outputs.items()
            if "NAME" not in output
        ]
        spider = self.spider()
        settings = crawl_settings(spider, self.settings)
        hosts: dict[str, frozenset[str]] = {}
        collections: dict[tuple[str, str], str] = {}
        for name in names:
            where = f"{path}, [[crawl]] {name}"
            given = {**arguments, "config": path, "crawl": name}
            if found := list(problems_of(spider, given, settings)):
                placed = (path, "-a ")
                problems += [s if s.startswith(placed) else f"{where}: {s}" for s in found]
                continue
            params = spider.configuration_from_arguments(given).params
            hosts[name] = frozenset(urlsplit(url).hostname or "" for url in params.start)
            if params.interval:
                problems.append(f"{where}: interval: a crawl that never ends has no turn here.")
            place = (database_url(settings["SITECRAWL_DATABASE"], params), params.realm)
            other = collections.setdefault(place, name)
            if other != name:
                problems.append(f"{where}: {other!r} has the same database and the same realm.")
        if problems:
            raise ConfigError(dict.fromkeys(problems))
        return hosts


def _read(args: Sequence[str], opts: argparse.Namespace) -> tuple[str, int]:
    if len(args) != 1:
        raise MisuseError(f"give one file: {typed_program()} crawls sites.toml")
    if given := {"config", "crawl"} & opts.spargs.keys():
        raise MisuseError(f"-a {min(given)} is for scrapy crawl")
    if not opts.jobs.isdecimal() or not int(opts.jobs):
        raise MisuseError("--jobs: write a whole number, at least 1")
    return args[0], int(opts.jobs)


def _notify(command: str, notice: Mapping[str, Any]) -> None:
    """Run a command with the notice on its standard input; report its failure."""
    done = subprocess.run(  # noqa: S602 -- the user's own command
        command, shell=True, input=json.dumps(notice, ensure_ascii=False).encode(), check=False
    )
    if done.returncode:
        print_errors([f"--notify: the command ended with status {done.returncode}."])


def _summary(results: Sequence[JobResult], count: int) -> list[str]:
    named: dict[int, list[str]] = {}
    for each in results:
        named.setdefault(each.status, []).append(each.crawl)
    lines = [f"Status {status}: {', '.join(named[status])}" for status in sorted(named) if status]
    left_out = f", {count - len(results)} not started" if len(results) < count else ""
    return [*lines, f"{count} crawls: {len(named.get(0, []))} with status 0{left_out}."]
