"""Targets in files: their URIs, the lock of the one writer, and files replaced as a whole."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from sitecrawl.sync.target import TargetBusyError, TargetUriError

LOCK = "sitecrawl.lock"


def folder_of(uri: str) -> Path:
    """Return the folder of ``SCHEME:///FOLDER``; raises TargetUriError."""
    scheme, _, path = uri.partition(":///")
    if not path:
        raise TargetUriError(f"{uri!r} names no folder; write {scheme.partition(':')[0]}:///FOLDER")
    return Path(path)


def lock_folder(folder: Path) -> IO[str]:
    """Create a folder if it is missing, and lock it until the returned file is closed.

    Raises TargetBusyError if another process has locked it, OSError if it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / LOCK).open("a")
    try:
        lock_open_file(lock, folder)
    except TargetBusyError:
        lock.close()
        raise
    return lock


def lock_open_file(lock: IO[str], target: Path, *, shared: bool = False) -> None:
    """Lock a target for this process, or beside others that share it; raises TargetBusyError."""
    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError as error:
        text = f"Another scrapy sync writes to {target}; run one at a time."
        raise TargetBusyError(text) from error


def replace_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file that readers see either as it was or as a whole."""
    replace_text(path, json.dumps(content))


def replace_text(path: Path, text: str) -> None:
    """Write a text file that readers see either as it was or as a whole."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
