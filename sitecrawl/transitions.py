"""Transition tables of explicit state machines."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

Phase = TypeVar("Phase", bound=Enum)


class IllegalTransitionError(RuntimeError):
    """A transition that the current phase does not allow, which is a bug."""


def following(
    table: Mapping[str, Mapping[Phase, Phase]], transition: str, phase: Phase, subject: str
) -> Phase:
    """Return the phase of ``subject`` after a transition; raises IllegalTransitionError."""
    found = table[transition].get(phase)
    if found is None:
        raise IllegalTransitionError(f"{subject}: {transition} while {phase.name}")
    return found
