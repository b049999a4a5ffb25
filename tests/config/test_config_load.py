"""Precedence of sources, and the source that each option remembers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from sitecrawl.config.configuration import OPTIONS, ConfigError, load, load_again
from sitecrawl.config.layers import profile_names
from sitecrawl.config.option import Effect, effect_of
from sitecrawl.config.options.crawl_options import (
    FOLLOWING,
    NAMING,
    READING,
    SECRET,
    SHAPING,
    CrawlParams,
)
from sitecrawl.config.options.fetching import (
    read_credentials,
    read_headers,
    read_origin_headers,
    read_secrets,
)

START = "https://example.org/"


def site(folder: Path, text: str) -> str:
    path = folder / "site.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.behaviour("A-12")
def test_only_start_is_required():
    found = load({"start": START})
    assert found.params.start == (START,)
    assert set(found.sources) == set(CrawlParams.model_fields)
    assert {name for name, source in found.sources.items() if source != "default"} == {"start"}


def test_defaults_give_way_to_profile_to_file_to_arguments(tmp_path: Path):
    path = site(tmp_path, "patience = 7\nmax_redirects = 8\n")
    found = load({"start": START, "profile": "fdse", "config": path, "max_redirects": "9"})
    assert (found.params.max_redirects, found.sources["max_redirects"]) == (9, "-a max_redirects")
    assert (found.params.patience, found.sources["patience"]) == (7, path)
    assert found.sources["politeness"] == "default"


def test_file_wins_over_profile_and_profile_over_default(tmp_path: Path):
    plain = load({"start": START}).params.max_url_length
    profile = load({"start": START, "profile": "fdse"})
    path = site(tmp_path, f"start = '{START}'\nprofile = 'fdse'\nmax_url_length = 99\n")
    both = load({"config": path})
    assert profile.params.max_url_length == 128 != plain
    assert profile.sources["max_url_length"] == "profile fdse"
    assert (both.params.max_url_length, both.sources["max_url_length"]) == (99, path)


def test_argument_names_another_profile_than_the_file(tmp_path: Path):
    path = site(tmp_path, f"start = '{START}'\nprofile = 'fdse'\n")
    found = load({"config": path, "profile": "roboto"})
    assert found.params.profile == "roboto"
    assert "profile fdse" not in found.sources.values()


def test_arguments_of_the_machinery_are_ignored():
    found = load({"start": START, "_job": "6487ec79947edab326d6db28a2d86511", "_version": "1"})
    assert found == load({"start": START})


def test_starts_are_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    lines = "# ours\nhttps://a.example/\n\n  # theirs\n  https://b.example/x,y\n"
    Path("urls.txt").write_text(lines)
    found = load({"start": "https://c.example/,@urls.txt"})
    assert found.params.start == (
        "https://c.example/",
        "https://a.example/",
        "https://b.example/x,y",
    )


def test_starts_file_of_a_config_file_is_beside_it(tmp_path: Path):
    (tmp_path / "urls.txt").write_text("https://a.example/")
    path = site(tmp_path, "start = ['@urls.txt', 'https://b.example/']")
    assert load({"config": path}).params.start == ("https://a.example/", "https://b.example/")


@pytest.mark.behaviour("U-20")
def test_credentials_in_a_start_are_neither_kept_nor_shown():
    found = load({"start": "https://me:secret@a.example/x"})
    assert found.params.start == ("https://a.example/x",)
    with pytest.raises(ConfigError) as caught:
        load({"start": "https://me:secret@a.example:port/"})
    assert "secret" not in str(caught.value)


def test_files_may_be_as_windows_writes_them(tmp_path: Path):
    (tmp_path / "urls.txt").write_bytes("\ufeffhttps://a.example/\r\n".encode())
    (tmp_path / "site.toml").write_bytes("\ufeffstart = '@urls.txt'\r\ndelay = 5\r\n".encode())
    found = load({"config": str(tmp_path / "site.toml")}).params
    assert (found.start, found.delay) == (("https://a.example/",), 5.0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"start": "https://www.example.org/a"}, "www.example.org"),
        ({"start": "http://127.0.0.1:8080/"}, "127.0.0.1-8080"),
        ({"start": "https://u:p@example.org/"}, "example.org"),
        ({"start": "https://B\u00fccher.example:443/"}, "xn--bcher-kva.example"),
        ({"start": "http://[::1]:8080/"}, "1--8080"),
        ({"start": "file:///x"}, "crawl"),
        ({"start": START, "crawl_name": "our.docs_2"}, "our.docs_2"),
    ],
)
def test_crawl_has_a_name(arguments: dict[str, str], name: str):
    assert load(arguments).params.database_name == name


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_needs_only_a_start(name: str):
    found = load({"start": START, "profile": name})
    assert f"profile {name}" in found.sources.values()


def test_fingerprint_is_of_what_shapes_the_documents(tmp_path: Path):
    plain = load({"start": START}).fingerprint
    path = site(tmp_path, f"start = ['{START}']\ndelay = 5\n")
    assert load({"config": path, "effort": "3", "max_pages": "3"}).fingerprint == plain
    assert load({"config": path, "deny": "/private/"}).fingerprint != plain
    assert load({"start": START, "obey_robots": "no"}).fingerprint != plain


def test_every_option_declares_its_effect():
    undeclared = [n for n, each in CrawlParams.model_fields.items() if not effect_of(each)]
    assert not undeclared, "declare them with sitecrawl.config.option.option(effect=…)"


def test_options_of_headers_and_credentials_are_secret():
    assert {
        *("auth", "database", "headers", "login_fields"),
        *("origin_headers", "proxies"),
    } == SECRET
    read = {read_headers, read_origin_headers, read_credentials, read_secrets}
    for name, each in CrawlParams.model_fields.items():
        if any(getattr(part, "func", None) in read for part in each.metadata):
            assert name in SECRET, "declare it with option(secret=True)"


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        ("delay", Effect.RUN),
        ("realm", Effect.SELECTION),
        ("content_types", Effect.SELECTION | Effect.FOLLOWING),
        ("deny", Effect.FOLLOWING),
        ("title_order", Effect.READING),
        ("render", Effect.READING),
        ("preset", Effect.NAMING),
        ("rogue", Effect.FOLLOWING | Effect.READING),
    ],
)
def test_what_follows_from_an_effect(name: str, effects: Effect):
    assert effect_of(CrawlParams.model_fields[name]) == effects
    assert (name in SHAPING) is (effects != Effect.RUN)
    assert (name in READING) is bool(effects & Effect.READING)
    assert (name in FOLLOWING) is bool(effects & Effect.FOLLOWING)
    assert (name in NAMING) is bool(effects & Effect.NAMING)


def test_none_unsets_an_option_that_may_have_no_value(tmp_path: Path):
    path = site(tmp_path, f"start = '{START}'\nmax_depth = 3\nignore_extensions = []\n")
    assert load({"config": path}).params.max_depth == 3
    assert load({"config": path}).params.ignore_extensions == ()
    assert load({"config": path, "max_depth": "none"}).params.max_depth is None
    assert load({"config": path, "ignore_extensions": "None"}).params.ignore_extensions is None


def test_what_a_run_stores_can_be_read_again():
    given = {
        "start": START,
        "delay": "0.01ms",
        "recrawl": "1000y",
        "max_depth": "none",
        "ignore_extensions": ".PDF;doc",
        "deny": "/a /b",
        "url_rewrite": "/x=>/y",
        "fields": "price:.price",
        "auth": f"{START}=me:secret",
        "headers": "X-Key: secret",
        "origin_headers": "https://b.test X-Key: secret",
        "profile": "fdse",
    }
    stored = json.dumps(load(given).stored())
    assert "secret" not in stored
    again = load_again(json.loads(stored), {})
    assert again.params == load({**given, "auth": "", "headers": "", "origin_headers": ""}).params


@pytest.mark.parametrize(
    ("option", "implied", "value", "source"),
    [
        ("entire_site", "scope", "host", "-a scope"),
        ("entire_site", "mode", "page", "profile fdse"),
        ("rogue", "obey_robots", True, "default"),
    ],
)
def test_what_another_option_stands_for_counts_again_without_it(
    option: str, implied: str, value: object, source: str, tmp_path: Path
):
    path = site(tmp_path, f"{option} = true\n")
    given = load({"start": START, "config": path, "profile": "fdse", "scope": "host"})
    assert given.sources[implied] == f"{option} of {path}"
    stored = json.loads(json.dumps(given.stored()))
    for _ in range(2):
        again = load_again(stored, {})
        assert (again.params, again.sources[implied]) == (given.params, given.sources[implied])
        stored = json.loads(json.dumps(again.stored()))
    without = load_again(stored, {option: "no"})
    assert (getattr(without.params, implied), without.sources[implied]) == (value, source)


def test_no_option_is_declared_twice():
    parts = [part for part in CrawlParams.__bases__ if issubclass(part, BaseModel)]
    names = [name for part in parts for name in part.model_fields]
    assert len(names) == len(set(names)) == len(CrawlParams.model_fields)


def test_options_have_no_names_that_scrapyd_keeps_for_itself():
    """Fields of schedule.json, and names under which Scrapyd 1.6 passes them on."""
    fields = {"project", "spider", "_version", "jobid", "priority", "setting"}
    passed_on = {"spider_name", "name", "settings", "_job", "_project", "_spider"}
    assert not OPTIONS.keys() & (fields | passed_on)


def test_a_file_that_is_nested_too_deeply_is_one_line(tmp_path: Path):
    (tmp_path / "site.toml").write_text(f"start = {'[' * 3000}{']' * 3000}")
    with pytest.raises(ConfigError) as caught:
        load({"config": str(tmp_path / "site.toml")})
    (line,) = caught.value.problems
    assert line.endswith("site.toml: is nested too deeply; options have one level.")


def test_a_value_that_is_nested_too_deeply_is_one_short_line():
    nested = '{"a":' * 3000 + "1" + "}" * 3000
    with pytest.raises(ConfigError) as caught:
        load({"start": "https://a.example/", "metadata": nested})
    (line,) = caught.value.problems
    assert line.endswith("is nested too deeply; a table has one level.")
    assert len(line) < 500


def test_words_with_a_plus_add_to_the_list_below(tmp_path: Path) -> None:
    path = site(tmp_path, f"start = '{START}'\nremove_classes = ['+ads']\n")
    assert load({"config": path}).params.remove_classes == ("noindex", "ads")
    both = load({"config": path, "remove_classes": "+promo, +ads"}).params
    assert both.remove_classes == ("noindex", "ads", "promo")
    assert load({"config": path, "remove_classes": "+promo ads"}).params.remove_classes == (
        *("+promo", "ads"),
    )
