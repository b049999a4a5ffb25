"""Lifecycle of URLs and documents: revisits, deletion, duplicates."""
