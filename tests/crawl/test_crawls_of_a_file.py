"""Several crawls in one TOML file: one of them, all of them, and an overview of all."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from fixtures.command import Command
from fixtures.crawls import CrawlCommand, read
from fixtures.server import Answer, Server, page


def site(server: Server, word: str, pages: int = 2, address: str = "127.0.0.1") -> str:
    """Serve a site of some pages; return its origin."""
    paths = [f"/{word}{number}" for number in range(1, pages)]
    texts = {path: page(text=f"This is page {path} of {word}.") for path in paths}
    return server.serve({"/": page(*paths, text=f"Start of {word}."), **texts}, address=address)


def write(folder: Path, head: str = "delay = 0", **tables: str) -> None:
    """Write sites.toml, with a table for each name."""
    crawls = (f'[[crawl]]\nname = "{name}"\n{rows}\n' for name, rows in tables.items())
    (folder / "sites.toml").write_text(f"{head}\n{''.join(crawls)}", encoding="utf-8")


def start(origin: str) -> str:
    return f'start = ["{origin}/"]'


@pytest.mark.behaviour("W-10")
def test_one_crawl_of_a_file(server: Server, crawl: CrawlCommand) -> None:
    one, two = site(server, "a"), site(server, "b", 4)
    write(crawl.directory, a=start(one), b=f"{start(two)}\nmax_pages = 2")
    ended = crawl.begin(config="sites.toml", crawl="b").finish()
    assert ended.status == 0, ended.log
    assert len(ended.documents) == 2  # the table's own option
    assert all(url.startswith(two) for url in ended.documents)
    assert (crawl.directory / ".sitecrawl" / "b.db").exists()
    assert crawl.rows("SELECT realm FROM run") == [("b",)]
    status, printed = crawl.command(
        "explain", f"{two}/b1", "-a", "config=sites.toml", "-a", "crawl=b"
    )
    assert status == 0, printed


@pytest.mark.behaviour("W-10")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "sites.toml: the file has 2 crawls (docs, blog); say which one with -a crawl=NAME"),
        ({"crawl": "dosc"}, "-a crawl='dosc': sites.toml has no such crawl. Known: docs, blog."),
    ],
)
def test_crawl_must_be_named(
    server: Server, crawl: CrawlCommand, given: dict[str, str], told: str
) -> None:
    origin = site(server, "a")
    write(crawl.directory, docs=start(origin), blog=start(origin))
    ended = crawl.begin(config="sites.toml", **given).finish()
    assert ended.status == 2
    assert ended.log.startswith(told)
    assert len(ended.log.splitlines()) == 1
    assert server.log.targets() == []


@pytest.mark.slow
@pytest.mark.behaviour("W-11")
def test_all_crawls_of_a_file(server: Server, crawl: CrawlCommand) -> None:
    one, two = site(server, "a"), site(server, "b", 3, "127.0.0.2")
    gone = server.serve({})
    write(crawl.directory, a=start(one), gone=start(gone), b=start(two))
    status, printed = crawl.command("crawls", "sites.toml", "-O", "NAME.jsonl", "--jobs", "2")
    assert status == 1, printed  # the worst
    assert len(read(crawl.directory / "a.jsonl")) == 2
    assert len(read(crawl.directory / "b.jsonl")) == 3
    lines = printed.splitlines()
    assert all(line.startswith(("[a] ", "[b] ", "[gone] ")) for line in lines[:-2])
    ended = printed.index("[a] ended with status 0")
    assert printed.index("[b] begins") < ended < printed.index("[gone] begins")  # on a's host
    dead = f"start {gone}/ produced nothing: the server has no such page (status 404)"
    assert lines[-3].startswith(f"[gone] {dead}: check the address")
    assert lines[-2:] == ["Status 1: gone", "3 crawls: 2 with status 0."]

    status, printed = crawl.command("frontier", "--config", "sites.toml", "--json")
    rows = {row["crawl"]: row for row in map(json.loads, printed.splitlines())}
    assert list(rows) == ["a", "gone", "b"]
    assert (rows["b"]["documents"], rows["b"]["waiting"]) == (3, 0)
    assert rows["b"]["finish_reason"] == "finished"
    status, printed = crawl.command("frontier", "--config", "sites.toml")
    assert status == 0, printed
    assert [line.split()[0] for line in printed.splitlines()] == ["a", "gone", "start", "b"]
    assert printed.splitlines()[1].endswith("(finished), status 1")
    assert printed.splitlines()[2].startswith(f"  {dead}: ")
    assert "3 documents" in printed.splitlines()[3]


@pytest.mark.slow
@pytest.mark.behaviour("MON-08")
def test_each_crawl_needs_metrics_of_its_own_and_nobody_is_told_that_all_is_well(
    server: Server, crawl: CrawlCommand
) -> None:
    write(crawl.directory, a=start(site(server, "a")))
    status, printed = crawl.command("crawls", "sites.toml", "-s", "SITECRAWL_METRICS=one.prom")
    assert status == 2
    assert "-s SITECRAWL_METRICS one.prom: each crawl needs a file of its own" in printed
    assert crawl.command("crawls", "sites.toml", "--notify", "cat > notice.json")[0] == 0
    assert not (crawl.directory / "notice.json").exists()


@pytest.mark.slow
@pytest.mark.behaviour("W-10")
def test_crawls_share_a_database_as_realms(server: Server, crawl: CrawlCommand) -> None:
    write(
        crawl.directory,
        'delay = 0\ndatabase = "sqlite:///.sitecrawl/all.db"',
        a=start(site(server, "a")),
        b=start(site(server, "b", 3)),
    )
    status, printed = crawl.command("frontier", "--config", "sites.toml")
    assert (status, printed.count("not crawled yet")) == (0, 2), printed
    status, printed = crawl.command("crawls", "sites.toml")
    assert status == 0, printed
    assert crawl.rows("SELECT realm FROM run ORDER BY id") == [("a",), ("b",)]
    status, printed = crawl.command("frontier", "--config", "sites.toml", "--json")
    assert [json.loads(row)["documents"] for row in printed.splitlines()] == [2, 3]


@pytest.mark.behaviour("W-11")
def test_every_table_is_checked_before_anything_is_requested(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = site(server, "a")
    write(
        crawl.directory,
        good=start(origin),
        wrong=f'{start(origin)}\nmax_pages = -1\ndeny = ["("]',
        misspelt=f"{start(origin)}\ndelya = 1",
        missing="delay = 1",
    )
    status, printed = crawl.command("crawls", "sites.toml", "-O", "out.jsonl")
    assert status == 2
    lines = printed.splitlines()
    assert lines[0] == "-O out.jsonl: each crawl needs a file of its own; put NAME into it."
    assert lines[1].startswith("sites.toml, [[crawl]] wrong: ")
    assert lines[2].startswith("sites.toml, [[crawl]] wrong: ")
    assert lines[3] == (
        "sites.toml, [[crawl]] misspelt: delya: there is no such option. Did you mean 'delay'?"
    )
    assert lines[4].startswith("sites.toml, [[crawl]] missing: start is missing")
    assert len(lines) == 5
    assert server.log.targets() == []


@pytest.mark.behaviour("W-11")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[crawl]]\n", "sites.toml, [[crawl]] 1: name is missing"),
        ('[[crawl]]\nname = "a/b"\n', "sites.toml, [[crawl]] 1: name = 'a/b': should have only"),
        (
            '[[crawl]]\nname = "a"\n[[crawl]]\nname = "a"\n',
            "sites.toml, [[crawl]] 2: name = 'a': another crawl of the file has this name.",
        ),
        ('[crawl]\nname = "a"\n', "sites.toml: crawl: write each crawl as a table [[crawl]]."),
        ('start = "http://a.test"\n', "sites.toml: there is no [[crawl]] table; "),
        (
            'realm = "x"\ndatabase = "sqlite:///x.db"\nstart = "http://x.test"\n[[crawl]]\nname = "a"\n[[crawl]]\nname = "b"\n',
            "sites.toml, [[crawl]] b: 'a' has the same database and the same realm.",
        ),
        (
            'database = "mysql://x"\nstart = "http://a.test"\n[[crawl]]\nname = "a"\n',
            "sites.toml: database = (not shown): should be sqlite:///FILE or postgresql://",
        ),
    ],
)
def test_faulty_file(crawl: CrawlCommand, text: str, told: str) -> None:
    (crawl.directory / "sites.toml").write_text(text, encoding="utf-8")
    status, printed = crawl.command("crawls", "sites.toml")
    assert status == 2
    assert printed.startswith(told), printed
    assert len(printed.splitlines()) == 1


@pytest.mark.behaviour("W-11")
def test_interrupt_ends_the_running_crawl_and_starts_no_other(
    server: Server, crawl: CrawlCommand
) -> None:
    write(
        crawl.directory, "delay = 0.3", a=start(site(server, "a", 30)), b=start(site(server, "b"))
    )
    output = crawl.directory / "output"
    words = ["crawls", "sites.toml", "-O", "NAME.jsonl"]
    process = Command(words, crawl.directory, output=output, errors=output)
    server.log.wait_for(3)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(60) == 130
    finally:
        process.kill()
    printed = output.read_text(encoding="utf-8")
    assert "[a] ended with status 130" in printed
    assert "2 crawls: 0 with status 0, 1 not started." in printed
    assert 1 <= len(read(crawl.directory / "a.jsonl")) < 30
    assert not (crawl.directory / "b.jsonl").exists()


@pytest.mark.slow
@pytest.mark.behaviour("MON-08")
def test_twelve_sites_with_seven_dead_ones(server: Server, crawl: CrawlCommand) -> None:
    wall = Answer("wait", status=403, headers={"cf-mitigated": "challenge"})
    dead = {
        "missing": (server.serve({}), "check the address"),
        "gone": (server.serve({"/": Answer(status=410)}), "check the address"),
        "forbidden": (server.serve({"/": Answer(status=403)}), "give -a auth="),
        "password": (server.serve({"/": Answer(status=401)}), "give -a auth=ORIGIN"),
        "challenged": (server.serve({"/": wall}), "ask the site's owner to admit this crawler"),
        "disallowed": (
            server.serve({"/robots.txt": "User-agent: *\nDisallow: /", "/": page()}),
            "ask the site's owner to allow it",
        ),
        "refused": (
            "http://127.0.0.9:9",
            "nothing answers there (Connection refused): check the address",
        ),
    }
    alive = {f"s{n}": site(server, f"w{n}", address=f"127.0.0.{10 + n}") for n in range(5)}
    starts = {**alive, **{name: origin for name, (origin, _) in dead.items()}}
    tables = {name: start(origin) for name, origin in starts.items()}
    write(crawl.directory, "delay = 0\npatience = 1", **tables)
    given = ("-s", "SITECRAWL_METRICS=NAME.prom", "--notify", "cat > notice.json", "--jobs", "4")
    status, printed = crawl.command("crawls", "sites.toml", "-O", "NAME.jsonl", *given)
    assert status == 1, printed[-3000:]
    assert printed.splitlines()[-1] == "12 crawls: 5 with status 0."
    notice = json.loads((crawl.directory / "notice.json").read_text())
    told = {each["crawl"]: each for each in notice["crawls"]}
    assert (notice["status"], set(told)) == (1, set(dead))
    assert {each["status"] for each in told.values()} == {1}
    overview = crawl.command("frontier", "--config", "sites.toml")[1]
    for name, (origin, remedy) in dead.items():
        (line,) = told[name]["failed_starts"]
        assert line.startswith(f"start {origin}/ produced nothing: ")
        assert remedy in line
        assert f"[{name}] {line}" in printed
        assert f"  {line}" in overview
    for name in starts:
        metrics = (crawl.directory / f"{name}.prom").read_text()
        ended = f'sitecrawl_exit_status{{crawl="{name}/{name}"}} {int(name in dead)}.0'
        assert ended in metrics
        assert (name in dead) is not bool(read(crawl.directory / f"{name}.jsonl"))
    status, printed = crawl.command("report", "--config", "sites.toml", "--json")
    rows = {row["crawl"]: row for row in map(json.loads, printed.splitlines())}
    assert (status, set(list(rows)[:7]), rows.keys()) == (0, set(dead), starts.keys())
    assert {name: row["failed_starts"] for name, row in rows.items() if row["exit_status"]} == {
        name: told[name]["failed_starts"] for name in dead
    }


@pytest.mark.slow
@pytest.mark.behaviour("REP-11")
def test_one_report_over_all_crawls(server: Server, crawl: CrawlCommand) -> None:
    gone = server.serve({})
    linked = server.serve({"/": page("/missing", text="Start of c.")}, address="127.0.0.2")
    write(crawl.directory, a=start(site(server, "a")), c=start(linked), gone=start(gone))
    crawl.command("crawls", "sites.toml")
    status, printed = crawl.command("report", "--config", "sites.toml", "--json")
    rows = {row["crawl"]: row for row in map(json.loads, printed.splitlines())}
    assert (status, list(rows)) == (0, ["gone", "a", "c"])
    assert [row["exit_status"] for row in rows.values()] == [1, 0, 0]
    assert (rows["a"]["documents"], rows["a"]["high"], rows["c"]["high"]) == (2, 0, 1)
    assert rows["gone"]["failed_starts"][0].startswith(f"start {gone}/ produced nothing: ")
    given = ("report", "--config", "sites.toml")
    status, printed = crawl.command(*given, "--list", "dead_links", "--json")
    found = {(row["crawl"], row["url"]) for row in map(json.loads, printed.splitlines())}
    assert found == {("c", f"{linked}/missing"), ("gone", f"{gone}/")}
    assert crawl.command(*given, "-O", "all.html")[0] == 0
    html = (crawl.directory / "all.html").read_text()
    assert html.index('id="crawls"') < html.index('id="problems"')
    assert crawl.command(*given, "-O", "all.xlsx")[0] == 0
