"""`scrapy sync`: keep search engines and other targets equal to the documents of a crawl."""
