"""The other crawlers: how each is installed, and how it crawls a corpus.

Each follows every link within the starts' hosts and writes url, title, description and text
of each page as JSON lines, as plain_spider.py does; httrack writes the pages instead, for
it knows no text. Robots.txt is obeyed, concurrency is each program's default.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Corpus, install
from benchmarks.crawls import HERE, Crawl, Result, measure, plain_scrapy, sitecrawl

INSTALLED = HERE / ".competitors"
CRAWLEE = INSTALLED / "crawlee"
CHEERIO = INSTALLED / "cheerio"
COLLY = INSTALLED / "colly"
SPIDER = INSTALLED / "spider"
CRAWLER4J = INSTALLED / "crawler4j"
QUIET = {"CRAWLEE_LOG_LEVEL": "ERROR", "CRAWLEE_PERSIST_STORAGE": "0"}
NO_PAGES = "css js png jpg gif svg ico woff woff2 ttf zip xml rss"


@dataclass(frozen=True, slots=True)
class Competitor:
    """A crawler by name: what installs it, and what runs it."""

    name: str
    install: Callable[[], None]
    crawl: Crawl


def nothing() -> None:
    """Install nothing: it came with this project."""


def install_crawlee() -> None:
    """Crawlee for Python, in an environment of its own."""
    if not (CRAWLEE / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", CRAWLEE], check=True)
        packages = ["crawlee[parsel]", "crawlee[beautifulsoup]"]
        subprocess.run([CRAWLEE / "bin" / "pip", "install", "-q", *packages], check=True)
        (CRAWLEE / "complete").touch()


def install_cheerio() -> None:
    """Crawlee for Node, in a folder of its own."""
    if shutil.which("npm") is None:
        install("nodejs", "npm")
    if not (CHEERIO / "node_modules" / "@crawlee" / "cheerio").exists():
        CHEERIO.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "@crawlee/cheerio@3"]
        subprocess.run([*command, "--prefix", str(CHEERIO)], check=True)


def install_colly() -> None:
    """Colly, built in a folder of its own by Go, which must be newer than Debian's."""
    if not (COLLY / "colly").exists():
        COLLY.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "colly.go", COLLY / "main.go")
        (COLLY / "go.mod").write_text("module colly\n")
        for command in ("get github.com/gocolly/colly/v2@latest", "build -o colly ."):
            subprocess.run(["go", *command.split()], cwd=COLLY, check=True)


def install_spider() -> None:
    """spider-rs, built in a folder of its own by Cargo, which takes ten minutes on two cores."""
    if not (SPIDER / "target" / "release" / "spider-benchmark").exists():
        SPIDER.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "spider.rs", SPIDER)
        shutil.copy(HERE / "spider.toml", SPIDER / "Cargo.toml")
        subprocess.run(["cargo", "build", "--release"], cwd=SPIDER, check=True)


def install_crawler4j() -> None:
    """crawler4j with its libraries by Maven, in a folder of its own."""
    if not (CRAWLER4J / "Crawler4j.class").exists():
        CRAWLER4J.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "crawler4j.xml", CRAWLER4J / "pom.xml")
        fetch = "mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib"
        compile_ = ["javac", "-cp", "lib/*", "-d", ".", str(HERE / "Crawler4j.java")]
        for command in (fetch.split(), compile_):
            subprocess.run(command, cwd=CRAWLER4J, check=True)


def crawlee(kind: str) -> Crawl:
    """Crawlee for Python with one of its parsers."""

    def crawl(corpus: Corpus, directory: Path) -> Result:
        program = [str(CRAWLEE / "bin" / "python"), str(HERE / "crawlee_spider.py")]
        return measure(corpus, [*program, kind, "pages.jsonl", *corpus.starts], directory, QUIET)

    return crawl


def cheerio(corpus: Corpus, directory: Path) -> Result:
    """Crawlee for Node."""
    program = ["node", str(HERE / "cheerio.cjs"), str(CHEERIO)]
    return measure(corpus, [*program, "pages.jsonl", *corpus.starts], directory, QUIET)


def colly(corpus: Corpus, directory: Path) -> Result:
    """Colly with eight requests at a time, as many as Scrapy makes: it has no limit of its own."""
    return measure(corpus, [str(COLLY / "colly"), "pages.jsonl", *corpus.starts], directory, {})


def spider(corpus: Corpus, directory: Path) -> Result:
    """spider-rs, one crawl for each host, as it follows no link to another."""
    program = str(SPIDER / "target" / "release" / "spider-benchmark")
    return measure(corpus, [program, "pages.jsonl", *corpus.starts], directory, {})


def crawler4j(corpus: Corpus, directory: Path) -> Result:
    """crawler4j with eight threads, as many requests as Scrapy makes: it has no number of its own."""
    program = ["java", "-cp", f"{CRAWLER4J}:{CRAWLER4J / 'lib'}/*", "Crawler4j"]
    return measure(corpus, [*program, "pages.jsonl", *corpus.starts], directory, {})


def httrack(corpus: Corpus, directory: Path) -> Result:
    """A copy of the pages, without images, styles and scripts, at full speed."""
    quiet = ["-q", "-%v0", "-I0", "-o0", "-C0"]  # neither index, error pages nor cache
    unlimited = ["--disable-security-limits", "-%c10000", "-A100000000"]
    hosts = [start.split("/")[2] for start in corpus.starts]
    filters = ["-*", *(f"+{host}/*" for host in hosts)]
    filters += [f"-*.{kind}" for kind in NO_PAGES.split()]
    command = ["httrack", *corpus.starts, "-O", str(directory / "mirror"), "-s2"]
    return measure(corpus, [*command, *quiet, *unlimited, *filters], directory, {})


def with_readers(corpus: Corpus, directory: Path) -> Result:
    """Sitecrawl itself, which reads pages in other processes too."""
    return sitecrawl(corpus, directory, "readers=auto")


COMPETITORS = (
    Competitor("plain Scrapy CrawlSpider", nothing, plain_scrapy),
    Competitor("crawlee Parsel", install_crawlee, crawlee("parsel")),
    Competitor("crawlee BeautifulSoup", install_crawlee, crawlee("beautifulsoup")),
    Competitor("crawlee Cheerio (Node)", install_cheerio, cheerio),
    *([Competitor("colly (Go)", install_colly, colly)] if shutil.which("go") else []),
    *([Competitor("spider-rs (Rust)", install_spider, spider)] if shutil.which("cargo") else []),
    *(
        [Competitor("crawler4j (Java)", install_crawler4j, crawler4j)]
        if shutil.which("mvn")
        else []
    ),
    Competitor("httrack", lambda: install("httrack"), httrack),
    Competitor("sitecrawl, readers=auto", nothing, with_readers),
)
