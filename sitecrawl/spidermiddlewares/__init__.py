"""Middlewares for the requests that the spider starts with."""
