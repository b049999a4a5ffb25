"""The settings of a project that consists of the crawl alone: ``scrapy crawl site``.

Your own project needs none of them (docs/as-a-library.md). The settings of the crawl itself
are in ``defaults.py``.
"""

from __future__ import annotations

import gc
import sys

from sitecrawl.console import interrupts

BOT_NAME = "sitecrawl"
ADDONS = {"sitecrawl.Addon": 0}
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
# The modules of the other commands are not needed: 3 % of the start of a crawl.
COMMANDS_MODULE = "sitecrawl.commands.crawl" if sys.argv[1:2] == ["crawl"] else "sitecrawl.commands"
LOG_LEVEL = "INFO"

# Before the slow imports, which make 400,000 objects to stay, and hardly any garbage: 5 % of a start.
interrupts.install()
gc.set_threshold(50_000, 20, 50)
