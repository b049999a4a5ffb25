"""`scrapy identity`: the key with which a crawl signs its requests, and what its agent publishes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from scrapy.utils.conf import arglist_to_dict

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.types import read_duration
from sitecrawl.console.command_base import AnsweringCommand
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.http.agent_identity import UnusableKeyError, check_agent, make_key, read_identity
from sitecrawl.statuses import DONE, NO_RESULT


class Command(AnsweringCommand):
    """Make a key; print or check the directory, the card and the addresses of its agent."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Do what the options ask for; return the exit status."""
        if not (args or opts.addresses) or (opts.make and len(args) != 1):
            raise MisuseError("name one file of a key")
        try:
            return self._answer(args, opts)
        except (UnusableKeyError, ValueError) as error:
            raise ConfigError([f"{error}."]) from error

    def _answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        from sitecrawl.config.configuration import load  # noqa: PLC0415 -- each start imports it
        from sitecrawl.http import agent_files  # noqa: PLC0415

        if opts.addresses:
            print_lines([agent_files.address_file(opts.addresses, time.time())])
            return DONE
        if opts.make:
            valid = read_duration(opts.valid) if opts.valid else None
            make_key(Path(args[0]), check_agent(opts.make), valid)
        identities = {name: read_identity(Path(name)) for name in args}
        newest = identities[args[-1]]
        if len({each.agent for each in identities.values()}) > 1:
            raise ValueError("the keys are of different agents")
        if opts.check:
            problems = [*agent_files.problems_of_directory(identities)]
            if opts.card:
                problems += agent_files.problems_of_card(opts.card, newest)
            print_errors(f"{each}." for each in problems)
            if not problems:
                print_lines([f"{agent_files.directory_url(newest)} is as it should be."])
            return NO_RESULT if problems else DONE
        if opts.card:
            given = arglist_to_dict(opts.spargs)
            params = load({"start": newest.agent, **given}).params
            print_lines([agent_files.agent_card(opts.card, newest, params)])
        else:
            print_lines([agent_files.key_directory(identities.values())])
        return DONE
