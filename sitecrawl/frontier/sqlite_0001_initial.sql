CREATE TABLE crawl (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    realm TEXT NOT NULL,
    configuration TEXT NOT NULL,
    started_at REAL NOT NULL,
    finished_at REAL,
    finish_reason TEXT,
    counters TEXT
);

CREATE TABLE worker (
    owner TEXT PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    alive_until REAL NOT NULL
);

CREATE TABLE origin (
    id INTEGER PRIMARY KEY,
    realm TEXT NOT NULL,
    key TEXT NOT NULL,
    robots_text TEXT,
    robots_status INTEGER,
    robots_expires_at REAL NOT NULL DEFAULT 0,
    delay REAL,
    ready_at REAL NOT NULL DEFAULT 0,
    pending INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until REAL NOT NULL DEFAULT 0,
    UNIQUE (key, realm)
);
CREATE INDEX origin_pending ON origin (ready_at) WHERE pending > 0;

CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL REFERENCES origin,
    fingerprint INTEGER NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,
    via TEXT NOT NULL,
    priority INTEGER NOT NULL,
    referrer INTEGER,
    referrer_url TEXT,
    found_at REAL NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 1,
    run INTEGER NOT NULL DEFAULT 0,
    due REAL DEFAULT 0,
    ages INTEGER NOT NULL DEFAULT 0,
    outcome INTEGER,
    status INTEGER,
    reason TEXT,
    visited_at REAL,
    indexed_at REAL,
    changed_at REAL,
    etag TEXT,
    last_modified TEXT,
    content_hash TEXT,
    document_hash TEXT,
    missing INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    interval REAL,
    redirect_to TEXT,
    canonical TEXT,
    target INTEGER,
    detail TEXT
);
CREATE UNIQUE INDEX url_identity ON url (origin, fingerprint);
CREATE INDEX url_waiting ON url (origin, priority DESC, depth, id) WHERE waiting = 1;
CREATE INDEX url_due ON url (ages, due) WHERE waiting = 0 AND due IS NOT NULL;

CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    url INTEGER NOT NULL REFERENCES url,
    run INTEGER NOT NULL,
    started_at REAL NOT NULL,
    duration REAL NOT NULL,
    outcome INTEGER NOT NULL,
    status INTEGER,
    bytes INTEGER NOT NULL,
    reason TEXT
);

CREATE TABLE document (
    url INTEGER PRIMARY KEY REFERENCES url,
    origin INTEGER NOT NULL REFERENCES origin,
    id TEXT NOT NULL,
    seq INTEGER,
    hash TEXT,
    body BLOB NOT NULL,
    target INTEGER REFERENCES url,
    because TEXT
);
CREATE INDEX document_origin ON document (origin) WHERE seq IS NOT NULL;
CREATE INDEX document_hash ON document (hash, origin) WHERE hash IS NOT NULL;
CREATE INDEX document_target ON document (target) WHERE target IS NOT NULL;

CREATE TABLE near (
    origin INTEGER NOT NULL REFERENCES origin,
    band INTEGER NOT NULL,
    bits INTEGER NOT NULL,
    url INTEGER NOT NULL REFERENCES url,
    simhash INTEGER NOT NULL,
    PRIMARY KEY (origin, band, bits, url)
);
CREATE INDEX near_url ON near (url);

CREATE TABLE deletion (
    url INTEGER PRIMARY KEY REFERENCES url,
    origin INTEGER NOT NULL REFERENCES origin,
    reason TEXT NOT NULL,
    moved_to TEXT,
    seen_at REAL NOT NULL,
    run INTEGER NOT NULL
);
CREATE INDEX deletion_origin ON deletion (origin);

CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    url INTEGER NOT NULL,
    op TEXT NOT NULL,
    id TEXT NOT NULL,
    change TEXT,
    reason TEXT,
    moved_to TEXT,
    address TEXT,
    run INTEGER NOT NULL,
    made_at REAL NOT NULL,
    owner TEXT,
    delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_undelivered ON outbox (seq) WHERE delivered = 0;
