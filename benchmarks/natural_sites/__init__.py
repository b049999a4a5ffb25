"""Natural sites with known truth: which pages, words and requests a crawl of each takes."""
