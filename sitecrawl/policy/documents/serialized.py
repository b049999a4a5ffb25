"""Documents as JSON: the lines of the output, and what is stored and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json


def serialized(fields: Mapping[str, Any]) -> bytes:
    """Compact JSON in UTF-8, keys in their order; what JSON does not know is written as text.

    Half a surrogate pair, as pages have in their structured data, becomes U+FFFD.
    """
    try:
        return to_json(fields, fallback=str)
    except PydanticSerializationError:
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
