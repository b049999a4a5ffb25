"""Options, commands, stats, outcomes and output fields are documented."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from scripts.pictures import PICTURES
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy import outcomes
from sitecrawl.policy.documents.fields import DELETION, DOCUMENT
from sitecrawl.policy.outcomes import PAGE_FAULTS, Outcome
from sitecrawl.report.lists import all_lists

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "sitecrawl"
WRITERS = {"inc_value", "set_value", "max_value", "min_value"}


def rows(page: str, section: str = "") -> set[str]:
    """The code words that open the rows of a page's tables, of one section or all."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    if section:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", text, re.MULTILINE))


def stats_of(tree: ast.AST) -> Iterator[str]:
    """The names given to the stats collector; <> stands for what is filled in."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=method), args=[name, *_]) if method in WRITERS:
                yield "".join(parts_of(name))


def parts_of(name: ast.expr) -> Iterator[str]:
    match name:
        case ast.JoinedStr(values=values):
            for each in values:
                yield from parts_of(each)
        case ast.BinOp(left=left, right=right):
            yield from parts_of(left)
            yield from parts_of(right)
        case ast.Name(id=constant) if constant.isupper():
            yield getattr(outcomes, constant, "<>")
        case ast.Constant(value=value):
            yield str(value)
        case _:
            yield "<>"


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert [name for name in CrawlParams.model_fields if f"`{name}`" not in text] == []


def test_every_list_of_the_report_is_documented() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    for each in all_lists().values():
        columns = ", ".join(f"`{column}`" for column in each.columns)
        assert f"\n| `{each.name}` | {each.about} | {columns} |\n" in text


def test_every_command_is_documented() -> None:
    commands = {path.stem for path in (SOURCE / "commands").glob("[!_]*.py")}
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    headings = "\n".join(re.findall(r"^## .*", text, re.MULTILINE))
    assert set(re.findall(r"`scrapy ([\w-]+)", headings)) == commands


def test_every_table_of_the_crawl_database_is_documented() -> None:
    schemas = sorted((SOURCE / "frontier").glob("schema_*.sql"))
    text = "".join(each.read_text(encoding="utf-8") for each in schemas)
    made = set(re.findall(r"CREATE TABLE (\w+)", text)) - set(re.findall(r"DROP TABLE (\w+)", text))
    assert rows("data-model.md") == made


def test_the_pictures_are_those_of_the_code() -> None:
    drawn = {name: draw() for name, draw in PICTURES.items()}
    found = {name: (ROOT / "docs" / "images" / name).read_text() for name in drawn}
    assert found == drawn, "python -m scripts.pictures"


def test_links_to_other_sites_are_addresses() -> None:
    """Their form alone: tests request nothing of other machines. Sphinx checks links within."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    links = [each for page in pages for each in re.findall(r"\]\((\w+:[^)]*)", page.read_text())]
    assert len(links) > 10
    assert [
        each for each in links if not re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/\S*)?", each)
    ] == []


def test_every_stat_is_documented() -> None:
    sources = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    writing = [ast.parse(each) for each in sources if any(name in each for name in WRITERS)]
    counted = {name for tree in writing for name in stats_of(tree)}
    documented = {re.sub(r"<\w+>", "<>", name) for name in rows("stats.md")}
    assert {name for name in counted if name.startswith("sitecrawl/")} == documented


def test_every_outcome_is_documented() -> None:
    assert rows("outcomes.md", "Outcomes") == {outcome.name.lower() for outcome in Outcome}


def test_every_fault_of_a_file_is_documented_with_its_outcome() -> None:
    text = (ROOT / "docs" / "outcomes.md").read_text(encoding="utf-8")
    rows_of_faults = dict(re.findall(r"^\| `(\w+)` \| .* \| `(\w+)` \|$", text, re.MULTILINE))
    expected = {name: fault.outcome.name.lower() for name, fault in PAGE_FAULTS.items()}
    assert expected == {name: rows_of_faults.get(name) for name in PAGE_FAULTS}
    assert all(f"| {fault.meaning} |" in text for fault in PAGE_FAULTS.values())


def test_every_field_of_the_output_is_documented() -> None:
    assert rows("output.md", "Documents") == set(DOCUMENT)
    assert rows("output.md", "Deletions") == set(DELETION)


def paths_of(page: str) -> list[str]:
    """The paths that a page names in code: those of files, and of folders with a slash at the end."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"`([\w./-]+(?:\.(?:py|toml|md)|/))`", text)


def test_every_path_of_the_architecture_exists() -> None:
    named = paths_of("docs/architecture.md")
    missing = [path for path in named if not any((at / path).exists() for at in (SOURCE, ROOT))]
    assert missing == []


def test_every_path_of_contributing_exists() -> None:
    folders = {"sitecrawl", "scripts", "tests", "fixtures", "benchmarks", "docs"}
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = [
        path for path in re.findall(r"`([\w/.-]+)`", text) if path.partition("/")[0] in folders
    ]
    missing = [path for path in named if "/" in path and not (ROOT / path).exists()]
    assert named != []
    assert missing == []


def test_nobody_is_sent_to_the_package_of_another() -> None:
    """``sitecrawl`` on PyPI is another's; ours is ``scrapy-sitecrawl``."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/*.md")]
    files = [
        path
        for top in ("sitecrawl", "scripts", "examples", "deploy")
        for path in (ROOT / top).rglob("*")
        if path.suffix in {".py", ".md", ".yaml", ".service", ".txt", ""}
    ]
    wrong = re.compile(r"pip install[^\n]*[\s'\"]sitecrawl\b")
    assert [
        f"{path}: {found}"
        for path in [*pages, *files]
        if path.is_file()
        for found in wrong.findall(path.read_text(encoding="utf-8"))
    ] == []


def test_every_extra_is_documented() -> None:
    extras = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    )
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    )
    assert {each for each in extras - {"dev"} if f"`{each}`" not in text} == set()


def test_the_readme_is_short_and_proves_what_it_says_of_others() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 150
    rows_of_peers = re.findall(r"^\| \w.* \|$", text, re.MULTILINE)
    assert len(rows_of_peers) >= 5
    assert all("](" in row.split(" | ")[1] for row in rows_of_peers)
