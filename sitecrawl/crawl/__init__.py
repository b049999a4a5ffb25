"""The parts of a running crawl; `extensions.crawl` puts them together."""
