"""Which URLs are crawled: canonicalization, rules, scope."""
