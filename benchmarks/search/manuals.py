"""The manuals that are searched: Debian packages, crawled once from loopback addresses."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import install
from benchmarks.crawls import QUIET, used
from fixtures.real_sites import Documentation, served

DOC = Path("/usr/share/doc")
LANGUAGES = ("en-US", "de-DE", "fr-FR", "ru-RU", "ja-JP", "zh-CN")


@dataclass(frozen=True, slots=True)
class Manual:
    """A manual: its name, its documentation, and further pages to start from."""

    name: str
    documentation: Documentation
    entrances: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """Folder of the pages."""
        return self.documentation.root


MANUALS = (
    Manual("python", Documentation("python3.11-doc", DOC / "python3.11/html")),
    Manual("postgresql", Documentation("postgresql-doc-15", DOC / "postgresql-doc-15/html")),
    Manual("django", Documentation("python-django-doc", DOC / "python-django-doc/html")),
    Manual("git", Documentation("git-doc", DOC / "git-doc", "/git.html"), ("/gitglossary.html",)),
    Manual("node", Documentation("nodejs-doc", DOC / "nodejs/api")),
    Manual("sqlite", Documentation("sqlite3-doc", DOC / "sqlite3")),
    Manual(
        "handbook",
        Documentation("debian-handbook", DOC / "debian-handbook/html", "/en-US/index.html"),
        tuple(f"/{language}/index.html" for language in LANGUAGES[1:]),
    ),
)


def crawled(folder: Path) -> tuple[Path, dict[str, str]]:
    """The crawl database of all manuals, and their origins; crawled unless ``folder`` has it."""
    install("nginx-light", *(each.documentation.package for each in MANUALS))
    database, origins = folder / ".sitecrawl" / "manuals.db", folder / "origins.json"
    if not database.exists():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # nginx reads as another user
        with served(folder, [each.documentation for each in MANUALS]) as (nginx, starts):
            found = dict(zip((m.name for m in MANUALS), nginx.origins.values(), strict=True))
            more = [found[m.name] + path for m in MANUALS for path in m.entrances]
            command = [sys.executable, "-m", "scrapy", "crawl", "site", *QUIET]
            command += ["-a", "delay=0", "-a", "crawl_name=manuals", "-a", "more_fields=anchors"]
            command += ["-a", f"start={' '.join([*starts, *more])}"]
            used(command, folder, SCRAPY_SETTINGS_MODULE="sitecrawl.settings")
        origins.write_text(json.dumps(found))
    return database, json.loads(origins.read_text())
