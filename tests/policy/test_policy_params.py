"""Bad options say which entry is wrong and why; contradictions are found before a request."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.configuration import Configuration, with_own_extensions
from sitecrawl.config.options.crawl_options import CrawlParams

START = "http://example.org/"
REMEDY = "change that option, or leave the start out"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("deny", "ok (", "'(' is not a regular expression"),
        ("allow", "[", "'[' is not a regular expression"),
        ("query", "guess", "Input should be 'learn'"),
        ("effort", "inf", "less than or equal to 1000000"),
        ("scope", "world", "Input should be 'origin'"),
        (
            "do_not_crawl",
            "private",
            "'private' is neither a host, nor a path from the root, nor a URL",
        ),
        ("url_query_parameters", "id", "'id' names no parameters behind a question mark"),
        ("url_query_parameters", "shop?id", "'shop?id' begins with neither a path"),
        ("url_rewrite", "/a/", "'/a/' is not of the form PATTERN=>REPLACEMENT"),
        ("url_rewrite", "(=>x", "'(=>x' is not a rewrite"),
        ("url_rewrite", r"a=>\1", "is not a rewrite: invalid group reference"),
        ("mime_extensions", "mp4", "'mp4' is not of the form TYPE/SUBTYPE:EXTENSION"),
        ("max_url_length", "0", "greater than or equal to 1"),
        ("max_depth", "-1", "greater than or equal to 0"),
        ("schemes", "", "at least 1 item"),
    ],
)
def test_what_is_wrong(option: str, value: str, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        CrawlParams.model_validate({"start": START, option: value})
    (error,) = caught.value.errors()
    assert error["loc"][0] == option
    assert words in error["msg"]


def test_a_start_that_its_own_rules_refuse() -> None:
    params = CrawlParams(
        start=[START, "ftp://example.org/", "http://other.net/"], deny=("example",)
    )
    with pytest.raises(ConfigError) as caught:
        build_rules(params, {"start": "site.toml", "deny": "-a deny"})
    assert caught.value.problems == [
        f"site.toml: 'http://example.org/' is refused by deny 'example' (-a deny); {REMEDY}.",
        (
            "site.toml: 'ftp://example.org/' is refused by schemes 'http https' (default): 'ftp'; "
            f"{REMEDY}."
        ),
    ]


def test_a_start_outside_the_only_domains_is_refused() -> None:
    params = CrawlParams(start=[START], scope="any", allowed_domains=["example.net"])
    with pytest.raises(ConfigError) as caught:
        build_rules(params, {})
    assert caught.value.problems == [
        (
            f"-a start: {START!r} is refused by allowed_domains 'example.net' (default): "
            f"http://example.org; {REMEDY}."
        )
    ]
    build_rules(params.model_copy(update={"mode": "feed"}), {})  # a feed may lie anywhere


def test_a_start_that_is_rewritten_is_in_its_scope() -> None:
    params = CrawlParams(start=[START], url_rewrite=["^http:=>https:"])
    rules = build_rules(params, {})
    assert rules.admit("http://example.org/page").decision.allowed


@pytest.mark.behaviour("LR-10")
def test_the_list_that_a_crawl_keeps_as_its_own() -> None:
    begun = CrawlParams(
        start=[START],
        keep_extensions=True,
        default_ignored_extensions=("gif", "js", "z"),
    )
    first = with_own_extensions(Configuration(begun, {}), None)
    assert first.params.ignore_extensions == ("gif", "js", "z")
    other_defaults = begun.model_copy(update={"default_ignored_extensions": ("html",)})
    later = with_own_extensions(Configuration(other_defaults, {}), first.stored())
    assert later.params.ignore_extensions == ("gif", "js", "z")
    edited = Configuration(begun.model_copy(update={"ignore_extensions": ("png",)}), {})
    assert with_own_extensions(edited, first.stored()) is edited
    emptied = Configuration(begun.model_copy(update={"ignore_extensions": ()}), {})
    assert with_own_extensions(first, emptied.stored()) is first
    after = with_own_extensions(Configuration(begun, {}), emptied.stored())
    assert after.params.ignore_extensions == ()
    loose = Configuration(begun.model_copy(update={"keep_extensions": False}), {})
    assert with_own_extensions(loose, first.stored()) is loose
