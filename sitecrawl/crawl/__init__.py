"""What a crawl finds and writes down."""
