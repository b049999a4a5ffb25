"""A crawl for readers: the web application of `scrapy browse`, and the tools of `scrapy mcp`."""
