"""Sitemaps, news feeds and XML documents."""
