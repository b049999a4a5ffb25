"""Fields of documents, made from pages by the options."""
