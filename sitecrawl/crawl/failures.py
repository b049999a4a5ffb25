"""What failed downloads are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def names_of(error: BaseException | None) -> Iterator[str]:
    """The class names of an exception and of what caused it."""
    while error is not None:
        yield from (each.__name__ for each in type(error).__mro__)
        error = error.__cause__ or error.__context__
