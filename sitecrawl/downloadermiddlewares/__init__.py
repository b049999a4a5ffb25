"""Middlewares for each request before it is sent and each response that arrives."""
