-- 1: the addresses of its duplicates have changed since it was written.
ALTER TABLE document ADD COLUMN stale INTEGER NOT NULL DEFAULT 0;
CREATE INDEX document_stale ON document (origin) WHERE stale = 1;
