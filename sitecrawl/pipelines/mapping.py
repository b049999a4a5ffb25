"""Fills the document's fields from the facts of its page and of its visit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import Outcome
from sitecrawl.items import SCHEMA_VERSION, DropDocument, is_empty
from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.binary_guard import check_text
from sitecrawl.policy.documents.document_dates import is_plausible, rfc3339
from sitecrawl.policy.documents.fields import document_fields
from sitecrawl.policy.urls.canonicalization import is_dynamic
from sitecrawl.web.urls.identity import document_id
from sitecrawl.web.urls.url import split

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from sitecrawl.crawl.discovery import AnchorTexts
    from sitecrawl.frontier.base import Visit
    from sitecrawl.items import Document
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Page


class MappingPipeline(DocumentPipeline):
    """Completes the document: title, descriptions, text and metadata as the options choose them,
    where the page is, and how it was fetched.
    """

    def __init__(
        self,
        options: DocumentOptions,
        key: Callable[[str], str],
        realm: str,
        anchors: AnchorTexts,
    ) -> None:
        self._options = options
        self._key = key
        self._realm = realm
        self._anchors = anchors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MappingPipeline:
        """Built with the spider's configuration, and the link texts that discovery gathers."""
        crawl = crawler.get_extension(Crawl)
        assert crawl is not None
        spider: Any = crawler.spider
        params = spider.configuration.params
        return cls(
            params.document_options(), spider.rules.key, params.realm, crawl.discovery.anchors
        )

    def process_document(self, document: Document) -> None:
        """Add the fields; drop what is no text."""
        page, visit = document.page, document.visit
        if page.fault:
            raise DropDocument(Outcome.DID_NOT_UNDERSTAND_ANSWER, page.fault)
        decision = check_text(page.text, self._options)
        if not decision.allowed:
            raise DropDocument(Outcome.UNWANTED_TYPE, decision.reason, decision.rule)
        for name, value in document_fields(page, self._options).items():
            document.setdefault(name, value)
        document.envelope = {
            "id": document_id(self._key(visit.due.url), self._realm),
            "schema_version": SCHEMA_VERSION,
            "realm": self._realm,
        }
        of_visit = {
            **document.envelope,
            **where(visit, page.location),
            **how(visit, page),
            "anchors": self._anchors.pop(visit.due.fingerprint),
        }
        document.update((name, value) for name, value in of_visit.items() if not is_empty(value))


def where(visit: Visit, location: str = "") -> dict[str, Any]:
    """The fields that say where a document is, by its own ``location`` if it gives one, and how
    it was found.
    """
    due, url = visit.due, location or visit.due.url
    parts = split(url)
    folders = [folder for folder in parts.path.split("/")[1:-1] if folder]
    return {
        "url": url,
        "url_scheme": parts.scheme,
        "url_host": parts.host,
        "url_port": parts.port,
        "url_path": parts.path,
        **{f"url_path_dir{n}": folder for n, folder in enumerate(folders[:3], start=1)},
        "url_dynamic": is_dynamic(url) or None,
        "source_url": due.referrer,
        "discovered_via": due.via,
        "depth": due.depth,
    }


def how(visit: Visit, page: Page) -> dict[str, Any]:
    """The fields that say how and when a document was fetched.

    When it changed last is for the frontier to say, which knows what it was before.
    """
    fetched_at = rfc3339(visit.started_at)
    return {
        "status_code": visit.status,
        "content_type": page.content_type,
        "content_length": page.size,
        "etag": visit.etag,
        "last_modified": visit.last_modified,
        "first_seen_at": rfc3339(visit.due.first_seen_at or visit.started_at),
        "last_crawled_at": fetched_at,
        "last_changed_at": fetched_at,
        "date_reliable": reliable(visit),
    }


def reliable(visit: Visit) -> bool | None:
    """False where the server's date cannot be right, None where there is nothing to say."""
    if not visit.last_modified or is_plausible(visit.last_modified, visit.started_at):
        return None
    return False
