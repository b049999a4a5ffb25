"""Download handler that takes archives in place of the network."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from warcio.exceptions import ArchiveLoadFailed

from sitecrawl.archive.captures import ArchivedResponse, Captures
from sitecrawl.http.fetch_errors import BodyTooLargeError, BrokenEncodingError, NotArchivedError
from sitecrawl.http.handler import BoundedDownloadHandler, ResponseBuilder
from sitecrawl.http.messages import ResponseHead
from sitecrawl.reqmeta import robots_of

NO_ROBOTS = ArchivedResponse("HTTP/1.1", HTTPStatus.NOT_FOUND, [], b"")


class ArchivedDownloadHandler(BoundedDownloadHandler):
    """Download handler that answers from a folder of WARC files, and opens no connection.

    A URL without a response is ``not_archived``: its document stays. A site whose robots.txt was
    not archived has none.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._captures = Captures(Path(self._params.from_warc))

    async def download_request(self, request: Request) -> Response:
        """Return the archived response; raises NotArchivedError, and for the body as its base."""
        answer = ResponseBuilder(request, self._params, self._stopper)
        found = self._find(request)
        head = ResponseHead(found.version, found.status, found.fields)
        body = found.body if answer.begun(head, len(found.body)) else b""
        if len(body) > answer.limit:
            if not answer.prefix:
                raise BodyTooLargeError(f"the body is larger than {answer.limit_option}")
            body = body[: answer.limit]
        return answer.response(b"" if request.method == "HEAD" else body, len(body), None)

    def _find(self, request: Request) -> ArchivedResponse:
        try:
            found = self._captures.response(request.url, self._params.max_file_size)
        except (OSError, ArchiveLoadFailed) as error:
            raise BrokenEncodingError(f"the archive is damaged: {error}") from error
        if found is not None:
            return found
        if robots_of(request) is not None:
            return NO_ROBOTS
        raise NotArchivedError("no response in from_warc")

    async def close(self) -> None:
        """Close the archive."""
        self._captures.close()
        await super().close()
