"""URL policy: canonicalization, rules, scope."""
