"""Check of the folders of archives before a crawl begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sitecrawl.config.options.crawl_options import CrawlParams


def folder_problems(params: CrawlParams) -> Iterator[str]:
    """Yield a line for each folder of `warc` and `from_warc` that cannot be used; make the former."""
    if params.warc and (fault := _make(Path(params.warc))):
        yield f"warc: {params.warc} {fault}."
    if params.from_warc:
        if fault := _faults_of(Path(params.from_warc)):
            yield f"from_warc: {params.from_warc} {fault}."
        if params.warc:
            yield "from_warc: nothing is requested, so that there is nothing for warc to archive."
        if params.render != "none":
            yield "from_warc: archives are not rendered: leave out render."


def _make(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"cannot be made: {error.strerror}"
    is_writable = os.access(folder, os.W_OK | os.X_OK)
    return "" if is_writable else "cannot be written: give a folder that you may write to"


def _faults_of(folder: Path) -> str:
    if not folder.is_dir():
        return "is no folder: give the one that has the WARC files"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "cannot be read"
    return "" if any(folder.glob("*.warc*")) else "has no file *.warc or *.warc.gz"
