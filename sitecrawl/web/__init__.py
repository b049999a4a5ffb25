"""Readers of the web's formats: URLs, documents, robots directives, sitemaps."""
