"""What the commands share: reading arguments, finding the crawl database, telling in words."""
