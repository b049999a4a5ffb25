"""Detect pages that have changed since their stored document was made."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sitecrawl.crawl.visit import ContentHashes
from sitecrawl.frontier.base import Outcome
from sitecrawl.items import DropDocument
from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.content_hash import (
    content_hash,
    stable_links,
    stable_text,
    text_hash,
)
from sitecrawl.policy.documents.fields import VOLATILE
from sitecrawl.policy.documents.output_shapes import serialized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler

    from sitecrawl.crawl.visit import Visit
    from sitecrawl.items import Document
    from sitecrawl.policy.urls.rule_engine import Rules


BODY = "body"
KEPT = "\0site names in titles"
"""Part of the version of documents whose titles keep the site name, as they differ only by it."""


class ChangePipeline(DocumentPipeline):
    """Drop unchanged documents; add hashes to the others.

    ``content_hash`` is that of the text, ``document_hash`` that of the text, links, own images and
    fields. The frontier compares the first with those
    of other pages, in the transaction that writes the visit. Both are computed before a project's
    pipelines: their results are renewed when the page or ``version`` changes.
    """

    def __init__(self, rules: Rules, *, version: str) -> None:
        self._rules = rules
        self._version = version

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChangePipeline:
        """Compare links as the rules canonicalize them, without session ids."""
        spider: Any = crawler.spider
        params = spider.configuration.params
        kept = KEPT if "site_name" not in params.title_repairs else ""
        return cls(
            spider.rules,
            version=params.pipeline_version + params.outline_version + kept,
        )

    def process_document(self, document: Document) -> None:
        """Add the hashes; drop a document that did not change since the stored one was made."""
        page, visit = document.page, document.visit
        visit.reduced("\n".join(map(str, page.left_out)))
        links = stable_links(page)
        if len(links) <= self._rules.memory:  # more would not stay cached: a second for 50,000
            links = [self._rules.admit(link).key or link for link in links]
        own = text_hash(page.title, stable_text(page))
        page_hash = content_hash(own or "", links, page.images) + self._version
        is_hashed = document.get(BODY) is page.text and not page.stable_text
        fields = {**document, BODY: ""} if is_hashed else document
        hashes = ContentHashes(own, document_hash(fields, page_hash))
        if is_unchanged(visit, hashes):
            visit.hashed(replace(hashes, unchanged=True))
            raise DropDocument(Outcome.FILE_INGESTED, "ok")
        if hashes.content is not None:
            document["content_hash"] = hashes.content
        visit.hashed(hashes)


def is_unchanged(visit: Visit, hashes: ContentHashes) -> bool:
    """Return True if the document would be written again unchanged."""
    due = visit.due
    return (
        due.document_id is not None
        and visit.conclusion is None  # a page that names another as canonical is judged again
        and hashes.content == due.content_hash
        and hashes.document == due.document_hash
    )


def document_hash(fields: Mapping[str, Any], page_hash: str) -> str:
    """Return a hash of all fields that are not volatile; ``page_hash`` covers text and links."""
    lasting = {name: fields[name] for name in sorted(fields.keys() - VOLATILE)}
    return blake2b(page_hash.encode() + serialized(lasting), digest_size=16).hexdigest()
