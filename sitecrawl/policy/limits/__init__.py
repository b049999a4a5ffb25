"""Limits that depend on what was crawled before: series, copies, query variants, counts.

Everything here has a memory, unlike the rules; the memory is one run's and is bounded.
"""
