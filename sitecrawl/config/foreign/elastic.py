"""The YAML of Elastic's Open Crawler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import yaml

from sitecrawl.config.foreign.draft import (
    Draft,
    ForeignConfigError,
    OrderedRule,
    allow_and_deny,
    flat,
    texts,
)

SAME = {
    "max_unique_url_count": "max_pages",
    "max_title_size": "title_length",
    "max_redirects": "max_redirects",
    "max_response_size": "max_body_size",
    "connect_timeout": "timeout",
    "socket_timeout": "timeout",
    "request_timeout": "max_time",
    "user_agent": "user_agent",
    "loopback_allowed": "allow_private",
    "private_networks_allowed": "allow_private",
}
"""Settings that an option takes as they are."""
OTHERWISE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "max_crawl_depth": ("max_depth", lambda value: max(int(value) - 1, 0)),  # starts have 1
    "ssl_verification_mode": ("unverified_origins", lambda value: ["*"] if value == "none" else []),
    "binary_content_extraction_mime_types": (
        "content_types",
        lambda value: ["pages", *texts(value)],
    ),
}
"""Settings that an option takes in another form."""
ANSWERED = {
    "output_sink": "name the output: -O documents.jsonl, or a target of sitecrawl sync",
    "output_dir": "name the output: -O documents.jsonl",
    "purge_crawl_enabled": "deletions are always told",
    "schedule": "start sitecrawl by cron, systemd or Kubernetes (docs/operations.md)",
    "max_duration": "-s CLOSESPIDER_TIMEOUT=SECONDS",
    "http_proxy_host": "give the proxy with -a proxies=",
    "log_level": "-L INFO",
}
"""Settings whose counterpart is no option, with that counterpart."""
OF_A_DOMAIN = ("url", "seed_urls", "sitemap_urls", "crawl_rules", "extraction_rulesets")


def read_elastic(text: str) -> Draft:
    """Read a configuration; raises ForeignConfigError."""
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ForeignConfigError(f"is not YAML: {error}".splitlines()[0]) from error
    if not isinstance(values, dict) or not isinstance(values.get("domains"), list):
        raise ForeignConfigError("has no list of domains, as one of Elastic's Open Crawler has")
    draft = Draft("Elastic's Open Crawler", {"start": []})
    rules: list[OrderedRule] = []
    for domain in values.pop("domains"):
        rules += _domain(domain, draft)
    allow, deny, unreadable = allow_and_deny(rules, default=True)
    draft.options |= {n: v for n, v in (("allow", allow), ("deny", deny)) if v}
    draft.left_out += [f"crawl_rules: the pattern {each}" for each in unreadable]
    _settings(values, draft)
    draft.options["preset"] = "elastic"
    return draft


def _domain(domain: Mapping[str, Any], draft: Draft) -> Iterator[OrderedRule]:
    base = str(domain.get("url", "")).rstrip("/")
    starts = texts(domain.get("seed_urls")) or [f"{base}/"]
    draft.options["start"] += [base + each if each.startswith("/") else each for each in starts]
    if domain.get("sitemap_urls"):
        listed = " ".join(texts(domain["sitemap_urls"]))
        draft.hints.append(f"Sitemaps are found in robots.txt; else -a mode=sitemap: {listed}")
    for ruleset in domain.get("extraction_rulesets") or ():
        _fields(ruleset, draft)
    for name in domain:
        if name == "exclude_tags":
            draft.options.setdefault("remove_elements", []).extend(texts(domain[name]))
        elif name == "auth":
            _auth(base, domain[name], draft)
        elif name not in OF_A_DOMAIN:
            draft.left_out.append(f"domains: {name}")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(base))
    for rule in domain.get("crawl_rules") or ():
        pattern = _pattern(str(rule["type"]), str(rule["pattern"]))
        yield OrderedRule(rule["policy"] == "allow", f"^{re.escape(origin)}{pattern}")


def _pattern(kind: str, pattern: str) -> str:
    """Return the regular expression of a rule, from the path on."""
    literal = ".*".join(map(re.escape, pattern.split("*")))
    match kind:
        case "begins":
            return literal
        case "ends":
            return rf"[^?]*{literal}(?:\?|$)"
        case "contains":
            return f"[^?]*{literal}"
        case _:
            return f"(?:{pattern})"


def _fields(ruleset: Mapping[str, Any], draft: Draft) -> None:
    if ruleset.get("url_filters"):
        draft.hints.append("Fields are read on every page: url_filters have no counterpart.")
    for rule in ruleset.get("rules") or ():
        if rule.get("action") == "extract" and rule.get("source", "html") == "html":
            draft.options.setdefault("fields", {})[rule["field_name"]] = rule["selector"]
        else:
            draft.left_out.append(f"extraction_rulesets: {rule.get('field_name')} (a pipeline)")


def _auth(origin: str, auth: Mapping[str, Any], draft: Draft) -> None:
    if auth.get("type") == "basic":
        both = f"{auth.get('username')}:{auth.get('password')}"
        draft.options.setdefault("auth", {})[origin] = both
    else:
        draft.options.setdefault("origin_headers", {})[origin] = {
            "Authorization": auth.get("header")
        }


def _settings(values: Mapping[str, Any], draft: Draft) -> None:
    settings = dict(flat(values))
    wants_files = settings.pop("binary_content_extraction_enabled", False)
    if not wants_files:
        settings.pop("binary_content_extraction_mime_types", None)
    host, index = settings.pop("elasticsearch.host", ""), settings.pop("output_index", "")
    if index:
        port = settings.pop("elasticsearch.port", 9200)
        where = f"{urlsplit(host).hostname or 'localhost'}:{port}"
        draft.hints.append(f"Then: sitecrawl sync opensearch://{where}/{index}")
    draft.take(settings, SAME, OTHERWISE, ANSWERED)
