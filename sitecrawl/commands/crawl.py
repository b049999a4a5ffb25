"""`scrapy crawl`: Scrapy's own, with a check of the configuration and exit statuses of our own."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from scrapy.commands import crawl
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.log import configure_logging

from sitecrawl import typed_program
from sitecrawl.config.assembly import database_url
from sitecrawl.config.config_errors import ConfigError, is_missing_start, nearest, unknown_words
from sitecrawl.config.configuration import login_problems, renders_locally
from sitecrawl.config.installed_browser import NO_BROWSER, lacks_browser
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.command_base import CrawlingCommand, repeated
from sitecrawl.console.forking import fork_workers
from sitecrawl.console.option_flags import add_option_flags
from sitecrawl.console.scrapy_commands import (
    DescribedCommand,
    crawl_settings,
    is_site_spider,
    missing_components,
    quiet_startup_logs,
    spider_loader,
)
from sitecrawl.console.setting_problems import setting_problems
from sitecrawl.console.terminal import print_errors, reopen_stderr
from sitecrawl.frontier.base import DatabaseUrlError, FrontierError
from sitecrawl.frontier.opening import backend
from sitecrawl.statuses import BAD_USAGE, DATABASE_ERROR

NO_VALUE = "one that is on or off has no value: --sitemaps, --no-sitemaps"

logger = logging.getLogger(__name__)


class Command(CrawlingCommand, DescribedCommand, crawl.Command):
    """Check the arguments, then crawl.

    Exit statuses: 0 done, 1 the crawl has no document or could not write, or could not begin, 2 the
    configuration is wrong and nothing was requested, 3 the database failed, 4 done, but a start
    produced nothing, 130 a signal ended it.
    """

    def add_shared_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the crawl."""
        add_option_flags(parser, described=True)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; exit with status 2 and one line per problem if there are any."""
        if misplaced := unknown_words(args) or _words_beside_urls(args):
            print_errors(f"{each}." for each in misplaced)
            sys.exit(BAD_USAGE)
        _name_spider(args, opts)
        given = list(opts.spargs)
        super().process_options(args, opts)
        if unwritable := problem_of_log(self.settings["LOG_FILE"]):
            print_errors([unwritable])
            sys.exit(BAD_USAGE)
        reopen_stderr()
        problems = list(setting_problems(self.settings))
        try:
            spider = self._load_spider(args[0]) if args else None
        except KeyError as unknown:
            self._leave([*problems, str(unknown.args[0])], BAD_USAGE)
        if spider is not None and is_site_spider(spider):
            settings = crawl_settings(spider, self.settings)
            quiet_startup_logs(str(settings["LOG_LEVEL"]))
            problems = [*repeated(given), *problems, *problems_of(spider, opts.spargs, settings)]
            if not problems:
                params = spider.configuration_from_arguments(opts.spargs).params
                setting = settings["SITECRAWL_DATABASE"]
                self._check_database(setting and database_url(setting, params))
                self._fork(params)
        if problems:
            self._leave(problems, BAD_USAGE)

    def _fork(self, params: CrawlParams) -> None:
        if params.workers > 1 and params.interval:
            self._leave(["-a workers: a crawl with an interval has one worker."], BAD_USAGE)
        if params.workers > 1:
            fork_workers(self.settings, params.workers)

    def _load_spider(self, name: str) -> Any:
        """Return the spider of that name; raises KeyError with a message."""
        loader = spider_loader(self.settings)
        known = sorted(loader.list())
        if name not in known:
            is_host = "." in name
            remedy = (
                f" Type: {typed_program()} crawl https://{name}"
                if is_host
                else nearest(name, known)
            )
            raise KeyError(f"there is no spider {name!r}; known: {', '.join(known)}.{remedy}")
        return loader.load(name)

    def _check_database(self, setting: str | None) -> None:
        try:
            if setting is not None:
                backend(setting)
        except DatabaseUrlError as error:
            self._leave([str(error)], BAD_USAGE)
        except FrontierError as error:
            self._leave([str(error)], DATABASE_ERROR)

    def _leave(self, problems: Iterable[str], status: int) -> NoReturn:
        in_file = bool(self.settings["LOG_FILE"])  # Scrapyd shows a job's log, not its stderr
        if in_file:
            for name in ("LOG_LEVEL", "LOG_ENCODING"):  # one of them may be the problem
                self.settings.set(name, Settings()[name], priority="cmdline")
            configure_logging(self.settings)
        print_errors(problems := list(problems))
        if in_file:
            for problem in problems:
                logger.error("%s", problem)
        sys.exit(status)


def _name_spider(args: list[str], opts: argparse.Namespace) -> None:
    """Put the spider's name in place of URLs, which become its starts, or where it is missing."""
    if any("://" in word for word in args[:1]):
        opts.spargs = [*opts.spargs, f"start={' '.join(args)}"]
        args.clear()
    if opts.spargs and not args:
        args.append("site")


