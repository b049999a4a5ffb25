"""Reads a page as it is shown, with what its components keep in shadow trees."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from sitecrawl.render.settling import answered

if TYPE_CHECKING:
    from playwright.async_api import Page

# The flat tree (DOM Standard, 4.2.2.3; CSS Scoping, 3.1) as markup, null where it is no other than
# the document. Copied into a document without scripts, where no component comes to life.
FLAT = """() => {
    if (![...document.querySelectorAll('*')].some(element => element.shadowRoot)) return null;
    const inert = document.implementation.createHTMLDocument('');
    const flat = node => {
        const copy = inert.importNode(node, false);
        const assigned = node.localName === 'slot' ? node.assignedNodes() : [];
        const shown = assigned.length ? assigned : (node.shadowRoot || node).childNodes;
        for (const child of shown) copy.appendChild(flat(child));
        return copy;
    };
    return '<!DOCTYPE html>' + flat(document.documentElement).outerHTML;
}"""

logger = logging.getLogger(__name__)


async def read_shown(page: Page) -> str:
    """The markup of a page; shadow trees, unless closed, stand where they are shown."""
    composed: str | None = None
    try:
        composed = await answered(lambda: page.evaluate(FLAT))
    except PlaywrightError as error:
        logger.debug("The components of %s were not read: %s", page.url, error)
    return await answered(page.content) if composed is None else composed
