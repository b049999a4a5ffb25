"""Sites whose pages say something else at each request: counters, clocks, times of making and quotations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from random import Random

from benchmarks.natural_sites import blogs, calendars, endless_parts, forums, shops
from benchmarks.natural_sites.prose import Prose
from benchmarks.natural_sites.site import NaturalSite, Reply, Visit

QUOTATIONS = 300
_QUIET = (*endless_parts.SITES, *forums.SITES, *calendars.SITES, *blogs.SITES, *shops.SITES)


def _made(random: Random, number: int) -> str:
    time = f"0.{random.randrange(100, 999)} seconds with {random.randrange(9, 31)} queries"
    return (
        f"Page created in {time}, {random.randrange(3000, 6000)} KB. Visits: {100_000 + 7 * number}"
    )


def _clock(random: Random, number: int) -> str:
    return f"{number // 3600 % 24}:{number // 60 % 60:02}:{number % 60:02}, {random.randrange(3, 90)} visitors"


def _quotation(random: Random, _number: int) -> str:
    return Prose("quotations", random.randrange(QUOTATIONS))("{sentence}")


def _site(name: str) -> NaturalSite:
    return next(site for site in _QUIET if site.name == name)


def _noisy(site: NaturalSite, name: str, noise: Callable[[Random, int], str]) -> NaturalSite:
    """A site with a line of noise at the end of each page."""
    random, numbers = Random(name), count(1)

    def reply(visit: Visit) -> Reply:
        found = site.reply(visit)
        if found.status != 200 or not isinstance(found.body, str):
            return found
        body, end, rest = found.body.rpartition("</body>")
        line = f"<p>{noise(random, next(numbers))}</p>"
        return replace(found, body=f"{body}{line}{end}{rest}" if end else found.body + line)

    return replace(site, name=f"{site.name}-{name}", reply=reply)


SITES = (
    _noisy(_site("facets"), "made-in", _made),
    _noisy(_site("counter"), "made-in", _made),
    _noisy(_site("calendar"), "quotation", _quotation),
    _noisy(_site("share-maze"), "quotation", _quotation),
    _noisy(_site("forum-start"), "made-in", _made),
    _noisy(_site("forum-permalinks"), "quotation", _quotation),
    _noisy(_site("club-gap"), "clock", _clock),
    _noisy(_site("blog-comment-pages"), "made-in", _made),
    _noisy(_site("garden-shop"), "quotation", _quotation),
)
