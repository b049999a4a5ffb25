"""Typed events, by which a component notifies those above it without knowing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVarTuple

Payload = TypeVarTuple("Payload")


class Event(Generic[*Payload]):
    """An event owned by its sender; receivers connect when they are built.

    Receivers are called in the order in which they connected.
    """

    def __init__(self) -> None:
        self._receivers: list[Callable[[*Payload], object]] = []

    def connect(self, receiver: Callable[[*Payload], object]) -> None:
        """Call ``receiver`` whenever the event is sent."""
        self._receivers.append(receiver)

    def send(self, *payload: *Payload) -> None:
        """Call every receiver with the payload."""
        for receiver in self._receivers:
            receiver(*payload)
