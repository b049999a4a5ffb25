"""Commands of sitecrawl, and of Scrapy where sitecrawl adapts them."""
