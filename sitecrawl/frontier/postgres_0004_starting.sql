-- A run begins without looking at every URL.
ALTER TABLE run ADD COLUMN reading TEXT;
CREATE INDEX url_aside ON url (origin) WHERE waiting = 2;
