"""Learned rules: what the pages of an origin have shown of its URLs."""
