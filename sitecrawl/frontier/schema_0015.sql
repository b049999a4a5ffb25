-- ``audit``: what a report tells of a page as it was last read, see policy/documents/audit.py.
ALTER TABLE url ADD COLUMN audit TEXT;
