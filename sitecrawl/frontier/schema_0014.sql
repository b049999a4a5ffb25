-- Tables of a crawl database, for every backend. Names in braces are column types that differ between
-- backends, see ``Database.types``. Each later change of the schema is a file of its own:
-- schema_0015.sql would have the statements that upgrade a database from version 14 to 15.
-- ``uid`` is that of all copies; ``epoch`` is renewed for a copy, which is no longer in the ``place``.
CREATE TABLE crawl (
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq BIGINT NOT NULL DEFAULT 0,
    deliveries BIGINT NOT NULL DEFAULT 1,
    epoch TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT ''
);

-- ``granted``: requests that the workers of a run with a limit have been allowed.
CREATE TABLE run (
    id {identity},
    realm TEXT NOT NULL,
    configuration TEXT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    finish_reason TEXT,
    counters TEXT,
    reading TEXT,
    granted BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE worker (
    owner TEXT PRIMARY KEY,
    run BIGINT NOT NULL,
    alive_until DOUBLE PRECISION NOT NULL
);

-- Workers of the last run of each realm, also those that have ended. ``seen_at`` is the time of the
-- last heartbeat, ``rate`` the pages per second before it. ``finish`` is the reason of the end: that
-- of the worker, or died. ``crawls`` is 0 for a process that only writes the output of others.
CREATE TABLE run_worker (
    owner TEXT PRIMARY KEY,
    run BIGINT NOT NULL,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    crawls INTEGER NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    finish TEXT,
    pages BIGINT NOT NULL DEFAULT 0,
    rate DOUBLE PRECISION NOT NULL DEFAULT 0,
    counters TEXT
);

-- ``day_visits`` counts the pages visited on the day ``visit_day`` (UTC, days since 1970), ``plain_losses`` and
-- ``other_losses`` the documents that were lost on the day ``loss_day``.
CREATE TABLE origin (
    id {identity},
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
    given_up BIGINT,
    given_up_because TEXT,
    robots_run BIGINT,
    address TEXT,
    visit_day INTEGER NOT NULL DEFAULT 0,
    day_visits BIGINT NOT NULL DEFAULT 0,
    loss_day INTEGER NOT NULL DEFAULT 0,
    plain_losses BIGINT NOT NULL DEFAULT 0,
    other_losses BIGINT NOT NULL DEFAULT 0,
    UNIQUE (key, realm)
);
CREATE INDEX origin_pending ON origin (ready_at) WHERE pending > 0;
-- ``address``: the IP address whose pace the origin shares, if the pace is kept by address. All leased
-- origins of one address belong to one worker; a leased origin without one is not requested yet. Or
-- the origin whose worker has to read this one's robots.txt, which redirects there.
CREATE INDEX origin_address ON origin (address) WHERE address IS NOT NULL;

-- ``listed``: the last run in which a sitemap listed the URL; ``announced``: the date of the last change
-- that a sitemap or feed has announced, if the crawl has a budget of pages a day. ``compared`` counts the visits that
-- compared the page with its text before, ``compared_changes`` and ``compared_seconds`` the changes and
-- the time between them (older ones count less), ``change_rate`` the changes per second that follow.
CREATE TABLE url (
    id {identity},
    origin BIGINT NOT NULL,
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
    announced DOUBLE PRECISION,
    changed_at DOUBLE PRECISION,
    etag TEXT,
    last_modified TEXT,
    content_hash TEXT,
    document_hash TEXT,
    missing INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    compared DOUBLE PRECISION,
    compared_changes DOUBLE PRECISION,
    compared_seconds DOUBLE PRECISION,
    change_rate DOUBLE PRECISION,
    redirect_to TEXT,
    canonical TEXT,
    target BIGINT,
    detail TEXT,
    dated DOUBLE PRECISION,
    reading TEXT,
    following TEXT,
    unnamed INTEGER NOT NULL DEFAULT 0,
    unread INTEGER NOT NULL DEFAULT 2,
    left_out TEXT,
    listed BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX url_identity ON url (origin, fingerprint);
CREATE INDEX url_waiting ON url (origin, priority DESC, depth, id) WHERE waiting = 1;
-- URLs that come after all others, in random order: fingerprints are hashes.
CREATE INDEX url_later ON url (origin, priority DESC, fingerprint) WHERE waiting = 1 AND priority < 0;
CREATE INDEX url_due ON url (ages, due) WHERE waiting = 0 AND due IS NOT NULL;
CREATE INDEX url_aside ON url (origin) WHERE waiting = 2;
CREATE INDEX url_start ON url (origin) WHERE via = 'seed';
CREATE INDEX url_unnamed ON url (origin) WHERE unnamed = 1;

-- Sitemaps requested since the last retirement of starts, and not read yet.
CREATE TABLE listing (
    realm TEXT NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (realm, url)
);

CREATE TABLE attempt (
    id {identity},
    url BIGINT NOT NULL,
    run BIGINT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    duration DOUBLE PRECISION NOT NULL,
    outcome INTEGER NOT NULL,
    status INTEGER,
    bytes BIGINT NOT NULL,
    reason TEXT
);

CREATE TABLE document (
    url {key},
    origin BIGINT NOT NULL,
    id TEXT NOT NULL,
    seq BIGINT,
    hash TEXT,
    body {bytes} NOT NULL,
    target BIGINT,
    because TEXT
);
CREATE INDEX document_origin ON document (origin) WHERE seq IS NOT NULL;
CREATE INDEX document_hash ON document (hash, origin) WHERE hash IS NOT NULL;
CREATE INDEX document_target ON document (target) WHERE target IS NOT NULL;

-- Last written sections of documents that are written section by section.
CREATE TABLE section (
    url BIGINT NOT NULL,
    id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    place BIGINT NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (url, id)
);

-- Requests of each worker to an origin in a run, and the gaps between their beginnings, in seconds.
-- ``spare`` is the smallest difference between a gap and the promised one; ``pauses`` are JSON.
CREATE TABLE receipt (
    run BIGINT NOT NULL,
    origin BIGINT NOT NULL,
    owner TEXT NOT NULL,
    requests BIGINT NOT NULL,
    promised DOUBLE PRECISION NOT NULL,
    smallest DOUBLE PRECISION,
    median DOUBLE PRECISION,
    spare DOUBLE PRECISION,
    limited BIGINT NOT NULL,
    unavailable BIGINT NOT NULL,
    pauses TEXT NOT NULL,
    PRIMARY KEY (run, origin, owner)
);

-- Known URLs to which each page links: row ids in ascending order, the first one and then differences.
-- ``outside`` are rows of that table, in the same form.
CREATE TABLE link (
    url {key},
    targets TEXT NOT NULL,
    outside TEXT NOT NULL DEFAULT ''
);

-- Addresses that are not crawled but that pages refer to (kind link or asset), and what they answered
-- when they were last checked.
CREATE TABLE outside (
    id {identity},
    realm TEXT NOT NULL,
    url TEXT NOT NULL,
    kind TEXT NOT NULL,
    outcome INTEGER,
    status INTEGER,
    reason TEXT,
    checked_at DOUBLE PRECISION,
    UNIQUE (realm, url)
);

-- Changes of documents that wait for the end of their origin, or are held until a person confirms them,
-- see held_changes.py. ``change`` is new or changed for a document, empty for a deletion.
CREATE TABLE held_change (
    url {key},
    origin BIGINT NOT NULL,
    change TEXT,
    reason TEXT,
    moved_to TEXT,
    target BIGINT,
    plain INTEGER NOT NULL,
    hash TEXT,
    document_hash TEXT,
    body {bytes},
    visits_left INTEGER NOT NULL,
    held INTEGER NOT NULL,
    visits INTEGER NOT NULL,
    since DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    run BIGINT NOT NULL
);
CREATE INDEX held_change_origin ON held_change (origin);
CREATE INDEX held_change_target ON held_change (target) WHERE target IS NOT NULL;

-- ``delivered``: number of the delivery; 0 if undelivered, 1 if the delivery needs no record.
CREATE TABLE outbox (
    seq {key},
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
    delivered INTEGER NOT NULL DEFAULT 0,
    realm TEXT NOT NULL DEFAULT 'default'
);
CREATE INDEX outbox_undelivered ON outbox (realm, seq) WHERE delivered = 0;

-- Files to which lines were written, kept until every worker of that run has ended normally. The
-- owner is empty once the worker that wrote them has ended normally.
CREATE TABLE delivery (
    number {key},
    owner TEXT NOT NULL,
    run BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    files TEXT NOT NULL
);

-- Targets of ``scrapy sync``, and how far each has read the outbox. The authoritative cursor is kept
-- in the target itself; this copy shows the lag. The realm is empty if all are synchronised.
CREATE TABLE sync_target (
    target TEXT PRIMARY KEY,
    realm TEXT NOT NULL,
    seq BIGINT NOT NULL,
    synced_at DOUBLE PRECISION NOT NULL
);

-- Changes that a target refused, kept until it accepts a later change of the same document.
CREATE TABLE dead_letter (
    target TEXT NOT NULL,
    id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    url TEXT,
    reason TEXT NOT NULL,
    refused_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (target, id)
);

-- Evidence on the kinds of pages of an origin, kept between runs: ``basis`` is kind, a basis of pools,
-- part, lines or dates.
CREATE TABLE evidence (
    origin BIGINT NOT NULL,
    basis TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (origin, basis, name)
);
