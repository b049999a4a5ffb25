"""`scrapy genspider`: Scrapy's own, which would write into this package."""

from __future__ import annotations

import argparse

from scrapy.commands import genspider
from scrapy.exceptions import UsageError

PACKAGE = f"{__name__.partition('.')[0]}."


class Command(genspider.Command):
    """Create a spider in a project with a spider module of its own."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise UsageError if the spider would be written into this package."""
        super().process_options(args, opts)
        assert self.settings is not None
        module = str(self.settings["NEWSPIDER_MODULE"])
        if module.startswith(PACKAGE) and not (opts.list or opts.dump):
            raise UsageError(
                f"NEWSPIDER_MODULE is {module}, which is installed and no place for spiders of "
                "yours. Set it to a module of your project; docs/as-a-library.md shows one.",
                print_help=False,
            )
