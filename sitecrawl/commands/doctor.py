"""`scrapy doctor URL`: diagnosis of a site, and a first configuration for it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.statuses import DONE, NO_RESULT
from sitecrawl.web.html.page import Page

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
            if found.page is None:
                print_errors(_problems(url, fetched))
        print_answer(record(found), lines(found), as_json=opts.json)
        if found.page is None:
            return NO_RESULT
        if opts.write:
            _write(opts.write, found)
        return DONE


def _write(path: str, found: Diagnosis) -> None:
    """Write the configuration to a new file; raises ConfigError."""
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.writelines(f"{printable(line)}\n" for line in lines(found))
    except OSError as error:
        raise ConfigError([f"--write {path}: {error.strerror}."]) from error
    command = f"{typed_program()} crawl site -a config={path} -O documents.jsonl"
    print_errors([f"Written: {path}. Next: {command}"])


def _problems(url: str, fetched: FetchedPages) -> list[str]:
    problems = list(crawl_of(fetched.crawler).seed_report.problems().values())
    return [each.removeprefix("start ") for each in problems if f" {url} " in each] or problems


def record(found: Diagnosis) -> dict[str, Any]:
    """Return the findings as JSON."""
    page, robots, scripts = found.page, found.robots, found.scripts
    return {
        "url": found.url,
        "start": found.start,
        "read": page is not None,
        "allowed": robots.allowed if robots else None,
        "robots_line": robots.line if robots else None,
        "robots_status": found.robots_status,
        "crawl_delay": found.crawl_delay,
        "hosts": found.hosts,
        "canonical": page.canonical if page else None,
        "needs_scripts": scripts.allowed if scripts else None,
        "scripts": scripts.rule if scripts else None,
        "placeholder": found.placeholder.kind if found.placeholder else None,
        "language": page.language if page else None,
        "links": found.links,
        "admitted": found.admitted,
        "sitemaps": found.sitemaps,
        "expected_pages": found.expected,
        "expected_seconds": found.seconds,
    }


def lines(found: Diagnosis) -> Iterator[str]:
    """Yield the findings as comments, and a configuration."""
    for name, words in _findings(found):
        yield f"# {name:12}{' '.join(words.split())}"
    if found.page is None:
        return
    yield from ("", f"start = [{json.dumps(found.start)}]")
    shell = found.placeholder and found.placeholder.outcome is Outcome.SCRIPT_SHELL
    if shell or (found.scripts is not None and found.scripts.allowed):
        yield 'render = "auto"  # a browser, where a page needs one'
    yield '# contact = "you@example.org"  # how the site\'s owner can reach you'


def _findings(found: Diagnosis) -> Iterator[tuple[str, str]]:
    yield "url", found.url
    yield "robots.txt", _robots(found)
    for address, answer in found.hosts.items():
        yield "address", f"{address} {answer}"
    if found.page is not None and found.scripts is not None:
        yield from _page(found, found.page, found.scripts)
    if found.placeholder is not None:
        kind = found.placeholder
        words = f"{kind.kind.replace('_', ' ')} ({kind.detail}): {all_advice()[kind.kind].remedy}"
        yield "no content", words
    for sitemap, count in found.sitemaps.items():
        yield "sitemap", f"{sitemap} lists {count} URLs"
    yield "pages", _expected(found)


def _robots(found: Diagnosis) -> str:
    if found.robots is None:
        return f"could not be read (status {found.robots_status or 'none'})"
    robots = found.robots
    by = f" by line {robots.line_number}: {robots.line}" if robots.line_number else ""
    delay = f"; asks for {found.crawl_delay:g} s between requests" if found.crawl_delay else ""
    verdict = "allowed" if robots.allowed else "forbidden"
    return f"status {found.robots_status}; the page is {verdict}{by}{delay}"


def _page(found: Diagnosis, page: Page, scripts: Decision) -> Iterator[tuple[str, str]]:
    if page.canonical:
        yield "canonical", page.canonical
    yield "language", page.language or "not given"
    yield (
        "scripts",
        f"{'a browser is needed' if scripts.allowed else 'no browser is needed'}: "
        + (scripts.rule.removeprefix("render=auto: ")),
    )
    for name in ("noindex", "nofollow"):
        if getattr(page.directives, name):
            yield "robots meta", f"{name}: see docs/configuration.md, nofollow and rogue"
    yield "links", f"{found.links} on the page, {found.admitted} of them in the crawl"


def _expected(found: Diagnosis) -> str:
    if found.expected is None or found.seconds is None:
        return f"unknown: there is no sitemap; each takes {found.delay:g} s or more"
    return f"{found.expected} by the sitemaps; {span(found.seconds)} or more at their pace"
