"""Words of a text that a query matches, as they are marked in snippets."""

from __future__ import annotations

import pytest

from sitecrawl.search.analysis import matching_places


@pytest.mark.behaviour("SY-09")
@pytest.mark.parametrize(
    ("words", "text", "language", "marked"),
    [
        (["install"], "Installing it, then reinstall an installation.", "en", ["Installing", "installation"]),
        (["happy"], "Happiness, happier, haptics.", "en", ["Happiness"]),
        (["gather"], "asyncio.gather(), test_gather", "en", ["gather", "gather"]),
        (["Häuser"], "Das Haus, die Häuser, der Hausmeister", "de", ["Haus", "Häuser"]),
        (["cafe"], "Le café “ouvert”", "fr", ["café"]),
        (["пакет"], "Пакеты и пакетов", "ru", ["Пакеты", "пакетов"]),
        (["日本語"], "日本と日本語、語る日", "ja", ["日本", "日本語"]),
        (["語"], "日本語", "ja", ["語"]),
        (["dpkg", "操作"], "dpkgを用いた操作", "ja", ["dpkg", "操作"]),
        (["İstanbul"], "İstanbul istanbul", "tr", ["İstanbul"]),
    ],
)  # fmt: skip
def test_words_are_marked_as_the_index_compares_them(
    words: list[str], text: str, language: str, marked: list[str]
) -> None:
    places = matching_places(text, words, language)
    assert [text[start:end] for start, end in places] == marked
