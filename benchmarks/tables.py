"""The benchmarks' figures as Markdown, the same in the terminal and in README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.results import Figures, is_final

OURS = "sitecrawl"
LIMIT = "L: fetch and one parse"
TARGETS = {
    "plain Scrapy CrawlSpider": 1 / 6,
    "crawlee Parsel": 1 / 6,
    "crawlee BeautifulSoup": 1 / 20,
    "crawlee Cheerio (Node)": 1 / 9,
    "colly (Go)": 1.0,
    "httrack": 1.0,
}
LIMIT_TARGET = 4.0
MOST_MEMORY, MOST_CPU = 250, 3  # megabytes of a whole process, seconds above the plain page
MOST_GROWTH = 2.3  # times the CPU for twice the size
SHOWN = 5  # pages of each kind


def grid(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers are written by the caller."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def footing(figures: Figures) -> str:
    """Date and machine of the figures, and the load by other programs."""
    at = figures["machine"]
    where = f"{at['cores']} cores ({at['processor']}), {at['system']}, Python {at['python']}"
    noise = f"other programs used {figures['others']:.2f} cores meanwhile"
    verdict = "" if is_final(figures) else "; **provisional**"
    return f"{figures['date']}, {where}, Scrapy {at['scrapy']}; {noise}{verdict}."


def against_others(figures: Figures) -> str:
    """One row for each crawler, and what sitecrawl needs of it."""
    rows, loop = figures["rows"], figures["loop"]
    lines = [
        (
            name,
            f"{row['cost']:.2f}",
            f"{100 * row['noise']:.0f} %",
            f"{row['speed']:.0f}",
            row["memory"],
            row["pages"],
            f"{row['ratio']:.3f}",
            f"{TARGETS[name]:.3f}" if name in TARGETS else "",
        )
        for name, row in rows.items()
    ]
    head = ["crawler", "CPU ms/page", "spread", "pages/s", "RSS MB", "pages", "sitecrawl / it"]
    times = loop[OURS] / loop[LIMIT]
    in_loop = (
        f"In the loop, start-up taken off: sitecrawl {loop[OURS]:.2f} ms a page, L"
        f" {loop[LIMIT]:.2f} ms: {times:.1f} L (target {LIMIT_TARGET:.0f} L)."
    )
    foot = f"Median of {figures['rounds']}, corpus {figures['corpus']}. {footing(figures)}"
    table = grid([*head, "target"], lines)
    return "\n".join([table, "", in_loop, *_coverage(figures), "", foot])


def _coverage(figures: Figures) -> list[str]:
    """The crawlers that fetched other pages than sitecrawl, with those pages."""
    lines = []
    for name, row in figures["rows"].items():
        for word in ("missed", "more"):
            if row[word]:
                some = ", ".join(url.split("/", 3)[3] for url in row[word][:3])
                verb = "did not fetch" if word == "missed" else "fetched besides"
                lines.append(f"- {name} {verb} {len(row[word])}: {some}")
    return ["", *(lines or ["All fetched the same pages."])]


def startup(figures: Figures) -> str:
    """Time to the first request and CPU of a crawl of one page, and the ratios."""
    base = figures["rows"]["plain Scrapy CrawlSpider"]
    lines = [
        (
            name,
            f"{row['first']:.2f}",
            f"{row['cpu']:.2f}",
            f"{row['first'] / base['first']:.2f}",
            f"{row['cpu'] / base['cpu']:.2f}",
        )
        for name, row in figures["rows"].items()
    ]
    head = ["crawler", "first request s", "CPU s", "first request, ratio", "CPU, ratio"]
    text = f"Fastest of {figures['rounds']}; the target is a ratio of 1.3. {footing(figures)}"
    return f"{grid(head, lines)}\n\n{text}"


def budget(figures: Figures) -> str:
    """CPU, memory and time against the base."""
    lines = [
        (name, f"{row['cost']:.2f}", *(f"{row[each]:.3f}" for each in ("cpu", "memory", "wall")))
        for name, row in figures["rows"].items()
    ]
    head = ["crawl", "CPU ms/page", "CPU, ratio", "memory, ratio", "time, ratio"]
    text = f"Medians of {figures['pairs']} pairs against {figures['base']}; the limit is {figures['limit']}."
    return f"{grid(head, lines)}\n\n{text} {footing(figures)}"


def unchanged(figures: Figures) -> str:
    """The second crawl beside the first."""
    sums = zip(("first", "second"), figures["cpu"], figures["sent"], figures["pages"], strict=True)
    lines = [(word, f"{cpu:.2f}", f"{sent:,.0f}", pages) for word, cpu, sent, pages in sums]
    ratios = (
        f"Bytes {100 * figures['sent_ratio']:.2f} % (target below 3 %), CPU"
        f" {figures['cpu_ratio']:.2f} (target below 0.33)."
    )
    foot = f"Median of {figures['rounds']}, corpus {figures['corpus']}. {footing(figures)}"
    return f"{grid(['crawl', 'CPU s', 'bytes', 'pages sent'], lines)}\n\n{ratios}\n\n{foot}"


def utilisation(figures: Figures) -> str:
    """The share of the allowed pace that was used in each case."""
    lines = [
        (
            name,
            row["requests"],
            f"{row['ideal']:.1f}",
            f"{row['real']:.1f}",
            f"{row['ideal'] / row['real']:.3f}",
        )
        for name, row in figures["rows"].items()
    ]
    head = ["case", "requests", "ideal s", "real s", "utilisation"]
    return f"{grid(head, lines)}\n\nThe target is 0.95. {footing(figures)}"


def shares(figures: Figures) -> str:
    """Each part's milliseconds of a page, and its share of the whole."""
    rows = figures["rows"]
    whole = sum(rows.values())
    lines = [(name, f"{cost:.3f}", f"{100 * cost / whole:.1f} %") for name, cost in rows.items()]
    foot = f"Mean of {figures['rounds']}, corpus {figures['corpus']}. {footing(figures)}"
    return f"{grid(['part', 'CPU ms/page', 'share'], lines)}\n\n{foot}"


