"""The commands that stand beside `scrapy crawl`."""
