-- Runs on many machines. A run has an identity of its own, and says which plan it is a part of: all that the results of a plan
-- depend on, without the machine.
ALTER TABLE run ADD COLUMN uid BLOB;
UPDATE run SET uid = randomblob(16);
ALTER TABLE run ADD COLUMN plan BLOB;
ALTER TABLE run ADD COLUMN visible TEXT;
ALTER TABLE run ADD COLUMN generator TEXT;
ALTER TABLE run ADD COLUMN case_list BLOB;
ALTER TABLE run ADD COLUMN case_files BLOB;
-- The shard of the plan, as 3 of 16, and how many cases it plays.
ALTER TABLE run ADD COLUMN shard INTEGER;
ALTER TABLE run ADD COLUMN shards INTEGER;
ALTER TABLE run ADD COLUMN played INTEGER;

-- Another run that this one has results of: a shard that was merged into it, or a task on another machine.
CREATE TABLE origin (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    uid BLOB NOT NULL,
    started TEXT NOT NULL,
    state TEXT NOT NULL,
    elapsed_us INTEGER NOT NULL,
    command TEXT NOT NULL,
    conditions BLOB NOT NULL,
    shard INTEGER,
    shards INTEGER,
    played INTEGER NOT NULL,
    -- How many results it had when it was last read.
    results INTEGER NOT NULL,
    jobs INTEGER NOT NULL,
    tier TEXT NOT NULL,
    host TEXT NOT NULL,
    kernel TEXT NOT NULL,
    cpu_model TEXT NOT NULL,
    judge TEXT NOT NULL,
    -- The journal that it was read from.
    file TEXT NOT NULL,
    UNIQUE (run, uid)
);
-- Which of them a result is of; NULL: of the run itself.
ALTER TABLE result ADD COLUMN origin INTEGER;
