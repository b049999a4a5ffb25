"""Options that make the crawler do what a named system does."""
