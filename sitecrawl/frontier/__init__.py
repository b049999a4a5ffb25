"""The crawl database: URLs, outcomes and documents."""
