"""The options of a crawl: one typed model, and the parts that are built from it."""
