"""Search for an installed Chromium or Chrome, which rendering needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OF_PLAYWRIGHT = "PLAYWRIGHT_BROWSERS_PATH"
"""Environment variable that names the folder of `playwright install`, and its default."""
FOLDER = "~/.cache/ms-playwright"
NO_BROWSER = (
    "no Chromium or Chrome was found. Install one (Debian, Ubuntu: apt-get install chromium; or "
    "anywhere: playwright install chromium), or name its program in the environment variable "
    "CHROMIUM"
)


def find_chromium(environment: Mapping[str, str]) -> str | None:
    """Return the program named by CHROMIUM, else the first one installed; None without any."""
    named = environment.get("CHROMIUM")
    names = (named,) if named else PROGRAMS
    path = environment.get("PATH", os.defpath)
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


def lacks_browser(settings: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Return True if neither the settings of scrapy-playwright nor the machine have a browser."""
    remote = settings.get("PLAYWRIGHT_CDP_URL") or settings.get("PLAYWRIGHT_CONNECT_URL")
    if remote or "executable_path" in (settings.get("PLAYWRIGHT_LAUNCH_OPTIONS") or {}):
        return False
    folder = Path(environment.get(OF_PLAYWRIGHT) or FOLDER).expanduser()
    return find_chromium(environment) is None and not any(folder.glob("chromium*"))
