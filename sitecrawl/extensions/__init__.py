"""What lives as long as the crawl."""
