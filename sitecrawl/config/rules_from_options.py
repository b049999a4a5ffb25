"""Says of a value which option it is, and where that was set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.rules import RuleParams
from sitecrawl.frontier.records import Records
from sitecrawl.policy.http.mime import MIME_EXTENSIONS, MediaTypes, read_mime_extensions
from sitecrawl.policy.traps.path_limits import Copies, DirectoryCounts, Growth
from sitecrawl.policy.traps.query_variants import Variants
from sitecrawl.policy.traps.series import Series
from sitecrawl.policy.traps.session_tokens import Tokens
from sitecrawl.policy.traps.trap_limits import Limits
from sitecrawl.policy.urls.canonicalization import (
    Domino,
    FilterQueries,
    IgnoreQueries,
    ListingSort,
    QueryPolicies,
    Rewriting,
    StripQueries,
    has_parameters,
    has_parameters_but_no_point,
    read_combination,
    read_rewrite,
)
from sitecrawl.policy.urls.rule_engine import Rules, Stage
from sitecrawl.policy.urls.scope import Scope, read_domain
from sitecrawl.policy.urls.session_ids import EntryIds, SessionIds
from sitecrawl.policy.urls.url_rules import (
    Allow,
    Contains,
    Deny,
    Depth,
    DoNotCrawl,
    Extensions,
    ForbiddenSites,
    Length,
    NotContains,
    NumericHosts,
    PathDepth,
    Rel,
    RepeatedDirectories,
    Schemes,
    UrlChange,
    UrlRule,
    WellFormed,
    read_policy,
    read_site,
    read_target,
)
from sitecrawl.web.urls.identity import identity_key, normal_pattern, normal_text
from sitecrawl.web.urls.url import normalize, split


@dataclass(frozen=True, slots=True)
class Citations:
    """Names an option with its value and where that came from."""

    params: RuleParams
    sources: Mapping[str, str]

    def setting(self, option: str) -> str:
        """The option as a whole: ``scope 'origin' (default)``."""
        value = getattr(self.params, option)
        shown = " ".join(value) if isinstance(value, tuple) else value
        return self.entry(option, shown)

    def entry(self, option: str, value: object) -> str:
        """One entry of a list: ``deny '/private/' (-a deny)``."""
        return f"{option} {value!r} ({self.sources.get(option, 'default')})"

    def entries(self, option: str) -> list[tuple[str, str]]:
        """Every entry of a list, each with its words."""
        return [(entry, self.entry(option, entry)) for entry in getattr(self.params, option)]


XML_TYPES = frozenset({"application/xml", "text/xml"})


def build_rules(params: CrawlParams, sources: Mapping[str, str]) -> Rules:
    """The rules of a crawl; ``sources`` says where each option was set.

    Raises ConfigError with a line for each start that the crawl's own rules refuse.
    """
    cite = Citations(params, sources)
    rules = _assemble(params, cite)
    if refused := contradictions(rules, params, sources.get("start", "-a start")):
        raise ConfigError(refused)
    return rules


def contradictions(rules: Rules, params: CrawlParams, source: str) -> list[str]:
    """One line for each start that the crawl's own rules refuse.

    The scope counts too, although it does not bind starts, unless a start is a mere list of
    pages: a sitemap or feed may lie anywhere.
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


def _assemble(params: CrawlParams, cite: Citations) -> Rules:
    rewriting = _rewriting(params, cite)
    homes = [_changed(url, rewriting) for start in params.start if (url := normalize(start))]
    domains = frozenset(map(read_domain, params.allowed_domains))
    scope = Scope(params.scope, homes, _scope_setting(params, cite), domains)
    return Rules(
        stages=(
            Stage(rewriting, _forms(params, cite, homes)),
            Stage(_ids(params, cite), _domino(params, cite), has_parameters),
            _query_stage(params, cite),
            Stage(
                rules=(
                    *_texts(params, cite),
                    scope,
                    *_patterns(params, cite),
                    *_paths(params, cite),
                )
            ),
        ),
        scope=scope,
        depth=Depth(params.max_depth, cite.setting("max_depth")),
        rel=Rel(_refused_rel(params), cite.setting("obey_nofollow")),
        media_types=_media_types(params, cite),
        key=partial(
            identity_key,
            default_pages=frozenset(params.default_pages),
            fold_slashes=params.fold_slashes,
            fold_trailing_slash=params.fold_trailing_slash,
            sort_query=params.sort_query,
        ),
    )


