"""What Scrapy's responses tell, in plain types."""

from __future__ import annotations

from scrapy.http import Headers


def header(headers: Headers, name: str) -> str:
    """A header's last value as text, "" if it is absent."""
    value: bytes | None = headers.get(name)
    return value.decode("latin-1") if value else ""


def header_values(headers: Headers, names: tuple[str, ...]) -> dict[str, list[str]]:
    """All values of those of the named headers that are present."""
    return {
        name: [value.decode("latin-1") for value in headers.getlist(name)]
        for name in names
        if name in headers
    }
