"""What of this project's parts a crawl cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

NEEDED = {
    "EXTENSIONS": ("sitecrawl.extensions.crawl.Crawl",),
    "DOWNLOADER_MIDDLEWARES": (
        "sitecrawl.downloadermiddlewares.meta_robots.MetaRobotsMiddleware",
        "sitecrawl.downloadermiddlewares.outcome.OutcomeMiddleware",
        "sitecrawl.downloadermiddlewares.turn.TurnMiddleware",
    ),
    "SPIDER_MIDDLEWARES": ("sitecrawl.spidermiddlewares.start.StartMiddleware",),
    "ITEM_PIPELINES": (
        "sitecrawl.pipelines.mapping.MappingPipeline",
        "sitecrawl.pipelines.change.ChangePipeline",
        "sitecrawl.pipelines.output.OutputPipeline",
    ),
}
SPIDER = "sitecrawl.spiders.site.SiteSpider"
CLASSES = {
    "SCHEDULER": "sitecrawl.scheduler.OriginScheduler",
    "ITEM_PROCESSOR": "sitecrawl.pipelines.processor.DocumentProcessor",
}
REMEDY = "the crawl cannot do without it"


def missing_parts(spider: object, settings: BaseSettings) -> Iterator[str]:
    """A line for each part that a SiteSpider is without: some let a crawl never end."""
    if not _is_among(SPIDER, [spider]):
        return
    for table, needed in NEEDED.items():
        named = [*settings.get_component_priority_dict_with_base(table)]
        for part in needed:
            if not _is_among(part, named):
                yield f"{table} lacks {part}: {REMEDY}"
    for name, part in CLASSES.items():
        if not _is_among(part, [settings[name]]):
            yield f"{name} is not {part}, nor made of it: {REMEDY}"


def _is_among(part: str, named: Sequence[Any]) -> bool:
    """Whether a part is named, or one that is derived from it.

    Not ``issubclass``: whatever has its methods is a subclass of a scheduler of Scrapy's.
    """
    if part in named:
        return True
    wanted = load_object(part)
    return any(wanted in getattr(load_object(name), "__mro__", ()) for name in named)
