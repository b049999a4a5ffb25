"""The components of a crawl, their order, and the default of every setting.

A crawl is configured by spider arguments (docs/configuration.md); this file has its Scrapy
settings. A SiteSpider carries them with a priority just above Scrapy's own defaults: settings of
a project, a spider or the command line override them, and tables of components, which are
Scrapy's ``*_BASE``, are merged. Other spiders of the same project are not affected.
"""

from __future__ import annotations

from scrapy.settings import default_settings

# The crawl database; NAME is replaced by the crawl's name. A shared one is postgresql://...
SITECRAWL_DATABASE = "sqlite:///.sitecrawl/NAME.db"

# Progress is logged after this many pages, but at most once in this many seconds.
SITECRAWL_STATISTICS_PAGES = 20
SITECRAWL_STATISTICS_SECONDS = 10

# Metrics for Prometheus: a text file, a port on loopback (docs/monitoring.md).
SITECRAWL_METRICS = ""
SITECRAWL_METRICS_PORT = 0

# text, or json: one object a line.
SITECRAWL_LOG_FORMAT = "text"

SCHEDULER = "sitecrawl.scheduler.OriginScheduler"
DOWNLOADER = "sitecrawl.http.downloader.Downloader"
STATS_CLASS = "sitecrawl.counters.Counters"

# Not Scrapy's whole list: it imports even disabled extensions, an HTTP client and an SSH server,
# which takes a fifth of the start-up time. ProgressLog below replaces LogStats.
EXTENSIONS_BASE = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memusage.MemoryUsage": 0,
    "scrapy.extensions.memdebug.MemoryDebugger": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "sitecrawl.output.feeds.Feeds": 0,
    "sitecrawl.extensions.log_messages.JsonLog": 4,
    "sitecrawl.extensions.log_messages.PrintableLog": 5,
    "sitecrawl.extensions.crawl.Crawl": 10,
    "sitecrawl.extensions.crawl_ending.CrawlEnding": 11,
    "sitecrawl.extensions.ignored_settings.IgnoredSettings": 30,
    "sitecrawl.extensions.configuration_changes.ConfigurationChanges": 40,
    "sitecrawl.extensions.progress_log.Progress": 50,
    "sitecrawl.extensions.progress_log.ProgressLog": 60,
    "sitecrawl.extensions.metrics.Metrics": 75,
    "sitecrawl.extensions.garbage.Garbage": 90,
}

DOWNLOAD_HANDLERS_BASE = {
    "http": "sitecrawl.http.handler.BoundedDownloadHandler",
    "https": "sitecrawl.http.handler.BoundedDownloadHandler",
}

# Scrapy's default resolver finds IPv4 addresses only, and no IPv6 literal.
TWISTED_DNS_RESOLVER = "sitecrawl.resolver.ForgettingResolver"

# Likewise for middlewares: of Scrapy's own, only those named here.
DOWNLOADER_MIDDLEWARES_BASE = {
    # from the engine to the network
    "sitecrawl.downloadermiddlewares.placeholders.PlaceholderMiddleware": 40,
    "sitecrawl.downloadermiddlewares.meta_robots.MetaRobotsMiddleware": 50,
    "sitecrawl.downloadermiddlewares.rules.RulesMiddleware": 100,
    "sitecrawl.downloadermiddlewares.headers.HeadersMiddleware": 300,
    "sitecrawl.downloadermiddlewares.headers.ConditionalMiddleware": 400,
    "sitecrawl.downloadermiddlewares.headers.KeptFilesMiddleware": 450,
    "sitecrawl.downloadermiddlewares.adhoc.AdhocMiddleware": 550,
    "sitecrawl.downloadermiddlewares.outcome.OutcomeMiddleware": 620,
    "sitecrawl.downloadermiddlewares.cookies.CookiesMiddleware": 700,
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": 750,
    "sitecrawl.downloadermiddlewares.stats.StatsMiddleware": 850,
    "sitecrawl.downloadermiddlewares.turn.TurnMiddleware": 950,
}

SPIDER_MIDDLEWARES_BASE = {
    "sitecrawl.spidermiddlewares.StartMiddleware": 25,
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": 50,
}

# Scrapy's customary orders, 0 to 1000, are left to the project: its pipelines get whole documents,
# and the result is stored and written.
ITEM_PROCESSOR = "sitecrawl.pipelines.DocumentProcessor"
ITEM_PIPELINES_BASE = {
    "sitecrawl.pipelines.NoindexPipeline": -400,
    "sitecrawl.pipelines.CanonicalPipeline": -300,
    "sitecrawl.pipelines.MappingPipeline": -200,
    "sitecrawl.pipelines.ChangePipeline": -100,
    "sitecrawl.pipelines.OutputPipeline": 1100,
}

# The scheduler ensures one request in flight per origin, and its delay. These bound
# the total, and the connections kept for each origin.
CONCURRENT_REQUESTS = 200
CONCURRENT_REQUESTS_PER_DOMAIN = 16
CONCURRENT_ITEMS = 1  # Scrapy creates this many tasks for each response
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 50_000_000
REACTOR_THREADPOOL_MAXSIZE = 20

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
ROBOTSTXT_OBEY = False  # replaced by -a obey_robots

FEED_EXPORT_ENCODING = "utf-8"
FEED_STORE_EMPTY = False  # a run without changes keeps an earlier run's file
FEED_EXPORTERS_BASE = {
    **default_settings.FEED_EXPORTERS_BASE,
    **dict.fromkeys(("jsonlines", "jsonl", "jl"), "sitecrawl.output.exporters.JsonLinesExporter"),
    "csv": "sitecrawl.output.exporters.CsvExporter",
    "xml": "sitecrawl.output.exporters.XmlExporter",
}
FEED_STORAGES_BASE = {
    **default_settings.FEED_STORAGES_BASE,
    "": "sitecrawl.output.feeds.LocalFeedStorage",
    "file": "sitecrawl.output.feeds.LocalFeedStorage",
    "stdout": "sitecrawl.output.feeds.OpenStdoutFeedStorage",
}

LOG_LEVEL = "INFO"
LOG_FORMATTER = "sitecrawl.extensions.log_messages.LogFormatter"
WARN_ON_GENERATOR_RETURN_VALUE = False
