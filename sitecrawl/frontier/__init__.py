"""Remembers the URLs, outcomes and documents of a crawl."""
