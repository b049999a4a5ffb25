-- Tables of a search file. Vectors are packed, a byte for each number.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    path TEXT NOT NULL,
    realm TEXT NOT NULL,
    language TEXT NOT NULL,
    type TEXT NOT NULL,
    modified_at TEXT,
    change TEXT NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX page_language ON page (language);
CREATE INDEX page_url ON page (url, realm);
CREATE VIRTUAL TABLE words USING fts5 (
    title, headings, body, comments, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE frequency USING fts5vocab ('words', 'row');
CREATE TABLE name (
    key TEXT NOT NULL, page INTEGER NOT NULL, anchor TEXT NOT NULL, PRIMARY KEY (key, page, anchor)
) WITHOUT ROWID;
CREATE INDEX name_page ON name (page);
CREATE TABLE spelling (
    word TEXT NOT NULL, page INTEGER NOT NULL, reversed TEXT NOT NULL, PRIMARY KEY (word, page)
) WITHOUT ROWID;
CREATE INDEX spelling_reversed ON spelling (reversed, word);
CREATE INDEX spelling_page ON spelling (page);
CREATE TABLE vector (
    page INTEGER NOT NULL, anchor TEXT NOT NULL, hash TEXT NOT NULL, numbers BLOB NOT NULL
);
CREATE INDEX vector_page ON vector (page);
CREATE INDEX vector_hash ON vector (hash)
