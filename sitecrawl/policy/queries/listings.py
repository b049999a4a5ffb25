"""Sort orders of servers' directory listings: the same files in another order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

# mod_autoindex and its imitators: C=N;O=D, C=M&O=A, and Apache 1.3's N=D.
_SORT = re.compile(r"(?:C=[NMSD](?:[;&]O=[AD])?|O=[AD]|[NMSD]=[AD])(?:[;&][FVP]=[^&;]*)*")


@dataclass(slots=True)
class ListingSort:
    """Removes the sort order of a directory listing."""

    setting: str = "sort orders of directory listings"
    reason: ClassVar[str] = "listing_sort"

    def change(self, url: str) -> str:
        """The listing itself, where the query is nothing but its sort order."""
        path, mark, query = url.partition("?")
        if mark and path.endswith("/") and _SORT.fullmatch(query):
            return path
        return url
