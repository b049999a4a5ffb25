"""Fetches over HTTP within limits: addresses, certificates, sizes, rates and time."""
