"""`scrapy explain URL`: the reasons why a URL is or is not crawled, and its stored state."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from sitecrawl.console.command_base import StoredCommand, read_url
from sitecrawl.console.crawl_sources import Source, find_source
from sitecrawl.console.crawl_statistics import run_state
from sitecrawl.console.terminal import ago, ahead, print_answer, span, stamp
from sitecrawl.explain.explanation import Explainer, Explanation, deletion, format_outcome, verdict
from sitecrawl.frontier.opening import open_records
from sitecrawl.frontier.records import UrlState
from sitecrawl.policy.decision import Step
from sitecrawl.policy.lifecycle.change_rate import expected_change
from sitecrawl.statuses import DONE, NO_RESULT
from sitecrawl.web.read_options import PARTS
from sitecrawl.web.urls.identity import normal_form
from sitecrawl.web.urls.url import origin as origin_of

WIDEST = 60
"""Maximum length of a passed rule's setting; some are lists that would fill the screen."""
COUNTS = ("status", "reason", "detail", "depth", "via", "visits", "changes", "failures")
TIMES = ("found_at", "visited_at", "indexed_at", "changed_at", "due")
OTHERS = ("redirect_to", "canonical", "kept_for", "because", "deletion", "withheld", "left_out")


class Command(StoredCommand):
    """Explain a URL, known or not, from the crawl database alone."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Explain the URL; return 1 if it is refused."""
        url = read_url(args, "explain")
        setting = self.settings["SITECRAWL_DATABASE"]
        source = find_source(setting, opts.spargs, origin_of(url))
        rules = self.rules(source.configuration)
        with open_records(source.database) if source.run else nullcontext() as records:
            explanation = Explainer(source.configuration, rules, records).explain(url)
        now = time.time()
        said = lines(explanation, source, now, every=opts.verbose)
        print_answer(record(explanation, source, now), said, as_json=opts.json)
        return NO_RESULT if explanation.refusal else DONE


def record(explanation: Explanation, source: Source, now: float) -> dict[str, Any]:
    """Return the explanation as JSON: the parts of the printed one, times as RFC 3339."""
    return {
        "url": explanation.url,
        "request_url": explanation.admission.url,
        "normal_url": normal_form(explanation.admission.url),
        "database": source.name,
        "run": source.run.id if source.run else None,
        "rules": [step._asdict() for step in explanation.rules],
        "limits": [step._asdict() for step in explanation.limits],
        "robots": explanation.robots._asdict(),
        "stored": _state(explanation.stored) if explanation.stored else None,
        "deleted": _deleted(explanation.deleted),
        "tries": explanation.attempts,
        "referrers": explanation.referrers,
        "allowed": explanation.refusal is None,
        "reason": explanation.refusal.rule if explanation.refusal else None,
        "verdict": verdict(explanation, now),
    }


def _deleted(deleted: tuple[float, str, str | None] | None) -> dict[str, Any] | None:
    if deleted is None:
        return None
    at, reason, moved_to = deleted
    return {"at": stamp(at), "reason": reason, "moved_to": moved_to}


def _state(stored: UrlState) -> dict[str, Any]:
    outcome = stored.outcome.name.lower() if stored.outcome is not None else "waiting"
    counts = {name: getattr(stored, name) for name in (*COUNTS, "change_rate")}
    times = {name: stamp(getattr(stored, name)) for name in TIMES}
    others = {name: getattr(stored, name) for name in OTHERS}
    document = stored.document_id if stored.seq is not None else None
    return {"outcome": outcome, **counts, **times, **others, "document": document}


def lines(
    explanation: Explanation, source: Source, now: float, *, every: bool = False
) -> Iterator[str]:
    """Yield the printed explanation, the verdict first; ``every``: with all decisions."""
    yield f"Verdict: {verdict(explanation, now)}"
    yield explanation.url
    if explanation.admission.url != explanation.url:
        yield f"  requested as {explanation.admission.url}"
    if (normal := normal_form(explanation.admission.url)) != explanation.admission.url:
        yield f"  normalized as {normal}"
    yield f"  {_whence(source, now)}"
    yield from _section("Decision", _decisive(explanation))
    if explanation.refusal is None:
        number = len(explanation.rules) + len(explanation.limits)
        yield f"  none of {number} rules and limits refuses it{'' if every else ' (-v lists them)'}"
    yield from ("", "Stored state")
    yield from (f"  {line}" for line in _known(explanation, now))
    if explanation.deleted:
        yield f"  {deletion(*explanation.deleted, now)}"
    if explanation.referrers:
        yield from ("", "Path from a start")
        yield from (f"  {referrer}" for referrer in explanation.referrers)
    if every:
        yield from _section("Rules, in their order", explanation.rules)
        yield from _section("Limits, counted while a crawl runs", explanation.limits)
        yield from _section("robots.txt", [explanation.robots])


