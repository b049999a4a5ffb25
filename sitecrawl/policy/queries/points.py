"""Points of server-side image maps, as in ``/map?10,27``: no parameters, whatever ``query`` says."""

from __future__ import annotations

import re

from sitecrawl.policy.queries.parameters import has_parameters

_POINT = re.compile(r"[^?]+\?\d+,\d+")


def has_parameters_but_no_point(url: str) -> bool:
    """Whether a URL has parameters and is no point of an image map."""
    return has_parameters(url) and not _POINT.fullmatch(url)
