"""Packets to private networks that hostile sites cause, seen from outside of the crawler."""
