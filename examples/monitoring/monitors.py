"""Spidermon monitors over the stats of a crawl; docs/monitoring.md shows the settings."""

from spidermon import Monitor, MonitorSuite

MAX_FAILED = 0.2


class CrawlMonitor(Monitor):
    """Checks at the end of a run."""

    def stat(self, name):
        """Return a stat; 0 if it was never set."""
        return self.data.stats.get(name, 0)

    def test_run_ended_well(self):
        """Fail for a crawl without a document or database."""
        assert self.stat("sitecrawl/exit_status") in (0, 4)

    def test_no_deletion_waits(self):
        """Fail if somebody must confirm deletions."""
        assert self.stat("sitecrawl/changes_held") == 0, "scrapy frontier confirm"

    def test_few_pages_failed(self):
        """Fail if more than a fifth of the pages failed on the side of the servers."""
        outcomes = "sitecrawl/outcomes/"
        pages = sum(self.stat(name) for name in self.data.stats if name.startswith(outcomes))
        failures = ("server_internal_error", "connection_failed", "request_timeout")
        failed = sum(self.stat(outcomes + name) for name in failures)
        assert failed <= pages * MAX_FAILED


class CrawlMonitors(MonitorSuite):
    """The monitors of a run."""

    monitors = [CrawlMonitor]
