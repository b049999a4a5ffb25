"""Return of free memory to the system, which large pages leave behind in pieces.

The C library keeps what a parser frees until the end of its heap is free as well: a tree of
100 MB would stay resident while candidates and documents are made elsewhere.
"""

from __future__ import annotations

import ctypes
from typing import Any

LARGE = 1_000_000  # bytes of markup from which on 1 to 15 ms for its return are little


def release_memory(size: int) -> None:
    """Return free memory after work on ``size`` bytes, where that is much and the C library can.

    malloc_trim(3) is glibc's; elsewhere nothing happens.
    """
    if size >= LARGE and _TRIM is not None:
        _TRIM(0)


def _trim() -> Any:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # Windows has no library of the process itself
        return None


_TRIM = _trim()
