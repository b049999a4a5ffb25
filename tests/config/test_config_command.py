"""`scrapy crawl` refuses wrong arguments before it starts, and ends with the crawl's status."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.server import Answer, Server

Scrapy = Callable[..., subprocess.CompletedProcess[str]]


def test_wrong_arguments_end_with_one_line_each_and_no_request(scrapy: Scrapy, server: Server):
    origin = server.serve({"*": "<p>hello"})
    ended = scrapy("crawl", "asking", "-a", f"start={origin}/", "-a", "moed=x", "-a", "max_pages=x")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "-a moed: there is no such option. Did you mean 'mode'?",
        "-a max_pages='x': should be a whole number.",
    ]
    assert ended.stdout == ""
    assert server.log.targets() == []


@pytest.mark.behaviour("A-01")
def test_missing_start_is_an_error(scrapy: Scrapy):
    ended = scrapy("crawl", "subclassed")
    assert ended.returncode == 2
    assert ended.stderr.startswith("start is missing: ")
    assert len(ended.stderr.splitlines()) == 1


def test_argument_given_twice_is_not_silently_lost(scrapy: Scrapy):
    ended = scrapy("crawl", "asking", "-a", "start=http://a.test", "-a", "start=http://b.test")
    assert ended.returncode == 2
    assert ended.stderr == "-a start: given 2 times; put all its values into one.\n"


def test_unknown_spider_is_named_without_traceback(scrapy: Scrapy):
    ended = scrapy("crawl", "askin")
    assert ended.returncode == 2
    assert ended.stderr == (
        "there is no spider 'askin'; known: asking, broken, plain, subclassed. "
        "Did you mean 'asking'?\n"
    )


def test_a_setting_of_ours_that_does_not_exist_is_no_setting(scrapy: Scrapy):
    ended = scrapy("crawl", "subclassed", "-s", "SITECRAWL_DATABSE=sqlite:///elsewhere.db")
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[0] == (
        "-s SITECRAWL_DATABSE: there is no such setting. Did you mean 'SITECRAWL_DATABASE'?"
    )


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("SITECRAWL_STATISTICS_PAGES=x", "should be a whole number."),
        ("SITECRAWL_STATISTICS_SECONDS=-1", "should be at least 0."),
        ("CONCURRENT_REQUESTS=x", "should be a whole number."),
        ("CONCURRENT_REQUESTS=0", "should be at least 1."),
        ("CLOSESPIDER_TIMEOUT=x", "should be a number."),
        ("DOWNLOAD_TIMEOUT=nan", "should be a number."),
        ("COOKIES_ENABLED=perhaps", "should be 0 or 1."),
        ("STATS_DUMP=TRUE", "should be 0 or 1."),
        ("LOG_LEVEL=loud", "should be one of CRITICAL, ERROR, WARNING, INFO, DEBUG."),
        ("LOG_ENCODING=utf-88", "is not an encoding; the usual one is utf-8."),
    ],
)
def test_a_setting_of_no_use_is_one_line(scrapy: Scrapy, setting: str, told: str):
    ended = scrapy("crawl", "asking", "-a", "start=http://a.test", "-s", setting)
    assert (ended.returncode, ended.stderr) == (2, f"-s {setting}: {told}\n")


def test_a_log_that_cannot_be_written_as_asked_says_so_itself(scrapy: Scrapy, tmp_path: Path):
    settings = ("-s", "LOG_FILE=job.log", "-s", "LOG_LEVEL=loud")
    ended = scrapy("crawl", "asking", "-a", "start=http://a.test", *settings)
    assert ended.returncode == 2
    assert "LOG_LEVEL=loud: should be one of" in (tmp_path / "job.log").read_text()


def test_settings_that_are_numbers_pass(scrapy: Scrapy):
    numbers = ("CLOSESPIDER_TIMEOUT=0.5", "CONCURRENT_REQUESTS=4", "LOG_LEVEL=WARNING")
    given = [part for number in numbers for part in ("-s", number)]
    assert scrapy("crawl", "plain", *given).returncode == 0


def test_a_database_of_another_program_is_a_wrong_setting(scrapy: Scrapy):
    ended = scrapy(
        "crawl",
        "subclassed",
        "-a",
        "start=http://a.test",
        "-s",
        "SITECRAWL_DATABASE=mysql://me:secret@host/crawl",
    )
    assert ended.returncode == 2
    assert ended.stderr == (
        "SITECRAWL_DATABASE: 'mysql://me:***@host/crawl' is not a crawl database; "
        "give sqlite:///FILE or postgresql://...\n"
    )


def test_problems_also_reach_the_log_file(scrapy: Scrapy, tmp_path: Path):
    ended = scrapy("crawl", "asking", "-s", "LOG_FILE=job.log", "-a", "_job=1")
    assert ended.returncode == 2
    assert "ERROR: start is missing: " in (tmp_path / "job.log").read_text()


def test_a_log_file_that_cannot_be_written_is_one_line(scrapy: Scrapy):
    ended = scrapy("crawl", "asking", "-a", "start=http://a.test", "-s", "LOG_FILE=no/such/log")
    assert ended.returncode == 2
    assert ended.stderr == "LOG_FILE: no/such/log cannot be written: No such file or directory.\n"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer("<p>fine"), 0),
        (Answer("<p>nothing", headers={"Exit-Status": "1"}), 1),
        (Answer("<p>no database", headers={"Exit-Status": "3"}), 3),
    ],
)
def test_status_is_the_one_that_the_crawl_set(
    scrapy: Scrapy, server: Server, answer: Answer, status: int
):
    origin = server.serve({"/": answer})
    ended = scrapy("crawl", "asking", "-a", f"start={origin}/", "-a", "_job=1")
    assert (ended.returncode, server.log.targets()) == (status, ["/"])


def test_other_spiders_run_as_ever(scrapy: Scrapy):
    assert scrapy("crawl", "plain", "-a", "anything=goes").returncode == 0


def test_spider_that_cannot_begin_ends_with_1(scrapy: Scrapy):
    ended = scrapy("crawl", "broken")
    assert ended.returncode == 1
    assert "cannot begin" in ended.stderr


def test_missing_spider_name_prints_the_usage(scrapy: Scrapy):
    ended = scrapy("crawl")
    assert ended.returncode == 2
    assert "scrapy crawl [options] URL ... | SPIDER" in ended.stdout


def test_help_says_how_to_begin_and_what_the_statuses_mean(scrapy: Scrapy):
    said = " ".join(scrapy("crawl", "-h").stdout.split())
    assert "scrapy crawl https://example.org -O documents.jsonl" in said
    assert "2 the configuration is wrong, nothing was requested" in said
