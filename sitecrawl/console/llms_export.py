"""Export of a crawl's documents as llms.txt and llms-full.txt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.console.line_files import overwrite
from sitecrawl.console.terminal import CONTROLS, print_errors
from sitecrawl.crawl.run_summary import counted
from sitecrawl.frontier.records import Records
from sitecrawl.policy.documents.llms_text import (
    ListedDocument,
    listed_documents,
    llms_full_entry,
    llms_text,
    site_sections,
)
from sitecrawl.policy.documents.usage_permissions import permits_models
from sitecrawl.statuses import DONE, NO_RESULT

INDEX, FULL = "llms.txt", "llms-full.txt"


def export_llms(records: Records, realm: str, place: str, language: str = "") -> int:
    """Write both files of each site; return 1 if there are no documents.

    ``place`` is a folder, or the path of llms.txt if it ends with ``.txt``. A crawl of several sites
    gets a folder for each. Without a ``language``, that of most pages of a site is written. Raises
    ConfigError.
    """
    counts = Counter[bool]()

    def is_permitted(record: Mapping[str, Any]) -> bool:
        counts[permits_models(record)] += 1
        return permits_models(record)

    sites = listed_documents(filter(is_permitted, records.documents(realm)), language)
    if counts[False]:
        count = counted(counts[False], "document")
        print_errors(
            [f"{count} left out: their pages (noarchive, nosnippet) or site (ai-input) say so."]
        )
    for origin, pages in sites.items():
        index, full = _paths(Path(place), origin, single=len(sites) == 1)
        overwrite(str(index), llms_text(origin, pages))
        overwrite(str(full), _texts(records, pages))
    return DONE if sites else NO_RESULT


def _texts(records: Records, pages: Sequence[ListedDocument]) -> Iterator[str]:
    for members in site_sections(pages).values():
        for page in members:
            changes = (records.change(seq) for _, seq in page.seqs)
            found = [record for record in changes if record]  # a crawl may have replaced one
            if found:
                yield CONTROLS.sub("", llms_full_entry(page, found))


def _paths(place: Path, origin: str, *, single: bool) -> tuple[Path, Path]:
    if place.suffix == ".txt":
        if not single:
            raise ConfigError([f"The crawl has several sites; give a folder instead of {place}."])
        return place, place.with_name(f"{place.stem}-full{place.suffix}")
    folder = place if single else place / urlsplit(origin).netloc.replace(":", "-")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError([f"{folder} cannot be made: {error.strerror}."]) from error
    return folder / INDEX, folder / FULL
