"""Return of free memory to the operating system after large pages.

The C library keeps freed memory until the end of its heap is free as well: a tree of 100 MB would
stay resident while candidates and documents are made elsewhere.
"""

from __future__ import annotations

import ctypes
from typing import Any

LARGE = 1_000_000  # bytes of markup; from here on, the 1 to 15 ms of a call are negligible


def release_memory(size: int) -> None:
    """Return free memory to the system after work on ``size`` bytes, if that is large.

    Uses malloc_trim(3) of glibc; does nothing elsewhere.
    """
    if size >= LARGE and _TRIM is not None:
        _TRIM(0)


def _trim() -> Any:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # Windows has no library of the process itself
        return None


_TRIM = _trim()
