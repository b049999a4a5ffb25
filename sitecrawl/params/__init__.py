"""The options of a crawl: one typed model, made of one part for each subject."""
