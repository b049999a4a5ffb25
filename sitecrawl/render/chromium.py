"""Finds an installed Chromium, and says how it is started."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError
from scrapy_playwright.provider import PlaywrightBrowserProvider

from sitecrawl.render.failures import RendererMissingError

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_PROGRAM = (
    "no Chromium or Chrome was found. Install one (Debian, Ubuntu: apt-get install chromium; or "
    "anywhere: playwright install chromium), or name its program in the environment variable "
    "CHROMIUM"
)
START_SECONDS = 60.0
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # all traffic by the gate
    "--js-flags=--max-old-space-size=512",  # a page that leaks ends itself, not the machine
)


def find_chromium(environment: Mapping[str, str]) -> str | None:
    """The program named by CHROMIUM, else the first that is installed; None without any."""
    named = environment.get("CHROMIUM")
    names = (named,) if named else PROGRAMS
    path = environment.get("PATH", os.defpath)
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


class InstalledChromium(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Starts the Chromium that is installed; a remote browser of the settings goes first."""

    mark = ""

    async def launch_browser(self) -> Browser:
        """The browser; raises RendererMissingError."""
        options = self.config.launch_options
        remote = self.config.cdp_url or self.config.connect_url
        if not remote and "executable_path" not in options:
            self.config.launch_options = {**self._options(), **options}
        try:
            browser: Browser = await super().launch_browser()
        except PlaywrightError as error:
            reason = str(error).partition("\n")[0]
            raise RendererMissingError(f"the browser does not start: {reason}") from error
        return browser

    def _options(self) -> dict[str, Any]:
        program = find_chromium(os.environ)
        assert self.browser_type is not None
        if program is None and not Path(self.browser_type.executable_path).exists():
            raise RendererMissingError(NO_PROGRAM)
        self.mark = f"--sitecrawl={uuid4().hex}"
        return {
            "executable_path": program,
            "args": [*ARGUMENTS, self.mark],
            "chromium_sandbox": os.geteuid() != 0,  # it cannot be had as root
            "timeout": START_SECONDS * 1000,
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
        }

    async def kill(self) -> None:
        """End the browser that was started here, and that does not obey any more."""
        if self.mark:
            for process in _processes_with(self.mark.encode()):
                os.kill(process, signal.SIGKILL)
        await self.close()


def _processes_with(mark: bytes) -> list[int]:
    """The processes that have an argument; none where the system has no /proc."""
    found = []
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark in arguments.read_bytes().split(b"\0"):
                found.append(int(arguments.parent.name))
        except OSError:
            continue  # it has ended since
    return found
