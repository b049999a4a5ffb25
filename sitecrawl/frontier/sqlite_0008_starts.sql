-- A run looks up what was a start before.
CREATE INDEX url_start ON url (origin) WHERE via = 'seed';
