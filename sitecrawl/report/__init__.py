"""Report on a crawl: lists of facts, and the page that shows them."""
