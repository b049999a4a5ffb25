"""HTML pages: one parse, one walk, and the facts of the page."""
