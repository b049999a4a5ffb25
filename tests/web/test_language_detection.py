"""Detection of languages, and of dates in texts."""

from __future__ import annotations

import time
from datetime import date

import pytest

from sitecrawl.web.languages import judged_language
from sitecrawl.web.text_dates import date_in_path, dates_in

GERMAN = (
    "Der Betrieb des Servers verlangt einige Vorbereitungen, die in diesem Kapitel beschrieben "
    "werden. Zuerst wird ein eigener Benutzer angelegt, damit die Dateien der Datenbank nicht "
    "von anderen Programmen verändert werden können. Danach wird das Verzeichnis für die Daten "
    "eingerichtet, und schließlich startet man den Server und prüft, ob er Verbindungen annimmt. "
    "Wer mehrere Fassungen nebeneinander betreibt, braucht für jede einen eigenen Anschluss."
)
ENGLISH = (
    "Running the server requires some preparation, which this chapter describes. First you "
    "create a user of its own, so that other programs cannot change the files of the database. "
    "Then the directory for the data is set up, and finally you start the server and check "
    "whether it accepts connections. Those who run several versions side by side need a port "
    "for each of them, and a configuration file that says where the data of this one lies."
)
JAPANESE = "この章では、サーバーを運用するために必要な準備について説明します。" * 6
CHINESE = "本章介绍运行服务器所需的准备工作，首先创建一个专用的用户账户。" * 6


@pytest.mark.behaviour("MD-26")
@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        ("", GERMAN, ("de", True)),
        ("", ENGLISH, ("en", True)),
        ("", JAPANESE, ("ja", True)),
        ("", CHINESE, ("zh", True)),
        ("en", JAPANESE, ("ja", True)),
        ("en-US", GERMAN, ("de", True)),
        ("de-AT", GERMAN, ("de-AT", False)),
        ("zh-Hant", CHINESE, ("zh-Hant", False)),
        ("xx", ENGLISH, ("xx", False)),
        ("", "Nur ein kurzer Satz.", ("", False)),
        ("en", "Nur ein kurzer Satz.", ("en", False)),
        ("", "1 2 3 4 5 6 7 8 9 " * 30, ("", False)),
    ],
)
def test_language_of(declared: str, text: str, expected: tuple[str, bool]) -> None:
    assert judged_language(declared, text) == expected


@pytest.mark.behaviour("MD-24")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("posted on May 6th, 2024 by", date(2024, 5, 6)),
        ("le 6 mai 2024", date(2024, 5, 6)),
        ("6 de mayo de 2024", date(2024, 5, 6)),
        ("6. Mai 2024", date(2024, 5, 6)),
        ("06.05.2024", date(2024, 5, 6)),
        ("5/31/2024", date(2024, 5, 31)),
        ("2024-05-06T10:00", date(2024, 5, 6)),
        ("2024年5月6日", date(2024, 5, 6)),
        ("31.02.2024", None),
        ("version 1.20.2024.5", None),
        ("In 2024 and 2025", None),
    ],
)
def test_date_in_text(text: str, expected: date | None) -> None:
    assert next((day for _, day in dates_in(text, 0, len(text))), None) == expected


@pytest.mark.behaviour("MD-24")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/2024/05/06/name", date(2024, 5, 6)),
        ("/news/20240506/x", date(2024, 5, 6)),
        ("/blog/2024-05-06-name.html", date(2024, 5, 6)),
        ("/2024/05/", None),
        ("/article/120240506", None),
        ("/2024/13/45/", None),
    ],
)
def test_date_in_path(path: str, expected: date | None) -> None:
    assert date_in_path(path) == expected


def test_a_text_of_years_takes_no_time() -> None:
    text = "1999 2001 " * 100_000
    begun = time.process_time()
    assert list(dates_in(text, 0, len(text))) == []
    judged_language("", text)
    assert time.process_time() - begun < 0.5
