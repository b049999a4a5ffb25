"""Options of rendering: pages to render, browser, and bounds."""

from __future__ import annotations

from typing import Annotated, Literal

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import ByteSize, Duration, OptionGroup, Words, among

KINDS = (
    *("cspviolationreport", "eventsource", "fetch", "font", "image", "manifest", "media", "other"),
    *("ping", "script", "stylesheet", "texttrack", "websocket", "xhr"),
)
"""Resource types of a browser."""


class RenderParams(OptionGroup):
    """Pages that scripts make, and the browser that shows them."""

    render: Literal["none", "splash", "playwright", "auto"] = option("none", Effect.READING)
    """Pages that a browser renders: none, every page with scripts in a Splash server (splash) or in
    a local Chromium (playwright), or those that need it in Chromium (auto)."""
    render_time: Duration = option(20.0, Effect.RUN, gt=0, le=600)
    """Maximum time until a page counts as finished; its content at that time is taken."""
    render_wait: Duration = option(0.0, Effect.RUN, le=600)
    """Least time that a page is given after it has loaded."""
    render_block: Annotated[Words, among(KINDS)] = option(
        ("image", "font", "media", "ping", "cspviolationreport"), Effect.RUN
    )
    """Kinds of what a page asks for that are not loaded."""
    render_max_size: ByteSize = option(50_000_000, Effect.RUN, ge=1)
    """Maximum number of bytes that the scripts of one page may load."""
    render_restart: int = option(500, Effect.RUN, ge=1)
    """Pages after which the browser is started anew, to bound its memory."""
