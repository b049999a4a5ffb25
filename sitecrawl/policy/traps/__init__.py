"""Crawler traps: limits that depend on what was crawled before."""
