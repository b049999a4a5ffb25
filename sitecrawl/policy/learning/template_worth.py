"""Worth of URL templates: the share of their pages that become documents or lead to some.

Views of a page (edit forms, histories, printouts, comment forms) share a template. A template is
judged after a handful of pages by their outcomes (noindex, non-canonical, missing). One
that brings little comes after the others; one that brings nothing is sampled ever more thinly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.learning.parameter_rules import parameters_of
from sitecrawl.policy.urls.templates import url_template

HANDFUL = 5
"""Number of pages after which a template is judged."""
LOW_SHARE = 0.25
"""Share of pages that bring something, below which a template comes after the others."""
BARREN_SHARE = 0.04
"""Share of pages that bring something, below which a template is only sampled."""
MIN_EXCEPTIONS = 50
"""Number of pages after which a template that has brought something may count as barren."""
MAX_TEMPLATES = 1000
MAX_VALUES = 16
"""Maximum number of words that a parameter chooses from, such as actions; more are content."""
MAX_WORD = 20
MAX_PARAMETERS = 2000
BARREN_TEMPLATE = RefusalReason(
    "barren_template",
    "a kind of page of which none became a document or led to one (`learn_worth`)",
    options=("learn_worth",),
)


class TemplateVisit(NamedTuple):
    """A page that was requested: the template of its referrer gets credit if it ``is_new``.

    ``result`` names its outcome. ``is_new`` is True for a document.
    """

    url: str
    referrer: str | None
    result: str
    is_new: bool


@dataclass(slots=True)
class TemplateWorth:
    """The evidence on one template.

    ``new`` counts the documents, ``credit`` those first found on pages of the
    template, ``results`` the outcomes of the others, ``skipped`` the URLs considered since it
    was found barren.
    """

    pages: int = 0
    new: int = 0
    credit: int = 0
    skipped: int = 0
    results: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Documents, its own and those it led to, for each page."""
        return (self.new + self.credit) / max(1, self.pages)

    @property
    def is_low(self) -> bool:
        """True if the template comes after others."""
        return self.pages >= HANDFUL and self.share < LOW_SHARE

    @property
    def is_barren(self) -> bool:
        """True if only samples of the template are requested."""
        exceptions = self.new + self.credit
        enough = MIN_EXCEPTIONS if exceptions else HANDFUL
        return self.pages >= enough and self.share < BARREN_SHARE

    def sample(self) -> bool:
        """Count a URL; return True for the first, second, fourth, eighth and so on."""
        self.skipped += 1
        return self.skipped & (self.skipped - 1) == 0

    def in_words(self, name: str) -> str:
        """Return the evidence in readable form."""
        found = ", ".join(f"{count} {result}" for result, count in self.results.most_common())
        led = "none led" if not self.credit else f"they led {self.credit} times"
        return (
            f"of {self.pages} pages of {name}: {found}; {self.new} became documents, {led} to one"
        )


@dataclass(slots=True)
class Templates:
    """The templates of one origin.

    ``revived`` is True if a barren template brought something, so that the URLs left out are
    admitted again.
    """

    revived: bool = False
    found: dict[str, TemplateWorth] = field(default_factory=dict)
    _values: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def observe(self, page: TemplateVisit) -> None:
        """Learn from a page that was requested for the first time."""
        template = self._of(self.name_of(page.url))
        was_barren = template.is_barren
        template.pages += 1
        if page.is_new:
            template.new += 1
            if page.referrer is not None:
                self._credit(page.referrer)
        else:
            template.results[page.result] += 1
        self.revived |= was_barren and not template.is_barren

    def worth_of(self, url: str) -> TemplateWorth | None:
        """Return the evidence on the template of a URL, None if there is none."""
        return self.found.get(self.name_of(url)) if self.found else None

    def name_of(self, url: str) -> str:
        """Return the template of a URL, with the words that its parameters choose from.

        ``/index.php?action=edit&title``: the few words of a parameter name kinds of pages.
        """
        name = str(url_template(url))
        if "?" not in url:
            return name
        words = [
            f"{key}={value}"
            for key, value in parameters_of(url.replace(";", "&"))
            if value.islower() and value.replace("_", "").isalpha()
            if self._is_choice(name, key, value)
        ]
        return f"{name} {'&'.join(sorted(words))}" if words else name

    def _is_choice(self, template: str, key: str, value: str) -> bool:
        if len(value) > MAX_WORD:
            return False
        values = self._values.get((template, key))
        if values is None:
            if len(self._values) >= MAX_PARAMETERS:
                return False
            values = self._values[template, key] = set()
        if len(values) <= MAX_VALUES:
            values.add(value)
        return len(values) <= MAX_VALUES

    def _credit(self, referrer: str) -> None:
        template = self.worth_of(referrer)
        if template is not None:
            was_barren = template.is_barren
            template.credit += 1
            self.revived |= was_barren and not template.is_barren

    def _of(self, name: str) -> TemplateWorth:
        template = self.found.get(name)
        if template is None:
            if len(self.found) >= MAX_TEMPLATES:
                few = (key for key, each in self.found.items() if each.pages < HANDFUL)
                del self.found[next(few, next(iter(self.found)))]
            template = self.found[name] = TemplateWorth()
        return template

    def as_stored(self) -> Iterable[tuple[str, str, dict[str, Any]]]:
        """Yield name, state and values of each template that was judged."""
        for name, each in self.found.items():
            if each.pages >= HANDFUL:
                state = "barren" if each.is_barren else "low" if each.is_low else "good"
                values = {
                    "pages": each.pages,
                    "new": each.new,
                    "credit": each.credit,
                    "skipped": each.skipped,
                    "results": dict(each.results),
                }
                yield name, state, values

    def restore(self, stored: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Restore the templates of an earlier run."""
        for name, values in stored:
            own = {**values, "results": Counter(values["results"])}
            self.found[name] = TemplateWorth(**own)
