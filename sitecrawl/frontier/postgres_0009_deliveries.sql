-- The files that took lines, until all workers of the run that wrote them have ended well; the
-- owner of what one of them delivered that has is empty. A row of the outbox names its delivery:
-- 0 not delivered, 1 delivered to what needs no record.
ALTER TABLE crawl ADD COLUMN deliveries BIGINT NOT NULL DEFAULT 1;
CREATE TABLE delivery (
    number BIGINT PRIMARY KEY,
    owner TEXT NOT NULL,
    run BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    files TEXT NOT NULL
);
