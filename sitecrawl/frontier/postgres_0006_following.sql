-- The options by which the links of a page were judged when it was last read.
ALTER TABLE url ADD COLUMN following TEXT;
