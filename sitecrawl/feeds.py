"""Local feed files whose lines are whole, and known to be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedSlot, FileFeedStorage, StdoutFeedStorage
from scrapy.extensions.postprocessing import PostProcessingManager

if TYPE_CHECKING:
    from scrapy import Spider

TAIL_BYTES = 65536


class LocalFeedStorage(FileFeedStorage):
    """A feed file on this machine; what a crash left of a last line is cut off first."""

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file for the run, ready for a whole line."""
        file = super().open(spider)
        if self.write_mode == "ab":
            cut_partial_line(self.path)
        return file


def cut_partial_line(path: str) -> int:
    """Cut what follows the last line end of a file; returns the number of bytes cut."""
    with Path(path).open("r+b") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - TAIL_BYTES)
            file.seek(start)
            line_end = file.read(end - start).rfind(b"\n")
            if line_end >= 0:
                end = start + line_end + 1
                break
            end = start
        file.truncate(end)
    return size - end


def flushed(slot: FeedSlot) -> bool:
    """Flush a feed; whether what it exported so far now survives a crash of this process."""
    file: Any = slot.file
    local = isinstance(slot.storage, LocalFeedStorage | StdoutFeedStorage)
    if not local or isinstance(file, PostProcessingManager):
        return False
    if file is not None:
        file.flush()
    return True
