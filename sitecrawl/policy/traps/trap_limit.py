"""Base of the trap limits: refusal reasons, and construction from the options."""

from __future__ import annotations

from typing import ClassVar, Self

from sitecrawl.policy.decision import OptionValues, RefusalReason


class TrapLimit:
    """A limit that counts while a crawl runs.

    ``reasons`` are the reasons for which it refuses links or fetches.
    """

    __slots__ = ()
    reasons: ClassVar[tuple[RefusalReason, ...]]

    @classmethod
    def build(cls, options: OptionValues) -> Self:  # noqa: ARG003 -- one without option
        """Build the limit under these options, empty as at the start of a run."""
        return cls()
