"""`scrapy mcp`: give a crawl to language models, over the Model Context Protocol."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Sequence
from contextlib import suppress

from sitecrawl import install_command
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import find_crawl
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.search_files import IndexFollower, search_file
from sitecrawl.console.terminal import print_errors
from sitecrawl.statuses import DONE


class Command(StoredCommand):
    """Serve the tools search, read, outline and explain."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Serve until the client closes standard input, or a signal."""
        if opts.http is not None and not 0 < opts.http < 65536:
            raise MisuseError("--http is a port, a number from 1 to 65535")
        # Every command imports this module; only this one needs the SDK, which is an extra.
        try:
            from sitecrawl.browse.model_tools import ADDRESS, model_server, serve_http  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise MisuseError(
                f"scrapy mcp needs {error.name}: {install_command('mcp')}."
            ) from error
        from sitecrawl.browse.crawl_reader import CrawlReader  # noqa: PLC0415

        source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
        index = search_file(source)
        reader = CrawlReader(lambda: find_crawl(source.database, opts.spargs), self.rules, index)
        server = model_server(reader)
        if opts.http is not None:
            _check_port(ADDRESS, opts.http)
        IndexFollower(source, index).start()
        if opts.http is None:
            server.run("stdio")
            return DONE
        print_errors([f"{source.name} is at http://{ADDRESS}:{opts.http}/mcp (Ctrl-C ends)"])
        with suppress(KeyboardInterrupt):
            serve_http(server, opts.http)
        return DONE


def _check_port(address: str, port: int) -> None:
    try:
        socket.create_server((address, port)).close()
    except OSError as error:
        raise MisuseError(f"--http {port}: the port cannot be used ({error.strerror})") from error
