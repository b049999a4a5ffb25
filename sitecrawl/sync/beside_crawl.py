"""Process of one target beside a crawl: python -m sitecrawl.sync.beside_crawl.

Its first line of input describes the target, so that no password is on a command line. The end of
the input is the end of the crawl: a last pass follows. It prints one JSON object at its end.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from threading import Event, Thread
from typing import Any

from sitecrawl.frontier import open_change_log
from sitecrawl.frontier.base import FrontierError, NoCrawlError
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.sync.synchronizer import Synchronizer, SyncReport
from sitecrawl.sync.target import (
    SyncError,
    TargetBusyError,
    TargetOptions,
    TargetUnreachableError,
    open_target,
)

POLL_SECONDS = 0.5
RETRY_SECONDS = 15.0  # after a target was unreachable with all retries
START_SECONDS = 0.5  # until the crawl has made its database
BUSY_SECONDS = 1.0  # while the process of another worker writes to the target
LAST_SECONDS = 30.0  # for which the target may stay busy after the end of the crawl


@dataclass(frozen=True, slots=True)
class SyncTask:
    """A target and the crawl database to read; ``realm`` is None for all."""

    database: str
    uri: str
    realm: str | None
    options: TargetOptions

    def written(self) -> str:
        """Return the task as a line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> SyncTask:
        """Return the task of such a line."""
        found: dict[str, Any] = json.loads(line)
        options = found["options"]
        documents = DocumentOptions(**{k: _frozen(v) for k, v in options["documents"].items()})
        return cls(**{**found, "options": TargetOptions(documents, options["embed"])})


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """The end of a target's process: the number of refused documents, and an error if there is one.

    ``busy``: another worker's process writes to the target, and goes on. ``lines`` tell of comparisons.
    """

    refused: int = 0
    error: str = ""
    busy: bool = False
    lines: Sequence[str] = ()


def synchronize(task: SyncTask, ended: Event) -> SyncOutcome:
    """Keep the target equal until the crawl has ended, and then once more.

    A target to which another worker's process writes is taken over when that has ended.
    """
    lines: list[str] = []
    return replace(_synchronize(task, ended, lines.append), lines=lines)


def _synchronize(task: SyncTask, ended: Event, report: Callable[[str], object]) -> SyncOutcome:
    give_up_at = None
    while True:
        try:
            return SyncOutcome(_follow(task, ended, report).refused)
        except (NoCrawlError, TargetUnreachableError) as error:
            if ended.is_set():
                return SyncOutcome(error=str(error))
            is_new = isinstance(error, NoCrawlError)
            ended.wait(START_SECONDS if is_new else RETRY_SECONDS)
        except TargetBusyError:
            if ended.is_set():
                give_up_at = give_up_at or time.monotonic() + LAST_SECONDS
                if time.monotonic() >= give_up_at:
                    return SyncOutcome(busy=True)
                time.sleep(BUSY_SECONDS)
            else:
                ended.wait(BUSY_SECONDS)
        except (FrontierError, SyncError) as error:
            return SyncOutcome(error=str(error))


def _follow(task: SyncTask, ended: Event, report: Callable[[str], object]) -> SyncReport:
    with (
        open_change_log(task.database) as log,
        closing(open_target(task.uri, task.options)) as target,
    ):
        synchronizer = Synchronizer(
            log,
            target,
            task.uri,
            report=report,
            realm=task.realm,
            poll=POLL_SECONDS,
            pause=ended.wait,
        )
        return synchronizer.follow(ended.is_set)


def _frozen(value: Any) -> Any:
    """Return lists as tuples, as they were before JSON."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def main() -> None:
    """Run the task on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the crawl, and that the input
    task, ended = SyncTask.read(sys.stdin.readline()), Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    Thread(target=wait_for_the_end, daemon=True).start()
    sys.stdout.write(json.dumps(asdict(synchronize(task, ended))))


if __name__ == "__main__":
    main()
