"""Discovery of links, recording of visits, and the report of a run."""
