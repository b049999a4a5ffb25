"""sitecrawl: turns websites into clean, search-ready documents and keeps them up to date."""

import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sitecrawl.addon import Addon

__all__ = ["Addon"]


def _version() -> str:
    """Return the version of the distribution; 0 for a package that was copied without it."""
    try:
        return version("scrapy-sitecrawl")
    except PackageNotFoundError:
        return "0"


__version__ = _version()


def install_command(extra: str) -> str:
    """Return the words that tell how an extra is installed."""
    return f"scripts/setup {extra} in a clone, else pip install 'scrapy-sitecrawl[{extra}]'"


def program_name() -> str:
    """Return ``sitecrawl`` if this program was started by that name, else ``scrapy``."""
    started = Path(sys.argv[0])
    name = started.parent.name if started.name == "__main__.py" else started.name
    return name if name == "sitecrawl" else "scrapy"


def typed_program() -> str:
    """Return what the user can type to start this program again: its name, or a path to it."""
    name, started = program_name(), Path(sys.argv[0])
    if started.name != name or not started.exists():
        return name
    found = shutil.which(name)
    return name if found and started.samefile(found) else shlex.quote(sys.argv[0])
