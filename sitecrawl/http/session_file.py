"""Session of a browser from a file: cookies in Netscape form, or Playwright's storage state."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from http.cookiejar import Cookie


class UnusableSessionError(Exception):
    """A file of a session that cannot be used. The message has nothing of its content."""


def read_cookies(path: Path) -> list[Cookie]:
    """Read the cookies of a session that have not expired; raises UnusableSessionError."""
    text = _text_of(path)
    found = _of_state(_state(path, text)) if text.lstrip()[:1] == "{" else _of_netscape(path)
    valid = [each for each in found if not each.is_expired(int(time.time()))]
    if not valid:
        why = "no cookie that is still valid" if found else "no cookies"
        raise UnusableSessionError(f"{path} has {why}")
    return valid


def read_storage_state(path: Path) -> dict[str, Any] | None:
    """Read Playwright's storage state, for its browser; None if the file is of Netscape's form."""
    text = _text_of(path)
    return _state(path, text) if text.lstrip()[:1] == "{" else None


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UnusableSessionError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnusableSessionError(f"{path} is not a text in UTF-8") from error


def _state(path: Path, text: str) -> dict[str, Any]:
    try:
        state: dict[str, Any] = json.loads(text)
        _of_state(state)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UnusableSessionError(f"{path} is no storage state of Playwright") from None
    return state


def _of_state(state: dict[str, Any]) -> list[Cookie]:
    return [_cookie(**each) for each in state["cookies"]]


def _cookie(
    name: str,
    value: str,
    domain: str,
    path: str = "/",
    expires: float = -1,
    *,
    secure: bool = False,
    **_: Any,
) -> Cookie:
    from http.cookiejar import Cookie  # noqa: PLC0415 -- only for those who give a file

    is_shared = domain.startswith(".")
    lasts = None if expires < 0 else int(expires)
    place = (domain, is_shared, is_shared, path, True)
    return Cookie(0, name, value, None, False, *place, secure, lasts, lasts is None, None, None, {})  # noqa: FBT003


def _of_netscape(path: Path) -> list[Cookie]:
    from http.cookiejar import LoadError, MozillaCookieJar  # noqa: PLC0415 -- as above

    jar = MozillaCookieJar()
    try:
        with warnings.catch_warnings(action="ignore"):  # it warns of what it raises for
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
    except LoadError:  # it quotes the line, which has a secret
        raise UnusableSessionError(f"{path} is no cookie file in Netscape form") from None
    for cookie in jar:
        cookie.expires = cookie.expires or None  # curl writes 0 for the end of the session
    return list(jar)
