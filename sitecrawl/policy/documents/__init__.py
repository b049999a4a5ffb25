"""What a document says, made from the facts of a page and the options."""
