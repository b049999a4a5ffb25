"""Shared parts of the commands: arguments, crawl databases, printed output."""
