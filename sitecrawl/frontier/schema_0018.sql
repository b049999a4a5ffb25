-- ``html``: the page as it was last read, packed, if the crawl keeps it.
ALTER TABLE document ADD COLUMN html {bytes};
