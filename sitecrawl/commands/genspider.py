"""`scrapy genspider`: Scrapy's own, which must not write into this package."""

from __future__ import annotations

import argparse

from scrapy.commands import genspider

from sitecrawl.console.scrapy_commands import MisuseError, StartedCommand

PACKAGE = f"{__name__.partition('.')[0]}."


class Command(StartedCommand, genspider.Command):
    """Create a spider in a project that has its own spider module."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise UsageError if the spider would be written into this package."""
        super().process_options(args, opts)
        module = str(self.settings["NEWSPIDER_MODULE"])
        if module.startswith(PACKAGE) and not (opts.list or opts.dump):
            raise MisuseError(
                f"NEWSPIDER_MODULE is {module}, which is installed and no place for spiders of "
                "yours. Set it to a module of your project; docs/as-a-library.md shows one."
            )
