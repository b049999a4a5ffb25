"""The HTTP client: connections, exchanges and the bounds on both."""
