"""Construction of the parts of a crawl from its configuration, and of its rules with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sitecrawl import __version__
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.rules import RuleParams
from sitecrawl.frontier.records import Records
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.policy.http.request_headers import HeaderPolicy, user_agent
from sitecrawl.policy.urls.path_limits import PathLimits
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.policy.urls.url_rules import read_target
from sitecrawl.web.files.formats import is_file_type
from sitecrawl.web.read_options import ReadOptions
from sitecrawl.web.robots.robots_txt import product_token
from sitecrawl.web.urls.url import normalize

_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES_BASE"
_RENDERING = "sitecrawl.render.rendering_handler.RenderingDownloadHandler"
_ARCHIVED = "sitecrawl.http.archived_handler.ArchivedDownloadHandler"


def agent(params: CrawlParams) -> str:
    """Return the User-Agent of every request."""
    return user_agent(__version__, params.contact, params.user_agent)


def header_policy(params: CrawlParams, start_origins: AbstractSet[str]) -> HeaderPolicy:
    """Build the headers of all requests, and of those to the origins of starts."""
    return HeaderPolicy(
        agent=agent(params),
        from_email=params.from_email,
        referer=params.referer,
        accept_extra=(*params.accept, *filter(is_file_type, params.content_types)),
        headers=params.headers,
        start_origins=start_origins,
        origin_headers=params.origin_headers,
        auth={key: secret.get_secret_value() for key, secret in params.auth.items()},
    )


def read_options(params: CrawlParams) -> ReadOptions:
    """Return the options for reading pages."""
    options = params.read_options(product_token(agent(params)))
    return replace(options, assets=params.store_links == "assets")


def pace(params: CrawlParams) -> Pace:
    """Return the initial pace of a new origin."""
    if params.from_warc:
        return Pace(delay=0.0, level=0, max_wait=params.max_wait)
    return Pace(delay=params.delay, level=params.politeness, max_wait=params.max_wait)


def spider_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the Scrapy settings that follow from the options."""
    return {
        "USER_AGENT": agent(params),
        "COOKIES_ENABLED": params.cookies,
        "DOWNLOAD_TIMEOUT": params.max_time,
    }


def component_tables(params: CrawlParams) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the components that only some crawls need, each with the table that it is added to."""
    if params.render != "none":
        yield "DOWNLOAD_HANDLERS_BASE", dict.fromkeys(("http", "https"), _RENDERING)
        yield "EXTENSIONS_BASE", {"sitecrawl.render.render_service.RenderService": 30}
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.renderer.RendererMiddleware": 610}
    if params.render == "splash":
        yield "SPIDER_MIDDLEWARES_BASE", {"sitecrawl.render.splash_adapter.DeduplicateArgs": 100}
    if any(map(is_file_type, params.content_types)):
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.files.FilesMiddleware": 60}
    if params.from_warc:
        yield "DOWNLOAD_HANDLERS_BASE", dict.fromkeys(("http", "https"), _ARCHIVED)
    if params.proxies:
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.proxies.RotatingProxies": 745}
    if params.logs_in:
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.login.LoginMiddleware": 650}


def database_url(setting: str, params: CrawlParams) -> str:
    """Return the crawl database's URL: the option's, else the setting's, with NAME replaced."""
    return (params.database or setting).replace("NAME", params.database_name)


@dataclass(frozen=True, slots=True)
class Citations:
    """The values of the options, each with its name and source in readable form."""

    params: RuleParams
    sources: Mapping[str, str]

    def value(self, option: str) -> Any:
        """Return the value of an option."""
        return getattr(self.params, option)

    def setting(self, option: str) -> str:
        """Return the setting of an option: ``scope 'origin' (default)``."""
        value = self.value(option)
        shown = " ".join(value) if isinstance(value, tuple) else value
        return self._entry(option, shown)

    def entries(self, option: str) -> list[tuple[str, str]]:
        """Return the entries of a list, each with its setting: ``deny '/private/' (-a deny)``."""
        return [(entry, self._entry(option, entry)) for entry in self.value(option)]

    def _entry(self, option: str, value: object) -> str:
        return f"{option} {value!r} ({self.sources.get(option, 'default')})"


def build_rules(params: CrawlParams, sources: Mapping[str, str]) -> Rules:
    """Build the rules of a crawl; ``sources`` names the place where each option was set.

    Raises ConfigError with a line for each start that the rules refuse.
    """
    rules = Rules.build(Citations(params, sources))
    if refused := contradictions(rules, params, sources.get("start", "-a start")):
        raise ConfigError(refused)
    return rules


def contradictions(rules: Rules, params: CrawlParams, source: str) -> list[str]:
    """Return one line for each start that the crawl's own rules refuse.

    Starts must be in scope too, although the scope does not bind them; a sitemap or feed that
    only lists pages may be anywhere.
    """
    found = []
    for start in params.start:
        admission = rules.admit(normalize(start) or start, via="seed")
        words = admission.decision.rule
        if admission.decision.allowed and params.lists_pages is None:
            words = rules.scope.refusal(read_target(admission.url))
        if words:
            remedy = "change that option, or leave the start out"
            found.append(f"{source}: {start!r} is refused by {words}; {remedy}.")
    return found


def build_limits(params: RuleParams, sources: Mapping[str, str]) -> PathLimits:
    """Build the limits of a crawl, empty as at the start of a run."""
    return PathLimits.build(Citations(params, sources))


def start_fingerprints(rules: Rules, params: CrawlParams) -> frozenset[int]:
    """Return the fingerprints of the configured starts."""
    starts = (rules.admit(normalize(start) or start, via="seed") for start in params.start)
    return frozenset(start.fingerprint for start in starts)


def apply_learned(rules: Rules, params: CrawlParams, records: Records) -> None:
    """Bring the last known redirect targets of the starts into scope, and keep the parameters that
    proved to carry a meaning.
    """
    starts = [rules.admit(normalize(start) or start, via="seed").url for start in params.start]
    for url, target in records.redirect_chain(starts, realm=params.realm, key=rules.key):
        rules.admit_redirect(url, target)
    for key, name in records.meanings(params.realm):
        rules.take_back(key, (name,))
