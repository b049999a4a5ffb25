"""Explanation of the decisions about a URL."""
