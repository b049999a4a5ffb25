"""Item pipelines: from a page to its stored document."""
