"""URLs that are replaced by pages of another origin: released when those fail for good."""

from __future__ import annotations

import pytest
from workers import Crawls, Worker, candidate

from sitecrawl.frontier.base import Outcome
from sitecrawl.frontier.learned import FOLDED, StoredRule
from sitecrawl.policy.learning.host_rules import Partner, partners_of
from sitecrawl.policy.lifecycle.revisit import Revisit

OPTIONS = {"revisit": Revisit(interval=0.0, broken=0.0)}
APEX, WWW = "http://site.example", "http://www.site.example"


def fold(worker: Worker, *paths: str) -> None:
    """Leave URLs of one origin out, as those of the other replace them."""
    worker.store.add([candidate(WWW + path) for path in paths])
    worker.store.lease(100)
    for due in worker.store.pop(WWW, 100):
        visit = worker.visit(due, Outcome.BLOCKED_URL_BY_LOCAL_POLICY, 1e9)
        other = candidate(APEX + due.url.removeprefix(WWW))
        worker.commit(
            type(visit)(due, 1e9, 0.0, visit.outcome, reason=FOLDED, target=other), key=WWW
        )


def waiting(worker: Worker) -> list[str]:
    """The URLs of the folded origin that wait."""
    rows = worker.database.rows("SELECT url FROM url WHERE waiting = 1 ORDER BY url")
    [(pending,)] = worker.database.rows("SELECT pending FROM origin WHERE key = ?", (WWW,))
    found = [url.removeprefix(WWW) for (url,) in rows if url.startswith(WWW)]
    assert pending == len(found)
    return found


@pytest.mark.behaviour("DU-31")
def test_what_another_origin_replaces_is_asked_for_when_that_page_is_none(work: Crawls) -> None:
    worker = work(**OPTIONS)
    fold(worker, "/gone", "/page", "/failing", "/unvisited")
    assert waiting(worker) == []
    worker.store.lease(100)
    pages = {
        "/gone": Outcome.FILE_NOT_FOUND,
        "/page": "the page",
        "/failing": Outcome.SERVER_INTERNAL_ERROR,
    }
    for due in worker.store.pop(APEX, 100):
        if not due.url.endswith("/unvisited"):
            visit = worker.visit(due, pages[due.url.removeprefix(APEX)], 1e9)
            worker.commit(visit, key=APEX)
    assert waiting(worker) == ["/failing", "/gone"]
    worker.store.exclude_from_run(APEX, "no answer")
    assert waiting(worker) == ["/failing", "/gone", "/unvisited"]


@pytest.mark.behaviour("DU-31")
def test_a_page_that_was_read_replaces_others_while_its_origin_is_down(work: Crawls) -> None:
    for page in ("the page", Outcome.SERVER_INTERNAL_ERROR, Outcome.FILE_NOT_FOUND):
        worker = work(**OPTIONS)
        if page == "the page":
            fold(worker, "/page")
        worker.database.execute("UPDATE url SET waiting = 0 WHERE reason = ?", (FOLDED,))
        worker.database.execute("UPDATE origin SET pending = 0 WHERE key = ?", (WWW,))
        worker.store.mark_due([candidate(f"{APEX}/page")])
        worker.crawl({"/page": page}, key=APEX)
        assert waiting(worker) == (["/page"] if page is Outcome.FILE_NOT_FOUND else [])
        worker.end()


@pytest.mark.behaviour("DU-30")
def test_partners_are_known_origins_in_the_order_of_starts_and_discovery(work: Crawls) -> None:
    worker = work()
    worker.store.add([candidate(f"{WWW}/")])
    worker.seed(f"{APEX}/")
    assert worker.store.partners(WWW, partners_of(WWW)) == [Partner(APEX, comes_first=True)]
    assert worker.store.partners(APEX, partners_of(APEX)) == [Partner(WWW)]
    worker.store.lease(100)
    value = {"origin": APEX, "partner": WWW}
    worker.store.save_learned(APEX, [StoredRule("host", "h1", "active", "", value)], ())
    worker.store.exclude_from_run(APEX, "no answer")
    [partner] = worker.store.partners(WWW, partners_of(WWW))
    assert partner == Partner(APEX, comes_first=True, is_down=True, folds_into=(WWW,))


@pytest.mark.behaviour("DU-30")
def test_partners_differ_in_the_first_label_or_the_scheme() -> None:
    found = partners_of("https://www.example.org")
    assert {"https://example.org", "http://www.example.org", "https://m.example.org"} <= {*found}
    assert partners_of("http://example.org:8080") == [
        f"http://{label}.example.org:8080" for label in ("www", "m", "mobile")
    ]
    assert partners_of("http://127.0.0.1:80") == []
    assert partners_of("http://127.0.0.1") == ["https://127.0.0.1"]
