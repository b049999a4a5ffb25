"""Policy of requests and responses."""
