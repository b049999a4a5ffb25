"""Images: ALT text, and the distinction between the site's own and foreign images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.html.elements import ANCHOR

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.html.walk import Leave, Walk


MAX_WRAPPERS = 3  # elements around a lazily loaded image


def enter_image(walk: Walk, node: LexborNode) -> Leave | None:
    """Add an image's ALT to the text, and mark the link that wraps the image."""
    attributes = node.attributes
    source = attributes.get("src") or ""
    walk.no_alt += "alt" not in attributes
    foreign = is_foreign(source, walk.host)
    if source and not foreign and not source.startswith("data:"):
        if len(walk.images) < walk.options.max_links:
            walk.images.append(source)
        else:
            walk.cut("too_many_images")
    if walk.options.content != "page" or not _is_in_link(node):
        add_alt(walk, attributes, foreign=foreign)
    if (foreign or "ismap" in attributes) and _is_linked(walk, node):
        number = len(walk.found) - 1
        if foreign:
            walk.banners.add(number)
        if "ismap" in attributes:
            walk.image_maps[number] = f"{attributes.get('width')}x{attributes.get('height')}"
    return None


def enter_area(walk: Walk, node: LexborNode) -> Leave | None:
    """Add the ALT of an area of an image map to the text."""
    add_alt(walk, node.attributes, foreign=False)
    return None


def add_alt(walk: Walk, attributes: dict[str, str | None], *, foreign: bool) -> None:
    """Add ALT and a different TITLE, where the options ask for them, to the text."""
    alt = attributes.get("alt") if walk.options.image_text != "none" else None
    title = attributes.get("title") if walk.options.image_text == "title" else None
    if alt:
        walk.text.add_alt(alt, foreign=foreign)
    if title and title != alt:
        walk.text.add_alt(title, foreign=foreign)


def shows_again(node: LexborNode, markup: str) -> bool:
    """Return True if markup has only images that repeat the ALT of an image beside ``node``.

    Pages with lazily loaded images serve browsers without scripts in this way.
    """
    body = LexborHTMLParser(markup).body if "alt" in markup else None
    if body is None or body.text(strip=True):
        return False
    alts = {image.attributes.get("alt") for image in body.css("img")}
    return bool(alts) and alts <= {_alt_beside(node, "prev"), _alt_beside(node, "next")}


def _alt_beside(node: LexborNode, side: str) -> str | None:
    """The ALT of the sibling if it is an image, else of the image at its end."""
    found = _element(getattr(node, side), side)
    for _ in range(MAX_WRAPPERS):
        if found is not None and found.tag != "img":
            found = _element(found.last_child, "prev")
    return found.attributes.get("alt") if found is not None and found.tag == "img" else None


def _element(node: LexborNode | None, side: str) -> LexborNode | None:
    """The node if it is an element, else the nearest element sibling on that side."""
    while node is not None and not node.is_element_node:
        node = getattr(node, side)
    return node


def is_foreign(source: str, host: str) -> bool:
    """Return True if an image's host differs from the page's."""
    source = source.strip()
    if not source.startswith(("http:", "https:", "//")):
        return False
    parts = source.split("/", 3)
    return len(parts) > 2 and parts[2].lower() != host


def _is_in_link(node: LexborNode) -> bool:
    """Return True if an image is the label of a link: its parent or grandparent is one."""
    parent = node.parent
    above = parent.parent if parent is not None else None
    return any(each is not None and each.tag_id == ANCHOR for each in (parent, above))


def _is_linked(walk: Walk, node: LexborNode) -> bool:
    """Return True if the parent or grandparent of an image is the link found last."""
    parent = node.parent
    for _ in range(2):
        if parent is not None and parent.tag_id == ANCHOR:
            return bool(walk.found) and walk.found[-1][0].mem_id == parent.mem_id
        parent = parent.parent if parent is not None else None
    return False
