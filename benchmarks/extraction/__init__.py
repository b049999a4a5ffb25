"""Documents against public ground truth: main text and search over it, a file for each table."""
