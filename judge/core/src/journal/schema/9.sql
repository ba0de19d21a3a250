-- What the user says of a run that was recorded. `edits` counts how often that was changed.
ALTER TABLE run ADD COLUMN note TEXT;
ALTER TABLE run ADD COLUMN edits INTEGER NOT NULL DEFAULT 0;
CREATE TABLE tag (
    run  INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
