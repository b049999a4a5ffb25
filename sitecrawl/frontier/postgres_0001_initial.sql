CREATE TABLE crawl (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE run (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    realm TEXT NOT NULL,
    configuration TEXT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    finish_reason TEXT,
    counters TEXT
);

CREATE TABLE worker (
    owner TEXT PRIMARY KEY,
    run BIGINT NOT NULL REFERENCES run,
    alive_until DOUBLE PRECISION NOT NULL
);

CREATE TABLE origin (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    realm TEXT NOT NULL,
    key TEXT NOT NULL,
    robots_text TEXT,
    robots_status INTEGER,
    robots_expires_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    delay DOUBLE PRECISION,
    ready_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    pending INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    fence BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    UNIQUE (key, realm)
);
CREATE INDEX origin_pending ON origin (ready_at) WHERE pending > 0;

CREATE TABLE url (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin BIGINT NOT NULL REFERENCES origin,
    fingerprint BIGINT NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,
    via TEXT NOT NULL,
    priority INTEGER NOT NULL,
    referrer BIGINT,
    referrer_url TEXT,
    found_at DOUBLE PRECISION NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 1,
    run BIGINT NOT NULL DEFAULT 0,
    due DOUBLE PRECISION DEFAULT 0,
    ages INTEGER NOT NULL DEFAULT 0,
    outcome INTEGER,
    status INTEGER,
    reason TEXT,
    visited_at DOUBLE PRECISION,
    indexed_at DOUBLE PRECISION,
    changed_at DOUBLE PRECISION,
    etag TEXT,
    last_modified TEXT,
    content_hash TEXT,
    document_hash TEXT,
    missing INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    "interval" DOUBLE PRECISION,
    redirect_to TEXT,
    canonical TEXT,
    target BIGINT,
    detail TEXT
);
CREATE UNIQUE INDEX url_identity ON url (origin, fingerprint);
CREATE INDEX url_waiting ON url (origin, priority DESC, depth, id) WHERE waiting = 1;
CREATE INDEX url_due ON url (ages, due) WHERE waiting = 0 AND due IS NOT NULL;

CREATE TABLE attempt (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url BIGINT NOT NULL REFERENCES url,
    run BIGINT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    duration DOUBLE PRECISION NOT NULL,
    outcome INTEGER NOT NULL,
    status INTEGER,
    bytes BIGINT NOT NULL,
    reason TEXT
);

CREATE TABLE document (
    url BIGINT PRIMARY KEY REFERENCES url,
    origin BIGINT NOT NULL REFERENCES origin,
    id TEXT NOT NULL,
    seq BIGINT,
    hash TEXT,
    body BYTEA NOT NULL,
    target BIGINT REFERENCES url,
    because TEXT
);
CREATE INDEX document_origin ON document (origin) WHERE seq IS NOT NULL;
CREATE INDEX document_hash ON document (hash, origin) WHERE hash IS NOT NULL;
CREATE INDEX document_target ON document (target) WHERE target IS NOT NULL;

CREATE TABLE near (
    origin BIGINT NOT NULL REFERENCES origin,
    band INTEGER NOT NULL,
    bits INTEGER NOT NULL,
    url BIGINT NOT NULL REFERENCES url,
    simhash BIGINT NOT NULL,
    PRIMARY KEY (origin, band, bits, url)
);
CREATE INDEX near_url ON near (url);

CREATE TABLE deletion (
    url BIGINT PRIMARY KEY REFERENCES url,
    origin BIGINT NOT NULL REFERENCES origin,
    reason TEXT NOT NULL,
    moved_to TEXT,
    seen_at DOUBLE PRECISION NOT NULL,
    run BIGINT NOT NULL
);
CREATE INDEX deletion_origin ON deletion (origin);

CREATE TABLE outbox (
    seq BIGINT PRIMARY KEY,
    url BIGINT NOT NULL,
    op TEXT NOT NULL,
    id TEXT NOT NULL,
    change TEXT,
    reason TEXT,
    moved_to TEXT,
    address TEXT,
    run BIGINT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    owner TEXT,
    delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_undelivered ON outbox (seq) WHERE delivered = 0;
