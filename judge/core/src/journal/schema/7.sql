-- Where a run goes on without the judge that submitted it.
CREATE TABLE cluster_job (
    run     INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    engine  TEXT NOT NULL,
    id      TEXT NOT NULL,
    folder  TEXT NOT NULL
) STRICT;

-- The machines of a cluster that cases of a run were run on.
CREATE TABLE node (
    run        INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    host       TEXT NOT NULL,
    kernel     TEXT NOT NULL,
    cpu_model  TEXT NOT NULL,
    tier       TEXT NOT NULL,
    load       REAL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
