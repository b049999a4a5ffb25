"""Options of the crawl as flags: ``--max-pages 500`` for ``-a max_pages=500``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from sitecrawl.config.option_texts import default, descriptions, option_groups, title_of, type_of

OF_SCRAPY = frozenset({"profile"})
"""Options whose flag means something else to Scrapy."""


class _OptionFlag(argparse.Action):
    """Append the option to the arguments of the spider, as ``-a NAME=VALUE`` does."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Append one option; a flag without a value is yes, or no if it begins with ``--no-``."""
        value = values
        if self.nargs == 0:
            value = "no" if str(option_string).startswith("--no-") else "yes"
        namespace.spargs = [*namespace.spargs, f"{self.const}={value}"]


def add_option_flags(parser: argparse.ArgumentParser, *, described: bool) -> None:
    """Add a flag for each option of the crawl, in the groups of the model.

    A command that adds an option of the same name afterwards replaces the flag. Descriptions are
    read only where the command line asks for help.
    """
    parser.allow_abbrev = False
    parser.conflict_handler = "resolve"
    asked = described and not {"-h", "--help"}.isdisjoint(sys.argv)
    for part, options in option_groups():
        group = parser.add_argument_group(title_of(part) if described else None)
        texts = descriptions(part) if asked else {}
        for name, field in options.items():
            flag = "--" + name.replace("_", "-")
            if name in OF_SCRAPY:
                continue
            is_bool = field.annotation is bool
            words = None if described else argparse.SUPPRESS
            if asked:
                words = f"{texts[name]} ({type_of(field)}; {default(field)})"
                words = words.translate({ord("%"): "%%", ord("*"): None, ord("`"): None})
            group.add_argument(
                *([flag, f"--no-{flag[2:]}"] if is_bool else [flag]),
                action=_OptionFlag,
                dest=argparse.SUPPRESS,
                const=name,
                metavar=None if is_bool else "VALUE",
                nargs=0 if is_bool else None,
                help=words,
            )
