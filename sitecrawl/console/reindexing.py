"""Reindexing: application of the current rules to stored documents, without their pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sitecrawl import typed_program
from sitecrawl.config.assembly import start_fingerprints
from sitecrawl.config.configuration import Configuration
from sitecrawl.crawl.run_summary import counted
from sitecrawl.frontier.base import Candidate
from sitecrawl.frontier.stored_reindex import Rewrite
from sitecrawl.policy.documents.binary_content import check_text
from sitecrawl.policy.documents.output_shapes import TEXTS, text_of
from sitecrawl.policy.documents.usage_permissions import FORBIDDEN, NOTHING_SAID
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.web.urls.identity import document_id

EXAMPLES = 3
KEEP = "A crawl keeps this only if its own configuration says so: give it {} too."


class StoredJudge:
    """Verdicts of the current rules on stored documents."""

    def __init__(self, configuration: Configuration, rules: Rules) -> None:
        self._rules = rules
        self._options = configuration.params.document_options()
        self._obedience = configuration.params.obedience()
        self._realm = configuration.params.realm
        self._starts = start_fingerprints(rules, configuration.params)

    def refused(self, address: str, record: dict[str, Any]) -> Rewrite | None:
        """Return the deletion of a document that the rules refuse, or refuse at its address."""
        depth, via = record.get("depth", 0), record.get("discovered_via", "link")
        admission = self._rules.admit(address, depth=depth, via=via)
        if via == "seed" and admission.fingerprint not in self._starts:
            via = "link"
            admission = self._rules.admit(address, depth=max(depth, 1), via=via)
        decision, reason = admission.decision, "excluded"
        if decision.allowed and not admission.indexed:
            return Rewrite(None, word="start_for_links", rule="a start that is no wanted page")
        if record["id"] != document_id(admission.key, self._realm) and self._rules.at_rest(
            admission
        ):
            return Rewrite(None, successor=Candidate.of(admission, depth, via), word="rewritten")
        if decision.allowed:
            decision = self._rules.media_types.decide(address, record.get("content_type"))
            reason = "unwanted_type"
        if decision.allowed:
            decision = check_text(text_of(record, TEXTS), self._options)
        forbidden = self._obedience.forbidden(record.get("usage", NOTHING_SAID))
        if decision.allowed and forbidden is not None:
            return Rewrite(None, reason=FORBIDDEN, word=FORBIDDEN, rule=forbidden.rule)
        if decision.allowed:
            return None
        return Rewrite(None, reason=reason, word=decision.reason, rule=decision.rule)


def rewrite_unchanged(_: str, record: dict[str, Any]) -> Rewrite:
    """Rewrite a document unchanged."""
    return Rewrite(record)


@dataclass(slots=True)
class ReindexPlan:
    """Changes of a reindex, planned or made; deletions are keyed by the reason of the refusal."""

    database: str
    realm: str
    options: Sequence[str]
    deleted: dict[str, list[tuple[str, Rewrite]]] = field(default_factory=dict)
    written: int = 0
    reread: int = 0
    since: int | None = None

    def delete(self, found: Iterable[tuple[str, Rewrite]]) -> None:
        """Record deletions."""
        for address, rewrite in found:
            self.deleted.setdefault(rewrite.word, []).append((address, rewrite))

    @property
    def nothing(self) -> bool:
        """True if every document stays unchanged."""
        return not (self.deleted or self.written or self.reread)

    def record(self) -> dict[str, Any]:
        """Return the JSON form; ``since`` is the seq before the changes, null in a dry run."""
        deleted = {
            word: {"count": len(found), "examples": [url for url, _ in found[:EXAMPLES]]}
            for word, found in self.deleted.items()
        }
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**own, "deleted": deleted}

    def lines(self) -> Iterator[str]:
        """Return the printed form."""
        yield f"{self.database}, realm {self.realm!r}"
        changed = ", ".join(self.options)
        yield f"Options that differ from the last run: {changed or 'none'}"
        for word, found in self.deleted.items():
            yield f"{counted(len(found), 'document')} deleted ({word})"
            for url, rewrite in found[:EXAMPLES]:
                why = f"now {rewrite.successor.url}" if rewrite.successor else rewrite.rule
                yield f"  {url}: {why}"
        if self.written:
            yield f"{counted(self.written, 'document')} rewritten in their new form"
        if self.reread:
            yield f"{counted(self.reread, 'document')} due: their pages must be read again"
        if self.options and self.since is not None and not self.nothing:
            yield KEEP.format(", ".join(self.options))
        yield self._end()

    def _end(self) -> str:
        if self.nothing:
            return "Every document stays as it is."
        if self.since is None:
            return "This was a dry run: nothing was changed."
        if not (self.deleted or self.written):
            return "The next crawl reads these pages."
        return f"The next crawl delivers this; {typed_program()} export --since {self.since} prints it."
