"""What one fetch may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.params.fetch import FetchParams

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one fetch: seconds of ``silence`` and in ``total``, bytes of the others.

    ``rate`` is in bytes a second.
    """

    silence: float = 10.0
    total: float = 120.0
    rate: int = 512
    body: int = 10_000_000
    header: int = 65_536


def limits_of(params: FetchParams) -> Limits:
    """The bounds that a crawl's options set."""
    return Limits(
        silence=params.timeout,
        total=params.max_time,
        rate=params.min_rate,
        body=params.max_body_size,
        header=params.max_header_size,
    )


def fetch_params(crawler: Crawler) -> FetchParams:
    """The options of the crawl's spider, or the defaults for a spider without any."""
    configuration = getattr(crawler.spider, "configuration", None)
    params = getattr(configuration, "params", None)
    return params if isinstance(params, FetchParams) else FetchParams.model_validate({})