def _changed(url: str, changes: Sequence[UrlChange]) -> str:
    for change in changes:
        url = change.change(url)
    return url


def _scope_setting(params: RuleParams, cite: Citations) -> str:
    """What decides about the scope: with ``any`` the list of domains does."""
    if params.scope == "any" and params.allowed_domains:
        return cite.setting("allowed_domains")
    return cite.setting("scope")


def _rewriting(params: RuleParams, cite: Citations) -> tuple[Rewriting, ...]:
    rules = tuple(read_rewrite(entry) for entry in params.url_rewrite)
    return (Rewriting(rules, cite.setting("url_rewrite")),) if rules else ()


def _forms(params: RuleParams, cite: Citations, homes: Sequence[str]) -> tuple[UrlRule, ...]:
    schemes = frozenset(scheme.lower() for scheme in params.schemes)
    rules: tuple[UrlRule, ...] = (Schemes(schemes, cite.setting("schemes")), WellFormed())
    if params.numeric_hosts != "refuse":
        return rules
    hosts = frozenset(split(home).host for home in homes)
    return (*rules, NumericHosts(hosts, cite.setting("numeric_hosts")))


def _ids(params: RuleParams, cite: Citations) -> tuple[SessionIds | EntryIds | ListingSort, ...]:
    ids = (
        EntryIds(params.entry_parameters, cite.setting("entry_parameters")),
        ListingSort(),
    )
    if not params.session_parameters:
        return ids
    return (SessionIds(params.session_parameters, cite.setting("session_parameters")), *ids)


def _domino(params: RuleParams, cite: Citations) -> tuple[Domino, ...]:
    return (Domino(cite.setting("domino")),) if params.domino else ()


def _query_stage(params: CrawlParams, cite: Citations) -> Stage:
    concerns = has_parameters_but_no_point if params.image_maps == "sample" else has_parameters
    mode = cite.setting("query")
    if params.query == "strip":
        return Stage((StripQueries(mode),), concerns=concerns)
    if params.query == "filter":
        names = frozenset(params.query_keep)
        setting = f"{mode}, {cite.setting('query_keep')}"
        return Stage((FilterQueries(names, setting),), concerns=concerns)
    if params.query == "ignore":
        return Stage(rules=(IgnoreQueries(mode),), concerns=concerns)
    if params.query == "policy":
        policies = tuple(read_combination(entry) for entry in params.url_query_parameters)
        setting = f"{mode}, {cite.setting('url_query_parameters')}"
        return Stage(rules=(QueryPolicies(policies, setting),), concerns=concerns)
    return Stage()


def _texts(params: CrawlParams, cite: Citations) -> tuple[UrlRule, ...]:
    ignored = _ignored(params, cite)
    return (
        Length(params.max_url_length, cite.setting("max_url_length")),
        Extensions(ignored, f"{len(ignored)} ignored extensions"),
    )


def _ignored(params: CrawlParams, cite: Citations) -> dict[str, str]:
    lists = ["ignore_extensions", "always_ignored_extensions"]
    if params.ignore_extensions is None:
        lists[:1] = ["default_ignored_extensions", "extra_ignored_extensions"]
    found = {name: words for option in lists for name, words in cite.entries(option)}
    if params.mode == "sitemap":  # what a sitemap lists may be XML, whatever links must not be
        found.pop("xml", None)
    return found


