"""The settings of a project that has nothing but the crawl: ``scrapy crawl site``.

A project of your own needs none of them (docs/as-a-library.md). The settings of the crawl itself
stand in ``defaults.py``.
"""

from __future__ import annotations

from sitecrawl.console import interrupts

BOT_NAME = "sitecrawl"
ADDONS = {"sitecrawl.Addon": 0}
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
COMMANDS_MODULE = "sitecrawl.commands"
LOG_LEVEL = "INFO"

interrupts.install()  # here, because this is read before anything that takes long to load
