"""`scrapy browse`: search and read a crawl in a web browser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import find_crawl
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.search_files import IndexFollower, search_file
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.statuses import BAD_USAGE, DONE

COLOR = re.compile("#[0-9a-fA-F]{6}")
LOGOS = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")


class Command(StoredCommand):
    """Serve the pages of a crawl on this machine until Ctrl-C."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Serve until a signal ends the process."""
        if not 0 < opts.port < 65536:
            raise MisuseError("--port is a number from 1 to 65535")
        public = opts.public_url.rstrip("/").lower()
        for origin in [*opts.allow_origin, *([public] if public else [])]:
            if not ORIGIN.fullmatch(origin):
                raise MisuseError(f"{origin!r} is not an origin; write https://example.org")
        if opts.embed:
            from sitecrawl.browse.web_pages import BOX, asset  # noqa: PLC0415

            return print_lines(asset(BOX).decode().splitlines())
        if opts.color and not COLOR.fullmatch(opts.color):
            raise MisuseError("--color is written #RRGGBB, as #0a6e4f")
        return self._serve(public, opts)

    def _serve(self, public: str, opts: argparse.Namespace) -> int:
        # Every command imports this module; only this one needs templates and a server.
        from twisted.internet.error import CannotListenError  # noqa: PLC0415

        from sitecrawl.browse.crawl_reader import CrawlReader  # noqa: PLC0415
        from sitecrawl.browse.web_pages import Look, WebPages  # noqa: PLC0415
        from sitecrawl.browse.web_server import ADDRESS, serve  # noqa: PLC0415

        setting = self.settings["SITECRAWL_DATABASE"]
        source = find_crawl(setting, opts.spargs)
        index = search_file(source)
        reader = CrawlReader(lambda: find_crawl(source.database, opts.spargs), self.rules, index)
        here = f"http://{ADDRESS}:{opts.port}"
        hosts = [f"{name}:{opts.port}" for name in (ADDRESS, "localhost")]
        if public:
            hosts.append(public.partition("://")[2])
        follower = IndexFollower(source, index)

        def started() -> None:
            follower.start()
            print_lines([f"{source.name} is at {here}/ (Ctrl-C ends)"])

        try:
            look = Look(opts.name, _logo(opts.logo), opts.color)
            pages = WebPages(reader, public or here, lambda: follower.problem, look)
            serve(pages, opts.port, hosts, opts.allow_origin, started)
        except CannotListenError:
            print_errors([f"Port {opts.port} is in use; give another one with --port."])
            return BAD_USAGE
        return DONE


def _logo(path: str | None) -> tuple[bytes, str] | None:
    if path is None:
        return None
    media_type = LOGOS.get(Path(path).suffix.lower())
    if media_type is None:
        raise MisuseError(f"--logo is one of {', '.join(LOGOS)}")
    return Path(path).read_bytes(), media_type
