"""Rules for leaving URLs out: the yield of the kinds of pages of an origin, and parts without an end."""
