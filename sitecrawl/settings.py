"""The settings of a project that consists of the crawl alone: ``scrapy crawl site``.

Your own project needs none of them (docs/as-a-library.md). The settings of the crawl itself
are in ``defaults.py``.
"""

from __future__ import annotations

from sitecrawl.console import interrupts

BOT_NAME = "sitecrawl"
ADDONS = {"sitecrawl.Addon": 0}
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
COMMANDS_MODULE = "sitecrawl.commands"
LOG_LEVEL = "INFO"

interrupts.install()  # before the slow imports
