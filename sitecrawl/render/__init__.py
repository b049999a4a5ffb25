"""Rendering of pages in a browser; imported only by crawls that render."""
