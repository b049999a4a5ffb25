"""Documents as bytes, to be stored or compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json


def serialized(fields: Mapping[str, Any]) -> bytes:
    """Compact JSON in UTF-8, keys in their order; what JSON does not know is written as text.

    Half surrogate pairs, which pages have in their structured data, are kept as they are.
    """
    try:
        return to_json(fields, fallback=str)
    except PydanticSerializationError:
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "surrogatepass")
