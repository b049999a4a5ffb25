"""Extensions: parts that live as long as the crawl."""
