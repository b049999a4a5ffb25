"""`scrapy doctor URL`: diagnosis of a site, and a first configuration for it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sitecrawl import typed_program
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.configuration import load
from sitecrawl.console.command_base import FetchingCommand, read_url
from sitecrawl.console.page_fetcher import FetchedPages
from sitecrawl.console.site_diagnosis import (
    MAX_SITEMAPS,
    Diagnosis,
    SiteCollector,
    addresses,
    diagnose,
)
from sitecrawl.console.terminal import print_answer, print_errors, printable, span
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.advice import all_advice
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.statuses import DONE, NO_RESULT

MAX_PAGES = 10


class Command(FetchingCommand):
    """Print TOML: findings as comments, advice as settings."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Fetch the page and print the findings; return 1 if it cannot be read."""
        url = read_url(args, "doctor")
        configuration = load({**opts.spargs, "start": url})
        if opts.write and Path(opts.write).exists():
            raise ConfigError([f"--write {opts.write}: the file exists, and is not overwritten."])
        params = configuration.params
        pages = MAX_PAGES + MAX_SITEMAPS
        how = {"collector": SiteCollector, "typed": [url], "max_pages": pages}
        with self.fetch(params, [url, *addresses(url)], **how) as fetched:
            found = diagnose(url, params, self.rules(configuration), fetched)
            if not found.read:
                print_errors(_problems(url, fetched))
        print_answer(found._asdict(), lines(found), as_json=opts.json)
        if not found.read:
            return NO_RESULT
        if opts.write:
            _write(opts.write, found)
        return DONE


def _write(path: str, found: Diagnosis) -> None:
    """Write the configuration to a new file."""
    with Path(path).open("x", encoding="utf-8") as file:
        file.writelines(f"{printable(line)}\n" for line in lines(found))
    command = f"{typed_program()} crawl site -a config={path} -O documents.jsonl"
    print_errors([f"Written: {path}. Next: {command}"])


def _problems(url: str, fetched: FetchedPages) -> list[str]:
    problems = list(crawl_of(fetched.crawler).seed_report.problems().values())
    return [each.removeprefix("start ") for each in problems if f" {url} " in each] or problems


def lines(found: Diagnosis) -> Iterator[str]:
    """Yield the findings as comments, and a configuration."""
    for name, words in _findings(found):
        yield f"# {name:12}{' '.join(words.split())}"
    if not found.read:
        return
    yield from ("", f"start = [{json.dumps(found.start)}]")
    if found.needs_scripts or found.placeholder == Outcome.SCRIPT_SHELL.name.lower():
        yield 'render = "auto"  # a browser, where a page needs one'
    yield '# contact = "you@example.org"  # how the site\'s owner can reach you'


def _findings(found: Diagnosis) -> Iterator[tuple[str, str]]:
    yield "url", found.url
    yield "robots.txt", _robots(found)
    for address, answer in found.hosts.items():
        yield "address", f"{address} {answer}"
    if found.read:
        yield from _page(found)
    if kind := found.placeholder:
        words = f"{kind.replace('_', ' ')} ({found.placeholder_detail})"
        yield "no content", f"{words}: {all_advice()[kind].remedy}"
    for sitemap, count in found.sitemaps.items():
        yield "sitemap", f"{sitemap} lists {count} URLs"
    if found.expected_seconds is None:
        words = f"unknown: there is no sitemap; each takes {found.delay:g} s or more"
    else:
        least = span(found.expected_seconds)
        words = f"{found.expected_pages} by the sitemaps; {least} or more at their pace"
    yield "pages", words


def _robots(found: Diagnosis) -> str:
    if found.allowed is None:
        return f"could not be read (status {found.robots_status or 'none'})"
    number = found.robots_line_number
    by = f" by line {number}: {found.robots_line}" if number else ""
    delay = f"; asks for {found.crawl_delay:g} s between requests" if found.crawl_delay else ""
    verdict = "allowed" if found.allowed else "forbidden"
    return f"status {found.robots_status}; the page is {verdict}{by}{delay}"


def _page(found: Diagnosis) -> Iterator[tuple[str, str]]:
    if found.canonical:
        yield "canonical", found.canonical
    yield "language", found.language or "not given"
    browser = "a browser is needed" if found.needs_scripts else "no browser is needed"
    yield "scripts", f"{browser}: {(found.scripts or '').removeprefix('render=auto: ')}"
    for name in found.directives:
        yield "robots meta", f"{name}: see docs/configuration.md, nofollow and rogue"
    yield "links", f"{found.links} on the page, {found.admitted} of them in the crawl"