def _words_beside_urls(words: Sequence[str]) -> list[str]:
    others = [word for word in words if "://" not in word]
    if len(others) == len(words):
        return []
    return [f"{word!r} is neither a URL nor a flag; {NO_VALUE}" for word in others]


def problem_of_log(path: str | None) -> str:
    """Return the problem of writing a log file; empty if there is none."""
    try:
        if path:
            Path(path).open("a", encoding="utf-8").close()
    except OSError as error:
        return f"LOG_FILE: {path} cannot be written: {error.strerror}."
    return ""


def problems_of(spider: Any, arguments: Mapping[str, str], settings: BaseSettings) -> Iterator[str]:
    """Yield a problem for each fault that a SiteSpider finds in its arguments and settings."""
    try:
        configuration = spider.configuration_from_arguments(arguments)
        if renders_locally(configuration.params) and lacks_browser(settings, os.environ):
            yield f"render: {NO_BROWSER}."
        yield from folder_problems(configuration.params)
        yield from login_problems(configuration)
        yield from _file_problems(configuration.params)
    except ConfigError as error:
        later = spider.may_make_starts()
        yield from (line for line in error.problems if not (later and is_missing_start(line)))
    yield from missing_components(spider, settings)


def _file_problems(params: CrawlParams) -> Iterator[str]:
    """Yield a line for each file of a key, a session or a certificate that cannot be used."""
    if not (params.identity or params.cookie_file or params.client_certificates):
        return
    from sitecrawl.http.agent_identity import UnusableKeyError, read_identity  # noqa: PLC0415
    from sitecrawl.http.dialing import (  # noqa: PLC0415 -- needed by few starts
        UnusableCertificateError,
        lenient_context,
        show_certificate,
    )
    from sitecrawl.http.session_file import UnusableSessionError, read_cookies  # noqa: PLC0415

    show = partial(show_certificate, lenient_context())
    files: list[tuple[str, str, Callable[[Path], object]]] = [
        ("identity", params.identity, read_identity),
        ("cookie_file", params.cookie_file, read_cookies),
        *(("client_certificates", file, show) for file in params.client_certificates.values()),
    ]
    for option, file, read in files:
        try:
            if file:
                read(Path(file))
        except (UnusableKeyError, UnusableSessionError, UnusableCertificateError) as error:
            yield f"{option}: {error}."


def folder_problems(params: CrawlParams) -> Iterator[str]:
    """Yield a line for each folder of `warc` and `from_warc` that cannot be used; make the former."""
    if params.warc and (fault := _make(Path(params.warc))):
        yield f"warc: {params.warc} {fault}."
    if params.from_warc:
        if fault := _faults_of(Path(params.from_warc)):
            yield f"from_warc: {params.from_warc} {fault}."
        if params.warc:
            yield "from_warc: nothing is requested, so that there is nothing for warc to archive."
        if params.render != "none":
            yield "from_warc: archives are not rendered: leave out render."


def _make(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"cannot be made: {error.strerror}"
    is_writable = os.access(folder, os.W_OK | os.X_OK)
    return "" if is_writable else "cannot be written: give a folder that you may write to"


def _faults_of(folder: Path) -> str:
    if not folder.is_dir():
        return "is no folder: give the one that has the WARC files"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "cannot be read"
    return "" if any(folder.glob("*.warc*")) else "has no file *.warc or *.warc.gz"
