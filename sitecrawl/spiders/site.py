"""The spider: passes the starts to the frontier, and reads each page once."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import cached_property
from types import FunctionType, MappingProxyType
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from sitecrawl.config.assembly import (
    build_limits,
    build_rules,
    component_tables,
    database_url,
    read_options,
    spider_settings,
)
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.configuration import Configuration, load, named_after, with_own_extensions
from sitecrawl.config.layers import START_URLS
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.scrapy_commands import missing_components
from sitecrawl.extensions.crawl import Crawl, crawl_of
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.opening import open_records
from sitecrawl.items import Document
from sitecrawl.policy.http.network_addresses import AddressRule
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.urls.path_limits import PathLimits
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import read_page_of, visit_of
from sitecrawl.responses import request_of
from sitecrawl.web.read_options import ReadOptions

PLACEHOLDER_START = "http://localhost/"  # start for commands that do not crawl
METHODS = (FunctionType, classmethod, property, staticmethod)
OPTIONS = frozenset(CrawlParams.model_fields)
ABOVE_DEFAULTS = SETTINGS_PRIORITIES["default"] + 1  # Scrapy applies its defaults once more


class SiteSpider(Spider):
    """Spider that crawls one or more sites from their starts.

    ``configuration`` holds the options given as arguments, ``rules`` decides about URLs. Subclasses
    may override ``parse``, yield Requests and items of their own, and have arguments of their own.
    """

    name = "site"
    configuration: Configuration
    rules: Rules
    limits: PathLimits
    read_options: ReadOptions
    xpath_fields: tuple[tuple[str, str], ...] = ()
    in_crawl = True  # False while a Scrapy command uses the spider for a single page
    arguments: Mapping[str, Any] = MappingProxyType({})
    overruled: dict[str, Any]

    def __init__(self, *_: Any, **arguments: Any) -> None:
        super().__init__()  # with arguments it would set attributes, such as "start" and "name"
        own = self.own_arguments()
        self.__dict__.update({name: arguments.pop(name) for name in own & arguments.keys()})
        self.arguments = arguments

    @classmethod
    def own_arguments(cls) -> set[str]:
        """Return the arguments of a subclass that are not options of the crawl.

        They are parameters of its ``__init__``, or attributes of its class.
        """
        names: set[str] = set()
        for each in cls.__mro__[: cls.__mro__.index(SiteSpider)]:
            names |= {n for n, value in vars(each).items() if not isinstance(value, METHODS)}
            names |= inspect.get_annotations(each).keys()
            names |= named_parameters(vars(each).get("__init__"))
        names -= {*dir(SiteSpider), *OPTIONS, START_URLS}
        return {name for name in names if not name.startswith("_")}

    @classmethod
    def may_make_starts(cls) -> bool:
        """Return True if a subclass has an ``__init__``, which may build starts itself."""
        return cls.__init__ is not SiteSpider.__init__

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Add the settings of the crawl, with a lower priority than all others but the defaults."""
        super().update_settings(settings)
        if cls.in_crawl:
            settings.setmodule("sitecrawl.defaults", ABOVE_DEFAULTS)

    @classmethod
    def configuration_from_arguments(cls, arguments: Mapping[str, str]) -> Configuration:
        """Read the spider's arguments, except a subclass's own; raises ConfigError."""
        own = cls.own_arguments()
        starts = {START_URLS: getattr(cls, START_URLS, ())}
        given = {name: value for name, value in arguments.items() if name not in own}
        configuration = load({**starts, **given})
        cls.build_rules(configuration)
        is_named = cls.name == SiteSpider.name
        return configuration if is_named else named_after(configuration, cls.name)

    @classmethod
    def build_rules(cls, configuration: Configuration) -> Rules:
        """Build the rules that decide about each URL; override to add to them."""
        return build_rules(configuration.params, configuration.sources)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **arguments: Any) -> SiteSpider:
        """Build with the configuration that the arguments describe; raises ConfigError."""
        if cls.in_crawl and (missing := list(missing_components(cls, crawler.settings))):
            raise ConfigError(missing)
        accepted = arguments
        if not takes_any(cls.__init__):
            own = named_parameters(cls.__init__)
            accepted = {name: value for name, value in arguments.items() if name in own}
        spider = super().from_crawler(crawler, *args, **accepted)
        spider.overruled = {}
        starts = spider.start_urls if cls.in_crawl else spider.start_urls or [PLACEHOLDER_START]
        given = {**arguments, START_URLS: starts, **spider.arguments}
        spider.configuration = cls.configuration_from_arguments(given)
        if cls.in_crawl:
            database = crawler.settings["SITECRAWL_DATABASE"]
            spider.configuration = _as_begun(spider.configuration, database)
        params = spider.configuration.params
        spider.rules = cls.build_rules(spider.configuration)
        spider.limits = build_limits(params, spider.configuration.sources)
        spider.read_options = read_options(params)
        spider.xpath_fields = params.xpath_fields
        if cls.in_crawl:
            spider.apply_options(crawler.settings)
        return spider

    def apply_options(self, settings: Settings) -> None:
        """Set the Scrapy settings that follow from the options."""
        params = self.configuration.params
        for name, value in spider_settings(params).items():
            priority = settings.getpriority(name) or 0
            if priority >= SETTINGS_PRIORITIES["addon"]:
                self.overruled[name] = settings[name]
            priority = max(priority, SETTINGS_PRIORITIES["spider"])
            settings.set(name, value, priority)
        for name, components in component_tables(params):
            whole = {**settings.getdict(name), **components}
            settings.set(name, whole, priority=settings.getpriority(name) or 0)

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests besides the starts: none, unless a subclass adds some."""
        nothing: tuple[Any, ...] = ()
        for each in nothing:  # Scrapy needs an async generator
            yield each

    @cached_property
    def crawl(self) -> Crawl:
        """The parts of the crawl; raises RuntimeError outside of a crawl."""
        return crawl_of(self.crawler)

    @cached_property
    def address_rule(self) -> AddressRule:
        """The rule of all connections of the crawl: only its starts may be in private networks."""
        allow_private = self.configuration.params.allow_private
        return AddressRule.of_starts(self.typed_starts(), allow_private=allow_private)

    def typed_starts(self) -> Sequence[str]:
        """Return the URLs that the user chose."""
        return self.configuration.params.start

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """Make candidates of the links of a page, and a document of the page.

        The meta-robots middleware has already read the page.
        """
        request = request_of(response)
        visit, read = visit_of(request), read_page_of(request)
        if visit is None:
            return
        if read is None:
            raise RuntimeError("MetaRobotsMiddleware reads the pages; it must not be off")
        page = read.page
        if page.cuts:
            self.crawl.discovery.note_cuts(page)
        if self.crawl.refreshed(visit, page):
            return
        visit.read_for_links(self.crawl.discovery.links_of(page, visit.due, read.robots.rel))
        if self.crawl.checks_links:
            visit.conclusion = Outcome.FILE_INGESTED, "checked"
        elif read.placeholder is not None:
            visit.conclusion = read.placeholder.outcome, read.placeholder.kind
            visit.detail = read.placeholder.detail
        else:
            yield Document(visit, page, read.robots)


def named_parameters(function: Any) -> set[str]:
    """Return the named parameters of an ``__init__``, if there is one."""
    if function is None:
        return set()
    _, *parameters = inspect.signature(function).parameters.values()
    return {
        each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def takes_any(function: Any) -> bool:
    """Return True if a function takes arguments of any name."""
    parameters = inspect.signature(function).parameters.values()
    return any(each.kind is each.VAR_KEYWORD for each in parameters)


def _as_begun(configuration: Configuration, setting: str) -> Configuration:
    """Return the configuration with the options kept since the crawl's first run, if any."""
    params = configuration.params
    if not params.keep_extensions:
        return configuration
    try:
        with open_records(database_url(setting, params)) as records:
            run = records.last_run(params.realm)
    except FrontierError:  # no database yet, or one that the crawl will report as unusable
        run = None
    return with_own_extensions(configuration, run.configuration if run else None)
