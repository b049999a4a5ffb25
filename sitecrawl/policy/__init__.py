"""Decides what is done about what the web says."""
