"""Errors of a PostgreSQL server: each names its remedy, none shows a password."""

from __future__ import annotations

import re
from contextlib import closing
from urllib.parse import quote

import psycopg
import pytest
from psycopg.errors import QueryCanceled, UniqueViolation, UntranslatableCharacter

from fixtures.postgres import PostgresServer
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.database import migrate
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.postgres import cause


def said(url: str) -> str:
    """Message of the failure to open the database."""
    place = backend(url)
    try:
        with closing(place.connect()) as database:
            migrate(database, "crawl")
    except FrontierError as error:
        return str(error)
    except place.errors as error:
        return str(place.readable(error))
    return ""


def test_whom_the_server_does_not_let_in(postgres: PostgresServer) -> None:
    url = postgres.url("unlet")
    told = said(url.replace("/postgres?", "/nowhere?"))
    assert "does not exist; make it with createdb" in told
    told = said(url.replace("crawl@", "nobody@"))
    assert "knows no such user; make it with createuser" in told


def test_a_server_that_is_full(postgres: PostgresServer) -> None:
    url = postgres.url("full")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE single LOGIN CONNECTION LIMIT 0")
    told = said(url.replace("crawl@", "single@"))
    assert "has too many connections; run fewer workers" in told


def test_a_user_without_rights(postgres: PostgresServer) -> None:
    url = postgres.url("rights")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE poor LOGIN; GRANT USAGE ON SCHEMA rights TO poor")
    told = said(url.replace("crawl@", "poor@"))
    assert "may not be changed by this user; grant it the rights" in told


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (psycopg.OperationalError('FATAL:  password authentication failed for user "a"'), "PGPASS"),
        (psycopg.OperationalError("fe_sendauth: no password supplied"), "refuses the password"),
        (psycopg.OperationalError("FATAL:  sorry, too many clients already"), "too many connect"),
        (
            psycopg.OperationalError('no pg_hba.conf entry for host "::1"'),
            "does not admit this user",
        ),
        (psycopg.OperationalError("Connection refused"), "cannot be reached"),
        (
            QueryCanceled("due to statement timeout"),
            "raise the user's statement_timeout",
        ),
        (UntranslatableCharacter("0xe6 in UTF8"), "createdb -T template0 -E UTF8"),
        (UniqueViolation("duplicate key"), "failed"),
    ],
)
def test_the_cause_in_words(error: psycopg.Error, words: str) -> None:
    assert words in cause(error, str(error))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_in_another_encoding(postgres: PostgresServer, encoding: str) -> None:
    """A cluster made without a locale is in SQL_ASCII, which keeps UTF-8 as it is."""
    url = postgres.url("encoded")
    name = encoding.lower()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'".encode()
        )
    url = url.partition("&options=")[0].replace("/postgres?", f"/{name}?")
    if encoding == "LATIN1":
        assert "make one with createdb -T template0 -E UTF8: it is encoded in LATIN1" in said(url)
        return
    assert said(url) == ""
    with closing(backend(url).connect()) as database:
        database.execute("INSERT INTO run (realm, configuration, started_at) VALUES ('日', '', 0)")
        assert database.rows("SELECT realm FROM run") == [("日",)]


@pytest.mark.parametrize("password", ["se@cr", "se/cr", "se?c@r", "se%zzcr"])
def test_a_password_whose_signs_split_the_url_is_not_shown(password: str) -> None:
    with pytest.raises(FrontierError) as raised:
        backend(f"postgresql://crawl:{password}@127.0.0.1/crawl")
    told = str(raised.value)
    assert "in a name or password write % : / @ as %25" in told
    assert not {"se", "cr", "zz", "zzcr", "r"} & set(re.split("[^a-z]+", told))


def test_a_password_with_its_signs_written_as_they_should_be() -> None:
    backend(f"postgresql://crawl:{quote('%:/@', safe='')}@127.0.0.1/crawl")