def _patterns(params: RuleParams, cite: Citations) -> tuple[UrlRule, ...]:
    allow = tuple(map(_pattern, params.allow))
    deny = tuple((_pattern(entry), words) for entry, words in cite.entries("deny"))
    policies = tuple((read_policy(e), words) for e, words in cite.entries("do_not_crawl"))
    sites = tuple((*read_site(e), words) for e, words in cite.entries("forbidden_sites"))
    wanted = tuple(map(normal_text, params.contains))
    unwanted = tuple((normal_text(entry), words) for entry, words in cite.entries("not_contains"))
    rules: list[tuple[object, UrlRule]] = [
        (wanted, Contains(wanted, cite.setting("contains"))),
        (unwanted, NotContains(unwanted, cite.setting("not_contains"))),
        (deny, Deny(deny, cite.setting("deny"))),
        (allow, Allow(allow, cite.setting("allow"))),
        (sites, ForbiddenSites(sites, cite.setting("forbidden_sites"))),
        (policies, DoNotCrawl(policies, cite.setting("do_not_crawl"))),
    ]
    return tuple(rule for entries, rule in rules if entries)


def _pattern(entry: str) -> re.Pattern[str]:
    return re.compile(normal_pattern(entry))


def _paths(params: RuleParams, cite: Citations) -> tuple[UrlRule, ...]:
    repeats = RepeatedDirectories(
        params.max_repeated_directory, cite.setting("max_repeated_directory")
    )
    depth = PathDepth(params.max_path_depth, cite.setting("max_path_depth"))
    return tuple(rule for rule in (repeats, depth) if rule.limit)


def _refused_rel(params: RuleParams) -> frozenset[str]:
    return frozenset({"nofollow", "noindex"}) if params.obey_nofollow else frozenset()


def _media_types(params: CrawlParams, cite: Citations) -> MediaTypes:
    changes = dict(read_mime_extensions(entry) for entry in params.mime_extensions)
    return MediaTypes(
        wanted=frozenset(media_type.lower() for media_type in params.content_types)
        | (XML_TYPES if params.mode == "sitemap" else frozenset()),
        ignored_extensions=frozenset(_ignored(params, cite)),
        extensions={**MIME_EXTENSIONS, **changes},
        sniff=params.missing_content_type == "sniff",
        wanted_setting=cite.setting("content_types"),
        ignored_setting="an ignored extension",
        missing_setting=cite.setting("missing_content_type"),
    )


def build_limits(params: RuleParams, sources: Mapping[str, str]) -> Limits:
    """The limits with a memory, empty as they are at the start of a run."""
    cite = Citations(params, sources)
    barren, patience = cite.setting("max_barren_pages"), params.max_barren_pages
    return Limits(
        series=Series(patience, barren),
        copies=Copies(),
        growth=Growth(params.max_growing_path, cite.setting("max_growing_path")),
        variants=Variants(params.max_variants, patience, cite.setting("max_variants"), barren),
        tokens=Tokens(),
        directories=DirectoryCounts(
            params.max_pages_per_directory, cite.setting("max_pages_per_directory")
        ),
        links_per_page=params.max_links_per_page,
        links_setting=cite.setting("max_links_per_page"),
    )


def start_fingerprints(rules: Rules, params: CrawlParams) -> frozenset[int]:
    """The fingerprints of the starts that the configuration names."""
    starts = (rules.admit(normalize(start) or start, via="seed") for start in params.start)
    return frozenset(start.fingerprint for start in starts)


def widen_scope(rules: Rules, params: CrawlParams, records: Records) -> None:
    """Bring the origins into scope that starts were sent to when they last answered."""
    starts = [rules.admit(normalize(start) or start, via="seed").url for start in params.start]
    for url, target in records.sent(starts, realm=params.realm, key=rules.key):
        rules.admit_redirect(url, target)
