"""Discovery of links, recording of visits, and the summary of a run."""
