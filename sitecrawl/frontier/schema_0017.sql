-- The last answers to robots.txt, sitemaps and feeds that had validators, to be requested only if
-- they have changed.
CREATE TABLE kept_file (
    realm TEXT NOT NULL,
    url TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    body {bytes} NOT NULL,
    kept_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm, url)
);
