"""Page reader process: reads pages one after the other, for a crawl on several cores.

A frame on standard input or output is its length in four bytes (big-endian) and a pickle: first the
``ReadOptions``, then the arguments of ``read_page`` for each page, answered by its ``Page``.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys
from collections.abc import Sequence

from sitecrawl.web.page_reader import read_page

LENGTH = 4  # bytes


def main(_: Sequence[str]) -> None:
    """Answer until the standard input ends, as it does with the crawl."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    options = None
    while head := source.read(LENGTH):
        frame = pickle.loads(source.read(int.from_bytes(head, "big")))  # noqa: S301 -- of the crawl
        if options is None:
            options = frame
            continue
        target.write(framed(read_page(options=options, **frame)))
        target.flush()


def framed(value: object) -> bytes:
    """Return a value as a frame."""
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(packed).to_bytes(LENGTH, "big") + packed
