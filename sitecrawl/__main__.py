"""The command ``sitecrawl``: Scrapy's commands, with sitecrawl's settings where no project is."""

from __future__ import annotations

import os
from importlib import import_module

from scrapy.cmdline import execute
from scrapy.utils.conf import closest_scrapy_cfg


def main() -> None:
    """Run a command; ``sitecrawl crawl URL`` is ``scrapy crawl site -a start=URL``."""
    if not closest_scrapy_cfg():
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    if "_ARGCOMPLETE" in os.environ:
        import_module("sitecrawl.console.completion").complete()
    execute()


if __name__ == "__main__":
    main()
