"""Fields of documents, built from pages according to the options."""
