"""Faults of pages and files that give no document, each with its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome


class PageFault(NamedTuple):
    """A fault: the outcome of its visit, and its row in docs/outcomes.md."""

    outcome: Outcome
    meaning: str


# A file without text has its document deleted, if it had one. A file that is broken or too costly
# may be readable at the next visit: its document stays.
PAGE_FAULTS: Mapping[str, PageFault] = {
    "unknown_version": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "a `<documentdata>` file in a version that is not known"
    ),
    "listing": PageFault(
        Outcome.UNWANTED_TYPE,
        "a feed, sitemap or list of feeds served as XML text: it repeats what its pages say",
    ),
    "file_encrypted": PageFault(Outcome.UNWANTED_TYPE, "the file needs a password"),
    "file_scanned": PageFault(
        Outcome.UNWANTED_TYPE,
        "a PDF of pictures without text; character recognition must run first",
    ),
    "file_without_text": PageFault(Outcome.UNWANTED_TYPE, "there is no text in the file"),
    "file_unsupported": PageFault(
        Outcome.UNWANTED_TYPE, "a format that is known and cannot be read, such as Word 97-2003"
    ),
    "file_broken": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER,
        "the file is cut short, damaged, or not of the format that it claims",
    ),
    "file_too_slow": PageFault(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "reading the file takes more than 20 s of processor time"
    ),
    "file_too_large": PageFault(
        Outcome.TOO_LARGE,
        "reading the file takes more than 600 MB of memory, or it unpacks to more than 200 MB",
    ),
}
