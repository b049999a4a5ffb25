"""SQL views of a crawl database with words in place of numbers, for people and other programs.

docs/report.md describes them. They are made together with the tables, and nothing here reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitecrawl.policy.outcomes import Outcome

VIEWS: Mapping[str, str] = {
    "pages": (
        "SELECT u.id, u.url, o.key AS origin, o.realm, u.depth, u.via, f.url AS referrer,"
        " CASE u.waiting WHEN 1 THEN 'waiting' WHEN 2 THEN 'set aside' ELSE 'visited' END AS state,"
        " {outcome:u.outcome} AS outcome, u.status, u.reason, u.detail,"
        " {time:u.found_at} AS found_at, {time:u.visited_at} AS visited_at,"
        " {time:u.changed_at} AS changed_at, u.visits, u.changes, u.redirect_to, u.canonical"
        " FROM url AS u JOIN origin AS o ON o.id = u.origin LEFT JOIN url AS f ON f.id = u.referrer"
    ),
    "outcomes": (
        "SELECT o.key AS origin, o.realm, {outcome:u.outcome} AS outcome, u.reason,"
        " count(*) AS urls FROM url AS u JOIN origin AS o ON o.id = u.origin"
        " GROUP BY o.key, o.realm, u.outcome, u.reason"
    ),
    "documents": (
        "SELECT d.id, u.url, o.key AS origin, o.realm, d.seq,"
        " CASE WHEN d.seq IS NULL THEN 'replaced' ELSE 'current' END AS state,"
        " t.url AS replaced_by, d.because, coalesce(x.reason, x.change) AS change_held"
        " FROM document AS d JOIN url AS u ON u.id = d.url JOIN origin AS o ON o.id = d.origin"
        " LEFT JOIN url AS t ON t.id = d.target LEFT JOIN held_change AS x ON x.url = d.url"
    ),
    "links": (
        "SELECT p.url AS page, t.url AS target, {outcome:t.outcome} AS outcome, t.status,"
        " s.page AS page_id, s.target AS target_id FROM ({targets}) AS s"
        " JOIN url AS p ON p.id = s.page JOIN url AS t ON t.id = s.target"
    ),
    "references_outside": (
        "SELECT p.url AS page, t.url, t.kind, {outcome:t.outcome} AS outcome, t.status, t.reason,"
        " {time:t.checked_at} AS checked_at, s.page AS page_id FROM ({outside}) AS s"
        " JOIN url AS p ON p.id = s.page JOIN outside AS t ON t.id = s.target"
    ),
    "runs": (
        "SELECT r.id, r.realm, {time:r.started_at} AS started_at,"
        " {time:r.finished_at} AS finished_at, r.finish_reason,"
        " r.finished_at - r.started_at AS seconds,"
        " (SELECT count(*) FROM attempt AS a WHERE a.run = r.id) AS requests,"
        " (SELECT count(*) FROM outbox AS x WHERE x.run = r.id AND x.change = 'new') AS new,"
        " (SELECT count(*) FROM outbox AS x WHERE x.run = r.id AND x.op = 'upsert'"
        " AND x.change <> 'new') AS changed,"
        " (SELECT count(*) FROM outbox AS x WHERE x.run = r.id AND x.op = 'delete') AS deleted"
        " FROM run AS r"
    ),
    "requests": (
        "SELECT a.id, a.run, u.url, o.key AS origin, {time:a.started_at} AS started_at,"
        " a.duration AS seconds, {outcome:a.outcome} AS outcome, a.status, a.bytes, a.reason"
        " FROM attempt AS a JOIN url AS u ON u.id = a.url JOIN origin AS o ON o.id = u.origin"
    ),
    "receipts": (
        "SELECT c.run, o.key AS origin, o.realm, c.requests, c.promised, c.smallest, c.median,"
        " c.spare, c.limited, c.unavailable, c.pauses"
        " FROM receipt AS c JOIN origin AS o ON o.id = c.origin"
    ),
    "origins": (
        "SELECT o.key AS origin, o.realm, o.robots_status, o.delay,"
        " (SELECT count(*) FROM url AS u WHERE u.origin = o.id) AS urls,"
        " (SELECT count(*) FROM document AS d WHERE d.origin = o.id AND d.seq IS NOT NULL)"
        " AS documents, o.pending AS waiting,"
        " (SELECT count(*) FROM held_change AS x WHERE x.origin = o.id AND x.held = 1) AS changes_held"
        " FROM origin AS o"
    ),
}
"""Body of each view; ``{outcome:COLUMN}`` and ``{time:COLUMN}`` stand for a word and a time."""

TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {0}, 'unixepoch')",
    "postgres": "to_char(to_timestamp({0}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}
TARGETS = {
    "sqlite": (
        "SELECT l.url AS page, sum(j.value) OVER (PARTITION BY l.url ORDER BY j.key) AS target"
        " FROM link AS l, json_each('[' || l.{column} || ']') AS j"
    ),
    "postgres": (
        "SELECT l.url AS page, sum(j.value::bigint) OVER (PARTITION BY l.url ORDER BY j.key)::bigint"
        " AS target FROM link AS l,"
        " unnest(string_to_array(l.{column}, ',')) WITH ORDINALITY AS j (value, key)"
    ),
}


class _Expression:
    """A format of SQL, such as ``{time:COLUMN}``: ``{0}`` in its text stands for the column."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __format__(self, column: str) -> str:
        return self._text.format(column)


def view_statements(dialect: str) -> Iterator[str]:
    """Yield the statement that makes each view."""
    named = " ".join(f"WHEN {int(each)} THEN '{each.name.lower()}'" for each in Outcome)
    words: dict[str, object] = {
        "outcome": _Expression(f"CASE {{0}} {named} END"),
        "time": _Expression(TIMES[dialect]),
        "targets": TARGETS[dialect].format(column="targets"),
        "outside": TARGETS[dialect].format(column="outside"),
    }
    for name, body in VIEWS.items():
        yield f"CREATE VIEW {name} AS {body.format_map(words)}"