def _decisive(explanation: Explanation) -> list[Step]:
    """Return the steps that made a difference: changes of the URL, and the refusal if any."""
    steps = [step for step in explanation.rules if step.verdict == "changed"]
    return [*steps, explanation.refusal or explanation.robots]


def _whence(source: Source, now: float) -> str:
    run = source.run
    if run is None:
        return f"nothing was crawled yet ({source.name})"
    return f"by {source.name}, whose run {run.id} {run_state(run, now)}"


def _section(title: str, steps: Sequence[Step]) -> Iterator[str]:
    yield from ("", title)
    for step in steps:
        detail = step.detail
        if step.verdict == "passed" and len(detail) > WIDEST:
            detail = f"{detail[:WIDEST]}... {detail[detail.rfind(' (') :].strip()}"
        yield f"  {step.verdict:8} {step.rule:20} {detail}".rstrip()


def _known(explanation: Explanation, now: float) -> Iterator[str]:
    stored = explanation.stored
    if stored is None:
        yield f"nothing: {_unknown(explanation)}"
        return
    if stored.url != explanation.admission.url:
        yield f"the same page as {stored.url}, by the options that decide which URLs are equal"
    yield f"found {ago(stored.found_at, now)} as {stored.via} at depth {stored.depth}"
    if stored.outcome is None or stored.visited_at is None:
        yield "waiting for its first visit"
        return
    yield f"last visit {ago(stored.visited_at, now)}: {format_outcome(stored, stored.outcome)}"
    if stored.detail:
        yield f"because {stored.detail}"
    yield f"visits {stored.visits}, changes {stored.changes}, failures in a row {stored.failures}"
    if explanation.attempts:
        times = {1: "once", 2: "twice"}.get(explanation.attempts, f"{explanation.attempts} times")
        yield f"tried {times} in that run; {explanation.forecast.cite.setting('retries')}"
    yield from _document(stored, now)
    if stored.left_out and stored.seq is not None:
        yield from map(_left_out, stored.left_out.split("\n"))
    if stored.due is not None and not stored.waiting:
        yield f"due {ahead(stored.due, now)} ({stamp(stored.due)})"


def _left_out(part: str) -> str:
    """Return what was left out of a text, with the option that keeps it."""
    name = part.partition(":")[0]
    kept = name if name in PARTS else "furniture"
    remedy = "" if name == "outside_article" else f" (-a keep_parts={kept})"
    return f"left out of its text: {part}{remedy}"


def _unknown(explanation: Explanation) -> str:
    if explanation.forecast.start:
        return "it is a start that no run has visited"
    if explanation.refused_link:
        return "a link that is refused is not stored"
    or_else = ", or the link was left out" if explanation.left_out else ""
    again = ""
    if explanation.has_other_rules:
        again = (
            "; the options have changed: known pages are read for it when due, or with -a force=yes"
        )
    return f"no page, start or sitemap has named it yet{or_else}{again}"


def _document(stored: UrlState, now: float) -> Iterator[str]:
    if stored.redirect_to:
        yield f"redirects to {stored.redirect_to}"
    if stored.canonical:
        yield f"declares as canonical {stored.canonical}"
    if stored.kept_for:
        yield f"stands for {stored.because}: its document is that of {stored.kept_for}"
    if stored.seq is not None:
        changed = f", last changed {ago(stored.changed_at, now)}" if stored.changed_at else ""
        if stored.change_rate:
            since = expected_change(stored.change_rate, now - (stored.indexed_at or now))
            every = span(1 / stored.change_rate)
            changed += f", once in {every} by estimate, {since:.0%} likely to have changed by now"
        yield f"document {stored.document_id}, written as change {stored.seq}{changed}"
    if stored.deletion:
        yield f"to be deleted ({stored.deletion})"
    if stored.withheld:
        yield f"a document is withheld ({stored.withheld}): other pages may have the same text"
