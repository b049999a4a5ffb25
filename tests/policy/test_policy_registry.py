"""Every rule and every limit is registered, documented and bound to its options."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import sitecrawl.policy
from scripts import outcomes
from sitecrawl.config.assembly import Citations
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.refusal_reasons import LIMIT_REASONS, REFUSAL_REASONS
from sitecrawl.policy.urls.rule_engine import STAGES
from sitecrawl.policy.urls.url_rules import UrlChange, UrlRule

CITE = Citations(CrawlParams(start=("http://example.org/",)), {})


def modules() -> Iterator[ModuleType]:
    """The modules in which decisions are taken."""
    package = sitecrawl.policy
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def stated() -> Iterator[tuple[str, RefusalReason]]:
    """Each reason that a module or one of its classes states, with the place."""
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, RefusalReason):
                yield f"{module.__name__}.{name}", value
            elif inspect.isclass(value) and value.__module__ == module.__name__:
                reasons = vars(value).get("reason"), *vars(value).get("reasons", ())
                for reason in filter(None, reasons):
                    if isinstance(reason, RefusalReason):
                        yield f"{module.__name__}.{value.__name__}", reason


def descendants(kind: type[Any]) -> Iterator[type[Any]]:
    """The subclasses of a class, and theirs."""
    for each in kind.__subclasses__():
        yield from (each, *descendants(each))


@pytest.mark.parametrize(
    ("kind", "registered", "place"),
    [
        (UrlRule, {each for stage in STAGES for each in stage.rules}, "STAGES in rule_engine.py"),
        (
            UrlChange,
            {each for stage in STAGES for each in stage.changes},
            "STAGES in rule_engine.py",
        ),
    ],
)
def test_every_rule_is_registered(kind: type[Any], registered: set[type[Any]], place: str) -> None:
    names = {name: value for module in modules() for name, value in vars(module).items()}
    # A dataclass with slots leaves the class that it was made from behind.
    found = {each for each in descendants(kind) if names.get(each.__name__) is each}
    kinds = {each for each in found if not each.__name__.startswith("_")}
    missing = {
        f"register {each.__module__}.{each.__name__} in the tuple of its kind, "
        f"which is part of {place}"
        for each in kinds - registered
        if each.__module__.startswith("sitecrawl.")
    }
    assert missing == set()


def test_every_reason_is_registered() -> None:
    missing = {
        f"register {place}, which states {reason.name!r}, or add the reason itself to "
        "sitecrawl/policy/refusal_reasons.py"
        for place, reason in stated()
        if reason not in REFUSAL_REASONS
    }
    assert missing == set()


def test_reasons_are_distinct() -> None:
    names = [reason.name for reason in REFUSAL_REASONS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("reason", REFUSAL_REASONS, ids=lambda reason: reason.name)
def test_a_reason_names_its_options(reason: RefusalReason) -> None:
    assert reason.meaning, f"state the meaning of {reason.name!r} for docs/outcomes.md"
    for option in reason.options:
        assert option in CrawlParams.model_fields, f"{reason.name!r} names no option: {option}"
    for option in reason.options[:1]:
        assert re.search(rf"`{option}\b", reason.meaning), f"name {option} in {reason.meaning!r}"


def test_the_documentation_is_that_of_the_registry() -> None:
    page = outcomes.PAGE.read_text(encoding="utf-8")
    assert page == outcomes.text(page), "run python -m scripts.outcomes"


@pytest.mark.parametrize("reason", LIMIT_REASONS, ids=lambda reason: reason.name)
def test_a_limit_says_what_it_applies(reason: RefusalReason) -> None:
    setting: Any = reason.setting(CITE)
    assert setting, f"give {reason.name!r} an option or a premise"
