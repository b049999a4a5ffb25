"""Markup within scripts: ``document.write`` output, and menus that navigate.

No script is run. Only string arguments of ``document.write`` and ``writeln`` are read, and the
options of select elements whose change handler navigates.
"""

from __future__ import annotations

import re
from html import unescape

UNKNOWN_VALUE = "\ufdd2"  # replaces a value that is known only when the script runs
MAX_WRITES = 500
MAX_UNENDED = 10  # calls without an end, each of which is read to the end of the script
MAX_SCRIPT = 2_000_000  # characters of a script that are searched
COMMENT_REACH = 2_000  # characters before a call in which a comment may begin

_WRITE = re.compile(r"\bdocument\s*\.\s*write(?:ln)?\s*\(")
_TOKEN = re.compile(
    r'"((?:[^"\\\n]++|\\.)*+)"'
    r"|'((?:[^'\\\n]++|\\.)*+)'"
    r"|`((?:[^`\\]++|\\.)*+)`"
    r"|([()])"
    r"|[\s+,]+"
    r"|//[^\n]*|/\*.*?(?:\*/|$)"
    r"|([^\"'`()\s+,]+)",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "", "\n": ""}
_TAG = re.compile(r"(<[^<>]*>)")
_SKIPPED_TAG = re.compile(r"<(/?)(?:a|script|style)\b", re.IGNORECASE)
_NAMED = re.compile(r"https?://.+|[\w~%/-][\w~%./-]*\.html?(?:[?#].*)?", re.IGNORECASE)
_AROUND = ".,;:!?()[]{}'\""
_INSERTED = re.compile(r"\$\{[^}]*\}")
_NAVIGATION = re.compile(
    r"location|\.href|\bopen\s*\(|jump|\bgo\w*\s*\(|navigate|visit", re.IGNORECASE
)
_ADDRESS = re.compile(r"https?:|/|\./|\.\./", re.IGNORECASE)
# HTML, 4.12.1.1, and WHATWG MIME Sniffing, 4.6: the types of scripts that browsers run.
_PROGRAM = re.compile(
    r"(?:text|application)/(?:x-)?(?:java|ecma|j|live)script|module", re.IGNORECASE
)


def runs(kind: str | None) -> bool:
    """Return True if browsers run scripts of that type instead of keeping them as data."""
    kind = (kind or "").strip()
    return not kind or _PROGRAM.match(kind) is not None


def written(script: str) -> str:
    """The markup that a script writes, with ``UNKNOWN_VALUE`` for all but string literals."""
    script = script[:MAX_SCRIPT]
    parts: list[str] = []
    position = unended = 0
    for _ in range(MAX_WRITES):
        call = _WRITE.search(script, position)
        if call is None or unended > MAX_UNENDED:
            break
        position = call.end()
        if not _commented(script, call.start()):
            position, ended = _read_arguments(script, position, parts)
            unended += not ended
    return "".join(parts)


def named_addresses(markup: str) -> list[str]:
    """The addresses among the words of written markup: with a scheme, or ending in .htm or .html.

    Words within a link are skipped: they are its text.
    """
    found: list[str] = []
    within = False
    for part in _TAG.split(markup):
        tag = _SKIPPED_TAG.match(part)
        if tag is not None:
            within = not tag[1]
        elif not within and not part.startswith("<"):
            words = (word.strip(_AROUND) for word in unescape(part).split())
            found += [word for word in words if _NAMED.fullmatch(word)]
    return found


def _read_arguments(script: str, position: int, parts: list[str]) -> tuple[int, bool]:
    """Collect strings up to the closing parenthesis; return the position, and True if found."""
    depth = 1
    while depth and (token := _TOKEN.match(script, position)):
        position = token.end()
        if token[4]:
            depth += 1 if token[4] == "(" else -1
        elif depth == 1:
            parts.append(_value(token))
    return position, not depth


def _value(token: re.Match[str]) -> str:
    """Return the text that one token adds to the written markup."""
    if token[5]:
        return "" if token[5] == ";" else UNKNOWN_VALUE
    if token[3] is not None:
        return _unescape(_INSERTED.sub(UNKNOWN_VALUE, token[3]))
    return _unescape(token[1] or token[2] or "")


def _commented(script: str, position: int) -> bool:
    """Return True if a position in a script is within a comment."""
    near = script[max(0, position - COMMENT_REACH) : position]
    line = near[near.rfind("\n") + 1 :]
    if re.search(r"(?<![:\"'])//", line) and not line.lstrip().startswith("<!--"):
        return True
    return near.rfind("/*") > near.rfind("*/")


def _unescape(text: str) -> str:
    """The value of the text between the quotes of a JavaScript string (ECMA-262, 12.9.4)."""
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(matched: re.Match[str]) -> str:
    digits = matched[1] or matched[2] or matched[3]
    if digits:
        number = int(digits, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _LETTERS.get(matched[4], matched[4])


def navigates(handler: str) -> bool:
    """Return True if the change handler of a select element navigates to the chosen option."""
    return _NAVIGATION.search(handler) is not None


PAGE_EXTENSIONS = frozenset(
    [
        "htm",
        "html",
        "shtml",
        "ssi",
        "asp",
        "aspx",
        "php",
        "jsp",
        "cfm",
        "pl",
        "lasso",
        "nclk",
        "xml",
        "txt",
    ]
)


def is_page_address(value: str) -> bool:
    """Return True if the value of an option is the address of a page."""
    if _ADDRESS.match(value.strip()):
        return True
    name = re.split(r"[?#]", value.strip(), maxsplit=1)[0].rpartition("/")[2]
    stem, _, extension = name.rpartition(".")
    return bool(stem.strip(".") or stem) and extension.lower() in PAGE_EXTENSIONS
