-- Every line names its realm; a run delivers those of its own.
ALTER TABLE outbox ADD COLUMN realm TEXT NOT NULL DEFAULT 'default';
UPDATE outbox SET realm = coalesce((SELECT realm FROM run WHERE run.id = outbox.run), 'default');
DROP INDEX outbox_undelivered;
CREATE INDEX outbox_undelivered ON outbox (realm, seq) WHERE delivered = 0;
