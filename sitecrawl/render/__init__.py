"""Shows pages in a browser; loaded only when a crawl asks for it."""
