"""Full-text search in a file: the index that `scrapy sync` writes and `scrapy search` reads."""
