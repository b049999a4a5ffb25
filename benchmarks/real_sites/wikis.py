"""Two wikis that hold the same sixty articles: MediaWiki and DokuWiki."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from benchmarks.real_sites.php import behind_nginx
from benchmarks.real_sites.processes import free_port, program, run
from benchmarks.real_sites.site import NEUTRAL, Served
from benchmarks.real_sites.texts import manuals

MEDIAWIKI = Path("/usr/share/mediawiki")
DOKUWIKI = Path("/usr/share/dokuwiki")
ARTICLES, REVISIONS, LENGTH = 60, 3, 3000
_LINK = re.compile(r"linkgit:([\w-]+)\[\d+\]")
_HEADING = re.compile(r"^(\S.*)\n[-~=]{3,}$", re.MULTILINE)

_MEDIAWIKI_NGINX = """\
root /nonexistent;
location = / { return 301 /wiki/Main_Page; }
location /wiki/ {
    include PHP;
    fastcgi_param SCRIPT_FILENAME /usr/share/mediawiki/index.php;
    fastcgi_param SCRIPT_NAME /w/index.php;
}
location ~ ^/w/(?<script>index|load|api|rest|opensearch_desc)\\.php {
    include PHP;
    fastcgi_param SCRIPT_FILENAME /usr/share/mediawiki/$script.php;
    fastcgi_param SCRIPT_NAME /w/$script.php;
}
location /w/ { alias /usr/share/mediawiki/; }
"""
_MEDIAWIKI_SETTINGS = """
$wgArticlePath = "/wiki/$1";
$wgUsePathInfo = true;
$wgJobRunRate = 0;
$wgEnableEmail = false;
"""
_DOKUWIKI_NGINX = """\
root /usr/share/dokuwiki;
index doku.php;
location ~ ^/(doku|feed|index)\\.php$ {
    include PHP;
    fastcgi_param SCRIPT_FILENAME /usr/share/dokuwiki/$1.php;
    fastcgi_param SCRIPT_NAME /$1.php;
}
location ~ ^/(?<script>lib/exe/[a-z]+\\.php)$ {
    include PHP;
    fastcgi_param SCRIPT_FILENAME /usr/share/dokuwiki/$script;
    fastcgi_param SCRIPT_NAME /$script;
}
"""
_DOKUWIKI_LOCAL = """<?php
$conf['title'] = 'Notes';
$conf['lang'] = 'en';
$conf['license'] = '';
$conf['savedir'] = '{data}';
$conf['useacl'] = 0;
$conf['updatecheck'] = 0;
$conf['indexdelay'] = 0;
$conf['mailfromnobody'] = '';
"""


@cache
def _articles() -> dict[str, str]:
    """Beginnings of manual pages by name; each links to the three that follow."""
    texts = dict(islice(manuals().items(), ARTICLES))
    names = list(texts)
    return {
        name: f"{text[:LENGTH]}\n\nSee also\n--------\n{_links(names, place)}\n"
        for place, (name, text) in enumerate(texts.items())
    }


def _links(names: list[str], place: int) -> str:
    nearby = (names[(place + step) % len(names)] for step in (1, 2, 3))
    return ", ".join(f"linkgit:{name}[1]" for name in nearby)


def _wiki_text(text: str, heading: str) -> str:
    """AsciiDoc to a wiki's markup: headings, and links to other articles."""
    text = _HEADING.sub(rf"\n{heading} \1 {heading}\n", text)
    return _LINK.sub(lambda found: f"[[{found[1]}]]" if found[1] in _articles() else found[1], text)


