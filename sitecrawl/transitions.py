"""Tables of transitions: what may follow on what in an explicit state machine."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

Phase = TypeVar("Phase", bound=Enum)


class IllegalTransitionError(RuntimeError):
    """A transition that the current phase does not allow: a defect of the program."""


def following(
    table: Mapping[str, Mapping[Phase, Phase]], transition: str, phase: Phase, subject: str
) -> Phase:
    """The phase of ``subject`` after a transition; raises IllegalTransitionError for none."""
    found = table[transition].get(phase)
    if found is None:
        raise IllegalTransitionError(f"{subject}: {transition} while {phase.name}")
    return found
