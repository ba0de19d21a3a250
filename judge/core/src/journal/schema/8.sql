-- The machine of `node` that a result was found on; NULL: that of the run, or of its origin.
ALTER TABLE result ADD COLUMN node TEXT;
