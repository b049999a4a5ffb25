"""Configurations of other crawlers, read as options of this one."""
