-- The message that the user gave to a run.
ALTER TABLE run ADD COLUMN message TEXT;
