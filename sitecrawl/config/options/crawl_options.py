"""All options of a crawl in one model."""

from __future__ import annotations

import hashlib
import json
from typing import Any, get_args

from pydantic import ConfigDict, model_validator
from pydantic.fields import FieldInfo

from sitecrawl.config.option import Effect, is_secret, options_with
from sitecrawl.config.options.content import ContentParams
from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.config.options.mode import ModeParams
from sitecrawl.config.options.render import RenderParams
from sitecrawl.config.options.rules import RuleParams
from sitecrawl.config.options.state import StateParams
from sitecrawl.config.options.sync_options import SyncParams
from sitecrawl.config.types import AUTO
from sitecrawl.frontier.base import Following, StateOptions
from sitecrawl.policy.lifecycle.change_rate import FIRST_INTERVAL
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit


class CrawlParams(
    RuleParams, FetchParams, RenderParams, ContentParams, StateParams, SyncParams, ModeParams
):
    """Every option, read and validated; immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=False)

    @property
    def reading(self) -> str:
        """A hash of the options that affect the reading of pages; defaults do not count."""
        return self._hash_of(READING)

    @property
    def following(self) -> Following:
        """The values of the options that affect which links of a page are followed."""
        if not self.follows:
            return Following("none")
        return Following(self._hash_of(FOLLOWING), by_depth=self.max_depth is not None)

    def state_options(self) -> StateOptions:
        """Return the options of the frontier; a check of links visits every page each time."""
        return StateOptions(
            revisit=Revisit(
                interval=FIRST_INTERVAL if self.recrawl == AUTO else self.recrawl,
                maximum=self.max_revisit,
                by_rate=self.recrawl == AUTO,
                refused=self.retry_refused_after,
                broken=self.retry_broken_after,
                blacklist=self.blacklist_errors,
            ),
            deletion=Deletion(
                confirmations=self.purge_404_after,
                unreachable_after=self.delete_unreachable_after,
                share=self.max_lost_share,
            ),
            realm=self.realm,
            force=self.force or self.mode == "check",
            daily_pages=self.max_pages_per_day,
            lease_seconds=self.lease,
            reconnect_seconds=self.reconnect,
            exclusive=self.exclusive,
            keep_duplicates=self.duplicates != "equal",
            activity=self.considers,
            delay=self.delay,
            reading=self.reading,
            keeps_html=self.keep == "html",
            following=self.following,
            one_worker=self.pace_by == "address",
        )

    def _hash_of(self, names: frozenset[str]) -> str:
        values = self.model_dump(mode="json", include=set(names), exclude_defaults=True)
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    @model_validator(mode="before")
    @classmethod
    def read_words(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Turn the word ``none`` into None if an option may be None, and refuse true for 1."""
        return {name: _read(cls.model_fields.get(name), values[name]) for name in values}


_OPTIONS = CrawlParams.model_fields.items()
SHAPING = options_with(~Effect.RUN, _OPTIONS)
"""Options that determine the set of documents and their content."""
NAMING = options_with(Effect.NAMING, _OPTIONS)
READING = options_with(Effect.READING, _OPTIONS)
FOLLOWING = options_with(Effect.FOLLOWING, _OPTIONS)
SECRET = frozenset(name for name, field in _OPTIONS if is_secret(field))


def _read(field: FieldInfo | None, value: Any) -> Any:
    kinds = (field.annotation, *get_args(field.annotation)) if field is not None else ()
    if isinstance(value, str):
        return None if value.strip().lower() == "none" and type(None) in kinds else value
    if isinstance(value, bool) and (int in kinds or float in kinds):
        return str(value)
    return value
