"""Item exporters for the output's lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter, XmlItemExporter

from sitecrawl.items import Record
from sitecrawl.policy.documents.fields import FIELDS
from sitecrawl.policy.documents.output_shapes import field_names, serialized_parts

COMMON_OPTIONS = frozenset({"encoding", "export_empty_fields", "fields_to_export", "indent"})
"""Options common to Scrapy's exporters; all others are for the encoder."""
_NOT_XML = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0, 2.2


class JsonLinesExporter(JsonLinesItemExporter):
    """JSON lines; documents are written compactly, in a fifth of the time of Scrapy's encoder.

    A feed with options of its own is written by Scrapy's encoder.
    """

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        of_json = {name: value for name, value in kwargs.items() if name not in COMMON_OPTIONS}
        ours = self.fields_to_export is None and self.encoding == "utf-8"
        self._plain = ours and of_json in ({}, {"ensure_ascii": False})

    def export_item(self, item: Any) -> None:
        """Write one line."""
        if self._plain and isinstance(item, Record):
            for part in serialized_parts(item):
                self.file.write(part)
            self.file.write(b"\n")
        else:
            super().export_item(item)


class CsvExporter(CsvItemExporter):
    """CSV with a column for each registered field; Scrapy's has only those of the first line."""

    columns: tuple[str, ...] = FIELDS

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        if file.seekable() and file.tell():  # the file already has a header line
            self.include_headers_line = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **kwargs: Any) -> Self:
        """Use the fields that the spider's configuration adds, leaves out and renames."""
        exporter = cls(file, **kwargs)
        configuration: Any = getattr(crawler.spider, "configuration", None)
        if configuration is not None:
            exporter.columns = field_names(FIELDS, configuration.params.document_options())
        return exporter

    def export_item(self, item: Any) -> None:
        """Write one line."""
        if self.fields_to_export is None and isinstance(item, Record):
            self.fields_to_export = self.columns
        super().export_item(item)


class XmlExporter(XmlItemExporter):
    """Well-formed XML, whatever names and characters a page has."""

    def export_item(self, item: Any) -> None:
        """Write one item."""
        if isinstance(item, Record):
            fields = {name: _for_xml(_entries(value)) for name, value in item.items()}
            item = Record(item.seq, fields)
        super().export_item(item)


def _for_xml(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _for_xml(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_for_xml(part) for part in value]
    return re.sub(_NOT_XML, "\ufffd", value) if isinstance(value, str) else value


def _entries(value: Any) -> Any:
    """Convert names below a field to values: those of metas and keywords may be invalid in XML."""
    if not isinstance(value, Mapping):
        return value
    return [{"name": name, "value": part} for name, part in value.items()]
