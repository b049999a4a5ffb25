"""URLs: resolution as in browsers, and the identity of equivalent spellings."""
