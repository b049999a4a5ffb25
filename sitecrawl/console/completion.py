"""Completion of commands and flags in the shell, by argcomplete."""

from __future__ import annotations

import argparse
from importlib import import_module

from scrapy.cmdline import _get_commands_dict
from scrapy.utils.project import get_project_settings


def complete() -> None:
    """Print the words that complete the command line in the environment, and exit."""
    settings = get_project_settings()
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    for name, command in _get_commands_dict(settings, inproject=True).items():
        command.settings = settings
        command.add_options(commands.add_parser(name, conflict_handler="resolve"))
    import_module("argcomplete").autocomplete(parser)
