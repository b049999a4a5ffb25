"""Rules learned from the pages of an origin."""