def _revisions(text: str) -> Iterator[str]:
    """A text as it grew."""
    for number in range(1, REVISIONS + 1):
        yield text[: len(text) * number // REVISIONS]


@contextmanager
def mediawiki(folder: Path) -> Iterator[Served]:
    """MediaWiki on SQLite; the truth is its table of pages."""
    port = free_port()
    variables = {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
    php, maintenance = program("php"), MEDIAWIKI / "maintenance"
    install = [php, str(maintenance / "install.php"), "--confpath", str(folder), "--dbtype"]
    install += ["sqlite", "--dbpath", str(folder), "--dbname", "wiki", "--scriptpath", "/w"]
    install += ["--server", f"http://127.0.0.1:{port}", "--pass", "a pass phrase for nobody"]
    run([*install, "Notes", "Admin"], folder, variables)
    with (folder / "LocalSettings.php").open("a") as settings:
        settings.write(_MEDIAWIKI_SETTINGS)
    (folder / "pages.xml").write_text(_exported(), encoding="utf-8")
    for words in (["importDump.php", "pages.xml"], ["rebuildrecentchanges.php"], ["runJobs.php"]):
        run([php, str(maintenance / words[0]), *words[1:]], folder, variables)
    with closing(sqlite3.connect(folder / "wiki.sqlite")) as database:
        rows = database.execute(
            "SELECT page_title FROM page WHERE page_namespace = 0 AND page_is_redirect = 0"
        )
        pages = frozenset(
            str(title, "utf-8") if isinstance(title, bytes) else title for (title,) in rows
        )

    def page_of(url: str) -> str | None:
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        title = unquote(parts.path).removeprefix("/wiki/")
        if parts.path == "/w/index.php" and set(query) == {"title"}:
            title = query["title"][0].replace(" ", "_")
        elif query or not parts.path.startswith("/wiki/"):
            return None
        return title if title in pages else NEUTRAL if title.startswith("Category:") else None

    with behind_nginx(folder, _MEDIAWIKI_NGINX, port=port, variables=variables) as nginx:
        (origin,) = nginx.origins.values()
        yield Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))


def _exported() -> str:
    """The articles in MediaWiki's own format, each with its history and a category; redirects."""
    pages = [
        _exported_page("Main Page", ["".join(f"* [[{name}]]\n" for name in list(_articles())[::4])])
    ]
    for place, (name, text) in enumerate(_articles().items()):
        category = f"\n[[Category:{name.split('-')[1][0].upper()} commands]]\n"
        texts = [_wiki_text(each, "==") + category for each in _revisions(text)]
        pages.append(_exported_page(name.capitalize(), texts))
        if place % 5 == 0:
            alias = name.removeprefix("git-").capitalize()
            pages.append(
                _exported_page(f"{alias} (command)", [f"#REDIRECT [[{name.capitalize()}]]"])
            )
    space = "http://www.mediawiki.org/xml/export-0.11/"
    return f'<mediawiki xmlns="{space}" version="0.11" xml:lang="en">{"".join(pages)}</mediawiki>'


def _exported_page(title: str, texts: list[str]) -> str:
    first = datetime.now(UTC) - timedelta(days=len(texts) - 1)
    revisions = "".join(
        f"<revision><timestamp>{first + timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}</timestamp>"
        f"<contributor><username>Ada</username></contributor><model>wikitext</model>"
        f'<format>text/x-wiki</format><text xml:space="preserve">{escape(text)}</text></revision>'
        for number, text in enumerate(texts)
    )
    return f"<page><title>{title}</title><ns>0</ns>{revisions}</page>"


@contextmanager
def dokuwiki(folder: Path) -> Iterator[Served]:
    """DokuWiki on files; the truth is its folder of pages."""
    data, configuration = folder / "data", folder / "conf"
    shutil.copytree("/etc/dokuwiki", configuration, ignore=shutil.ignore_patterns("*.auth.php"))
    (configuration / "local.php").write_text(_DOKUWIKI_LOCAL.format(data=data))
    for name in ("attic", "cache", "index", "locks", "log", "media", "media_attic"):
        (data / name).mkdir(parents=True)
    for name in ("media_meta", "meta", "pages", "tmp"):
        (data / name).mkdir(parents=True)
    for name, text in _articles().items():
        (data / "pages" / f"{name}.txt").write_text(_wiki_text(text, "====="), encoding="utf-8")
    front = "".join(f"  * [[{name}]]\n" for name in list(_articles())[::4])
    (data / "pages" / "start.txt").write_text(f"===== Notes =====\n{front}", encoding="utf-8")
    before = folder / "before.php"
    defined = (
        f"define('DOKU_CONF', '{configuration}/'); define('DOKU_MAIN_CONF', '{configuration}/');"
    )
    before.write_text(f"<?php {defined}")
    pages = frozenset(file.stem for file in (data / "pages").glob("*.txt"))

    def page_of(url: str) -> str | None:
        parts = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path not in ("/", "/doku.php") or set(query) - {"id"}:
            return None
        page = query.get("id", "start")
        return page if page in pages else None

    with behind_nginx(folder, _DOKUWIKI_NGINX, settings={"auto_prepend_file": before}) as nginx:
        (origin,) = nginx.origins.values()
        yield Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))
