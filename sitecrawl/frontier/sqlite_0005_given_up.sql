-- The run in which an origin was given up, for all its workers.
ALTER TABLE origin ADD COLUMN given_up INTEGER;
