"""A project on sitecrawl."""
