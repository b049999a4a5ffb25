"""A second reading of one page of each origin, which shows what the site says anew at each request."""

from __future__ import annotations

from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks
from twisted.python.failure import Failure

from sitecrawl.reqmeta import SECOND_READING, own_request, second_reading_of
from sitecrawl.responses import page_of, request_of
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.scheduling.yields import Yields
from sitecrawl.web.read_options import ReadOptions


class SecondReadings:
    """Requests for second readings; they wait their turn, and obey robots.txt and the rules."""

    def __init__(
        self, queues: OriginQueues, tasks: BackgroundTasks, yields: Yields, options: ReadOptions
    ) -> None:
        self._queues = queues
        self._tasks = tasks
        self._yields = yields
        self._options = options
        yields.second_reading.connect(self.ask)

    def ask(self, key: str, url: str, text: str) -> None:
        """Request a page again whose text was read before."""
        self._queues.enqueue(own_request(self, url, SECOND_READING, (key, text)))
        self._tasks.wake()

    def answered(self, response: Response) -> None:
        """Learn from the difference of the two texts."""
        again = second_reading_of(request_of(response))
        if again is None or response.status != 200:
            return
        key, first = again
        page = page_of(response, self._options)
        self._yields.learn_noise(key, first, page.whole_text)

    def failed(self, failure: Failure) -> None:
        """Ignore the failure: nothing is learned."""
