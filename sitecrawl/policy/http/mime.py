"""Media type policy: wanted types, and the file extensions of each type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, refuse
from sitecrawl.policy.urls.url_rules import extension, ignored_extensions, read_target
from sitecrawl.web.feeds.listings import LISTING_XML
from sitecrawl.web.files.formats import (
    FORMAT_OF_TYPE,
    GENERIC_TYPES,
    OLE,
    ZIP,
    FileFormat,
    canonical_type,
    is_file_type,
    sniff_file,
    wanted_formats,
)
from sitecrawl.web.media_type import declared_type, is_no_text, sniff

BINARY = "application/octet-stream"
MAX_SHOWN_LENGTH = 100  # characters
CONTENT_TYPES = ("text/html", "application/xhtml+xml", "application/xml", "text/plain", "text/xml")
XML_TYPES = frozenset({"application/xml", "text/xml"})
# From IANA's registrations and mime.types, for the types that servers send without extension.
_EXTENSIONS = {
    "application": """
        epub+zip=epub gzip=gz+tgz java-archive=jar javascript=js+mjs json=json msword=doc
        octet-stream=bin pdf=pdf postscript=ps+eps rtf=rtf vnd.ms-excel=xls
        vnd.ms-fontobject=eot vnd.ms-powerpoint=ppt vnd.oasis.opendocument.presentation=odp
        vnd.oasis.opendocument.spreadsheet=ods vnd.oasis.opendocument.text=odt
        vnd.openxmlformats-officedocument.presentationml.presentation=pptx
        vnd.openxmlformats-officedocument.spreadsheetml.sheet=xlsx
        vnd.openxmlformats-officedocument.wordprocessingml.document=docx x-7z-compressed=7z
        x-bzip2=bz2 x-gzip=gz+tgz x-msdownload=exe+dll x-rar-compressed=rar
        x-shockwave-flash=swf x-tar=tar x-zip-compressed=zip xml=xml zip=zip
    """,
    "audio": """
        mpeg=mp3+mpg mp4=m4a ogg=ogg+opus wav=wav x-wav=wav
    """,
    "font": """
        ttf=ttf woff=woff woff2=woff2
    """,
    "image": """
        avif=avif bmp=bmp gif=gif jpeg=jpg+jpeg+jpe png=png svg+xml=svg tiff=tif+tiff
        vnd.microsoft.icon=ico webp=webp x-icon=ico
    """,
    "text": """
        css=css csv=csv html=html+htm+shtml javascript=js+mjs plain=txt+text xml=xml
    """,
    "video": """
        mp4=mp4+m4v mpeg=mpeg+mpg ogg=ogv quicktime=mov+qt webm=webm x-flv=flv x-ms-asf=asf
        x-ms-wmv=wmv x-msvideo=avi
    """,
}
MIME_EXTENSIONS: Mapping[str, tuple[str, ...]] = {
    f"{kind}/{name}": tuple(extensions.split("+"))
    for kind, table in _EXTENSIONS.items()
    for name, _, extensions in (entry.partition("=") for entry in table.split())
}


class MediaTypes(NamedTuple):
    """Wanted types, ignored extensions, and the table of extensions by type.

    ``sniff``: read the first bytes of a response without Content-Type; otherwise drop it.
    ``formats`` are the wanted formats of files.
    """

    wanted: frozenset[str]
    ignored_extensions: frozenset[str]
    extensions: Mapping[str, tuple[str, ...]]
    sniff: bool
    formats: tuple[FileFormat, ...]
    wanted_setting: str
    missing_setting: str

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the media types under these options; sitemaps are XML and are always read."""
        wanted = frozenset(canonical_type(each.lower()) for each in options.value("content_types"))
        changes = dict(map(read_mime_extensions, options.value("mime_extensions")))
        return cls(
            wanted=wanted | XML_TYPES if options.value("mode") in LISTING_XML else wanted,
            ignored_extensions=frozenset(ignored_extensions(options)),
            extensions={**MIME_EXTENSIONS, **changes},
            sniff=options.value("missing_content_type") == "sniff",
            formats=wanted_formats(wanted),
            wanted_setting=options.setting("content_types"),
            missing_setting=options.setting("missing_content_type"),
        )

    def decide(self, url: str, content_type: str | None) -> Decision:
        """Decide by the Content-Type header alone if the body is wanted.

        If it is allowed with the reason ``sniff``, the body's first bytes decide.
        """
        media_type = canonical_type(declared_type(content_type or ""))
        if not media_type:
            if self.sniff:
                return Decision(allowed=True, reason="sniff", rule=self.missing_setting)
            return refuse("content_type", f"{self.missing_setting}: no Content-Type")
        if media_type in GENERIC_TYPES and self._type_of_extension(url):
            return Decision(allowed=True, reason="sniff", rule=self.wanted_setting)
        return self._decide_type(url, media_type)

    def _decide_type(self, url: str, media_type: str) -> Decision:
        ignored = self.ignored_extensions.intersection(self.extensions.get(media_type, ()))
        if ignored and not extension(read_target(url).parts.path):
            why = f"{media_type} is .{min(ignored)}, an ignored extension"
            return refuse("mime_ignored", why)
        if media_type not in self.wanted:
            return refuse("content_type", f"{self.wanted_setting}: {media_type[:MAX_SHOWN_LENGTH]}")
        return ALLOWED

    def decide_body(
        self, url: str, content_type: str | None, body: bytes, *, is_certain: bool
    ) -> tuple[Decision, str]:
        """Decide by header and body; also return the media type of the body.

        ``is_certain``: the response forbids sniffing of text as another type (Fetch, 3.6).
        """
        decision = self.decide(url, content_type)
        if not decision.allowed:
            return decision, ""
        kind = self._type_of_body(url, content_type or "", body, is_certain=is_certain)
        if decision.reason != "sniff" and kind == canonical_type(declared_type(content_type or "")):
            return decision, kind
        return self._decide_type(url, kind), kind

    def _type_of_body(self, url: str, content_type: str, body: bytes, *, is_certain: bool) -> str:
        declared = canonical_type(declared_type(content_type))
        found = sniff_file(body) if self.formats else ""
        if is_file_type(declared):
            is_page = not found and sniff(body) == "text/html"
            return found if found in FORMAT_OF_TYPE else "text/html" if is_page else declared
        if not declared or declared in GENERIC_TYPES:
            if found in {OLE, ZIP}:
                return self._type_of_extension(url) or BINARY
            return found or sniff(body) or BINARY
        if not is_certain and found == "application/pdf" and body.startswith(b"%PDF-"):
            return found
        if not is_certain and is_no_text(content_type, body):
            return BINARY
        return declared

    def _type_of_extension(self, url: str) -> str:
        """Return the wanted type with the URL's extension; empty if there is none."""
        suffix = extension(read_target(url).parts.path) if self.formats else ""
        found = (each.types[0] for each in self.formats if suffix in each.extensions)
        return next(found, "") if suffix else ""


def read_mime_extensions(entry: str) -> tuple[str, tuple[str, ...]]:
    """Parse a table row written ``video/mp4:mp4`` or ``video/mp4:mp4+m4v``.

    No extensions (``video/mp4:``) remove the type from the table. Raises ValueError unless
    the entry is a media type and a colon.
    """
    media_type, colon, names = entry.lower().partition(":")
    if not colon or media_type.count("/") != 1 or not all(media_type.split("/")):
        raise ValueError(f"{entry!r} is not of the form TYPE/SUBTYPE:EXTENSION+EXTENSION")
    return media_type, tuple(name.strip(" .") for name in names.split("+") if name.strip(" ."))
