"""Crawler traps: limits that depend on the pages crawled before."""
