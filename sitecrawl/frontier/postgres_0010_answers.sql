-- What known pages began to answer in place of their own content, and when they last did.
CREATE TABLE answer (
    url BIGINT PRIMARY KEY REFERENCES url,
    origin BIGINT NOT NULL REFERENCES origin,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    seen_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX answer_key ON answer (key, kind);
CREATE INDEX answer_origin ON answer (origin);
-- Documents that are written once no other page gives the same answer.
CREATE TABLE withheld (
    url BIGINT PRIMARY KEY REFERENCES url,
    origin BIGINT NOT NULL REFERENCES origin,
    change TEXT NOT NULL,
    body BYTEA NOT NULL,
    hash TEXT,
    document_hash TEXT,
    visits_left INTEGER NOT NULL,
    held INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX withheld_origin ON withheld (origin);
ALTER TABLE deletion ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
