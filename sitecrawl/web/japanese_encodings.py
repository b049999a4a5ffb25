"""EUC-JP and ISO-2022-JP with the Windows code table, as in browsers, instead of Python's JIS."""

from __future__ import annotations

import codecs

JAPANESE_CODECS = {"euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp_ext"}
# Six characters of row 1 that have two mappings to Unicode: that of JIS, and that of browsers.
_SHOWN = dict(zip("〜−‖¢£¬", "～－∥￠￡￢", strict=True))
DECODE_TABLE = str.maketrans(_SHOWN)
ENCODE_TABLE = str.maketrans({shown: written for written, shown in _SHOWN.items()})


def read_japanese(body: bytes, name: str) -> str:
    """Decode ``body`` from EUC-JP or ISO-2022-JP; undecodable bytes become U+FFFD."""
    return body.decode(JAPANESE_CODECS[name], "japanese").translate(DECODE_TABLE)


def _of_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode a character of the rows that NEC and IBM added (Encoding Standard, index jis0208)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    row, cell = (byte & 0x7F for byte in pair.ljust(2, b"\0"))
    is_pair = len(pair) == 2 and pair[0] >> 7 == pair[1] >> 7  # "<" ends a truncated character
    if is_pair and 0x21 <= row <= 0x7E and 0x21 <= cell <= 0x7E:
        try:
            return _shift_jis(row - 0x20, cell - 0x20).decode("cp932"), error.start + 2
        except UnicodeDecodeError:
            pass
    return "\ufffd", error.end


def _shift_jis(row: int, cell: int) -> bytes:
    """Return the two Shift_JIS bytes of a cell of JIS X 0208; rows and cells count from 1."""
    lead = (row - 1) // 2 + (0x81 if row <= 62 else 0xC1)
    trail = cell + (0x9E if row % 2 == 0 else 0x3F if cell < 64 else 0x40)
    return bytes((lead, trail))


codecs.register_error("japanese", _of_windows)
