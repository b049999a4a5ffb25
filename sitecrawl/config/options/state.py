"""Options of the frontier: revisits, deletion and realms."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import AUTO, Duration, OptionGroup, Recrawl, WorkerCount
from sitecrawl.frontier.opening import is_database_url
from sitecrawl.web.urls.identity import DEFAULT_REALM

HOUR = 3600.0
DAY = 24 * HOUR


def check_database(url: str) -> str:
    """Return the URL of a crawl database, or nothing; raises ValueError."""
    if url and not is_database_url(url):
        raise ValueError("should be sqlite:///FILE or postgresql://...")
    return url


class StateParams(OptionGroup):
    """Revisits, deletion, realms and the crawl database."""

    recrawl: Recrawl = option(AUTO, Effect.RUN)
    """Age at which a page is due for another visit; auto is an age for each page by its rate of
    change, between 1d and max_revisit, at first 2d."""
    max_pages_per_day: int = option(0, Effect.RUN, ge=0)
    """The most pages of an origin that all runs and workers visit in a day (UTC), half of them new
    ones and half those most likely to have changed; the others wait. 0 for any number."""
    force: bool = option(False, Effect.RUN)
    """Make every known URL due now, whatever its age."""
    modified_since: Literal["server", "indexed"] = option("server", Effect.RUN)
    """Date in If-Modified-Since: the server's Last-Modified, else the time of the last visit; or
    always that time."""
    max_revisit: Duration = option(30 * DAY, Effect.RUN)
    """Maximum time to the next visit that an Expires header or `recrawl=auto` may ask for, and the
    time for which a permanent redirect is believed."""
    trust_lastmod: bool = option(True, Effect.RUN)
    """Believe the dates of a sitemap (lastmod) once visits have shown that they are right: a page
    that they call changed is due when its sitemap is read, one that they call unchanged is not
    visited again before max_revisit."""
    retry_refused_after: Duration = option(30 * DAY, Effect.RUN)
    """Age of an answer 401, 403 or the like at which its page is asked again, by the option of the
    run that asks."""
    retry_broken_after: Duration = option(DAY, Effect.RUN)
    """Age of a server error at which its page is asked again, by the option of the run that
    asks."""
    blacklist_errors: bool = option(False, Effect.RUN)
    """Leave URLs that ended in an error alone until their errors are cleared (`scrapy frontier
    clear-errors`), whatever their age."""
    purge_404_after: int = option(3, Effect.RUN, ge=1, le=100)
    """Answers 404 in a row after which a page's document is deleted; until then the page is due in
    every run."""
    delete_unreachable_after: int = option(0, Effect.RUN, ge=0, le=100)
    """Failed visits in a row, of any other kind, after which a page's document is deleted; 0 is
    never."""
    max_lost_share: float = option(0.1, Effect.RUN, ge=0, le=1)
    """Part of an origin's documents, at least one, that one day may delete or replace by texts that
    are not their own. By plain words (404, 410, noindex, robots.txt, the rules of the crawl) half
    of them may go. More waits for `scrapy frontier confirm`, and its pages are due in every run; it
    is carried out once five visits over max_revisit have found nothing else. 1 turns this off."""
    duplicates: Literal["equal", "canonical", "keep"] = option("equal", Effect.SELECTION)
    """Pages that are one document: those of an origin with equal texts, and those that name one
    canonical URL (equal), the latter alone (canonical), or none, so that each URL has a document of
    its own (keep)."""
    store_links: Literal["none", "known", "outside", "assets"] = option("known", Effect.RUN)
    """Store to which URLs each page links, for `scrapy report` and the SQL view `links`: to known
    ones; outside: also to addresses outside of the scope, at most 200 a page and 100,000 in all;
    assets: also to the images, scripts, style sheets and media of pages, those of their own host
    included. `scrapy report --check-outside` asks for these. Pages are not read again for it: those
    that were read without it have no links until they are read anew."""
    realm: str = option(DEFAULT_REALM, Effect.SELECTION, min_length=1)
    """Named collection to which URLs and documents of this crawl belong; realms in one database do
    not know each other."""
    database: Annotated[str, AfterValidator(check_database)] = option("", Effect.RUN, secret=True)
    """URL of the crawl database, sqlite:///FILE or postgresql://..., in place of the setting
    SITECRAWL_DATABASE; NAME in it stands for the crawl's name."""
    workers: WorkerCount = option(1, Effect.RUN, ge=1, le=64)
    """Number of worker processes of `scrapy crawl`, which share the origins of the crawl; auto is
    one for each core. They have one log, one output in order and one exit status."""
    readers: WorkerCount = option(0, Effect.RUN, ge=0, le=64)
    """Number of processes that read pages for one of the crawl, so that a single origin uses
    several cores; auto is one for each core. 0 reads pages in the crawl's own process."""
    exclusive: bool = option(False, Effect.RUN)
    """Do not join a run of this crawl that is still going on, but end at once with status 5, as for
    a crawl that is started by a timer."""
    lease: Duration = option(60.0, Effect.RUN, ge=2)
    """Time after which the origins of a worker that is not heard of are free for the other workers
    of the crawl."""
    reconnect: Duration = option(300.0, Effect.RUN)
    """Time for which a crawl tries to reach its crawl database again after the connection to the
    PostgreSQL server was lost, or while another process locks the file."""
