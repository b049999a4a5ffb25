"""Shadow trees that a page declares, in the place where a browser shows them."""

from __future__ import annotations

import re

DECLARED = b"shadowrootmode"
_TEMPLATE = re.compile(rb"<(/?)template\b([^<>]*)>", re.IGNORECASE)


def with_shadows(markup: bytes) -> bytes:
    """Markup with the templates that declare shadow trees (HTML, 4.12.3) as plain elements.

    Other templates stay. Slots are not filled: what goes into them follows its shadow tree.
    """
    open_templates: list[bool] = []

    def replaced(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            declares = bool(open_templates) and open_templates.pop()
        else:
            declares = DECLARED in tag[2].lower()
            open_templates.append(declares)
        return b"<%bshadow-root>" % tag[1] if declares else tag[0]

    return _TEMPLATE.sub(replaced, markup)
