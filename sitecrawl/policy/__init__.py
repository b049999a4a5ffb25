"""Policy: decisions about URLs, requests, responses and documents."""
