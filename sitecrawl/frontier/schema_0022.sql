DROP INDEX IF EXISTS origin_address;
ALTER TABLE origin DROP COLUMN address;