def growth(figures: Figures) -> str:
    """Cost and memory by the number of known URLs, for each database and kind of links."""
    lines = [
        (
            series["database"],
            series["links"],
            f"{size['known']:,}",
            f"{size['loop']:.2f}",
            f"{size['loop'] / series['sizes'][0]['loop']:.2f}",
            f"{size['server']:.2f}" if size["server"] is not None else "",
            f"{size['whole']:.2f}",
            f"{size['start']:.2f}",
            f"{size['memory']:.0f}",
        )
        for series in figures["series"]
        for size in series["sizes"]
    ]
    head = ["database", "known links", "known URLs", "CPU ms/page", "ratio", "server's CPU ms/page"]
    foot = (
        f"{figures['pages']:,} pages a crawl, median of {figures['rounds']}; the target is a"
        f" ratio of 1.3, and 300 MB. {footing(figures)}"
    )
    return f"{grid([*head, 'whole, ms/page', 'start, CPU s', 'RSS MB'], lines)}\n\n{foot}"


def printed(figures: Figures) -> str:
    """The unchanged output of a command."""
    return f"```\n{figures['output'].strip()}\n```\n\n{footing(figures)}"


def hostile_pages(figures: Figures) -> str:
    """The most expensive pages by memory and by CPU, and all that pass the bounds."""
    rows: dict[str, dict[str, Any]] = figures["rows"]
    plain = rows["plain page"]

    def is_over(row: dict[str, Any]) -> bool:
        return (row.get("growth") or 0) > MOST_GROWTH or any(
            "failed" in each
            or each["memory"] > MOST_MEMORY
            or each["cpu"] > MOST_CPU + beside["cpu"]
            for each, beside in ((row, plain), (row["rag"], plain["rag"]))
        )

    over = [name for name, row in rows.items() if is_over(row)]
    ranks = [
        sorted(rows, key=lambda name: -rows[name]["memory"]),
        sorted(rows, key=lambda name: -rows[name]["cpu"]),
        sorted(rows, key=lambda name: -rows[name]["rag"]["memory"]),
        sorted(rows, key=lambda name: -rows[name]["rag"]["cpu"]),
        sorted(rows, key=lambda name: -(rows[name].get("growth") or 0)),
    ]
    shown = {*(name for rank in ranks for name in rank[:SHOWN]), *over, "plain page"}
    lines = [
        (
            name,
            row["memory"],
            f"{row['cpu']:.2f}",
            row["rag"]["memory"],
            f"{row['rag']['cpu']:.2f}",
            row.get("growth") or "",
            row.get("failed") or ", ".join(row["cuts"]),
        )
        for name, row in ((name, rows[name]) for name in ranks[2] if name in shown)
    ]
    head = ["page", "memory, MB", "CPU, s", "rag: MB", "rag: CPU, s", "growth", "left out"]
    bounds = (
        f"{len(rows) - 1} shapes of {figures['bytes'] / 1e6:.1f} MB, the most expensive shown. "
        f"Over {MOST_MEMORY} MB, {MOST_CPU} s above the plain page or {MOST_GROWTH} times the CPU "
        f"for twice the size: {', '.join(over) or 'none'}."
    )
    return f"{grid(head, lines)}\n\n{bounds} {footing(figures)}"


def search(figures: Figures) -> str:
    """One row for each kind of query."""
    rows = []
    others = [name for name in figures["kinds"]["all"] if name != "sitecrawl"]
    for kind, found in figures["kinds"].items():
        ours = found["sitecrawl"]
        mrrs = [f"{found[name]['mrr']:.2f}" for name in ("sitecrawl", *others)]
        shares = [f"{ours[name]:.0%}" for name in ("within_five", "own_anchor")]
        times = [ours["median_ms"], ours["most_ms"]]
        rows.append([kind, ours["queries"], *mrrs, *shares, *times])
    head = ["queries", "number", "MRR@10", *others, "within five", "own anchor", "CPU ms", "most"]
    return grid(head, rows)


def search_grown(figures: Figures) -> str:
    """One row for each number of documents."""
    columns = [
        f"{part}_{name}_ms" for name in ("wall", "cpu") for part in ("median", "p95", "most")
    ]
    head = ["documents", "MB", "ms", "95 %", "most", "CPU ms", "95 %", "most"]
    rows = [
        [f"{int(size):,}", found["megabytes"], *(found[column] for column in columns)]
        for size, found in figures["sizes"].items()
    ]
    return grid(head, rows)


TABLES: dict[str, Callable[[Figures], str]] = {
    "against_others": against_others,
    "budget": budget,
    "startup": startup,
    "unchanged": unchanged,
    "utilisation": utilisation,
    "growth": growth,
    "shares": shares,
    "reading": printed,
    "decisions": printed,
    "frontier_growth": printed,
    "hostile_pages": hostile_pages,
    "search": search,
    "search_held": search,
    "search_grown": search_grown,
}
