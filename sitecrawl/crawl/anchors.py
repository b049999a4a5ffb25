"""The texts of links, kept for the pages that they lead to."""

from __future__ import annotations

MAX_PAGES, MAX_TEXTS, MAX_LENGTH = 100_000, 20, 200


class AnchorTexts:
    """Different texts of links to each page, from the pages that this run read before it.

    Only so many pages, texts and characters: the rest is not kept.
    """

    def __init__(self) -> None:
        self._texts: dict[int, list[str]] = {}

    def note(self, fingerprint: int, text: str) -> None:
        """A link to the page of ``fingerprint`` has this text."""
        if fingerprint not in self._texts and len(self._texts) >= MAX_PAGES:
            return
        texts = self._texts.setdefault(fingerprint, [])
        text = text[:MAX_LENGTH]
        if len(texts) < MAX_TEXTS and text not in texts:
            texts.append(text)

    def pop(self, fingerprint: int) -> list[str]:
        """The texts for a page whose document is being written, in the order they were found."""
        return self._texts.pop(fingerprint, [])
