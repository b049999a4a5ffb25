"""Reads what the web says: URLs, links, documents, robots directives, sitemaps."""
