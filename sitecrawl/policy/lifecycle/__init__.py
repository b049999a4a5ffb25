"""When URLs are visited again, and when documents are deleted or merged."""
