"""Histories of sites that fail for some runs, and what they do to an index."""
