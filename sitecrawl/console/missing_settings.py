"""Answer to the project's commands where Scrapy has not found the project's settings.

Scrapy loads the commands of the entry point group ``scrapy.commands`` in every folder; those of
``COMMANDS_MODULE`` replace them where the project's settings are known. It imports this module for
each command, whatever it is: nothing else may be imported here.
"""

from __future__ import annotations

import argparse
import sys

from scrapy.commands import ScrapyCommand
from scrapy.utils.project import inside_project

NO_PROJECT = (
    "This command of sitecrawl needs its settings, and Scrapy finds none here: type sitecrawl in "
    "place of scrapy, or set "
    "SCRAPY_SETTINGS_MODULE=sitecrawl.settings in the environment, or change to a folder with "
    "sitecrawl's scrapy.cfg."
)
NOT_ENABLED = (
    "This command of sitecrawl is not enabled in this project: add "
    "COMMANDS_MODULE = 'sitecrawl.commands' to its settings."
)


class Command(ScrapyCommand):
    """Name the missing setting; exit with status 2."""

    requires_crawler_process = False

    def short_desc(self) -> str:
        """Return the description that `scrapy` prints in its list of commands."""
        setting = "COMMANDS_MODULE" if inside_project() else "SCRAPY_SETTINGS_MODULE"
        return f"Command of sitecrawl, which needs the setting {setting}"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Print the remedy, whatever the arguments are."""
        print(NOT_ENABLED if inside_project() else NO_PROJECT, file=sys.stderr)
        sys.exit(2)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do nothing: ``process_options`` has ended the command."""
