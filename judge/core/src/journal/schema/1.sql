-- A run: one command, one problem, one set of limits, on one machine.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- 'open' while it runs, and after it was killed; 'interrupted', 'stopped' (--fail-fast), 'complete'.
    state TEXT NOT NULL DEFAULT 'open',
    elapsed_us INTEGER NOT NULL DEFAULT 0,
    command TEXT NOT NULL,
    -- What a run must agree in to be continued, and what a result must agree in to be used again.
    signature BLOB NOT NULL,
    conditions BLOB NOT NULL,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    rule TEXT NOT NULL,
    direction TEXT NOT NULL,
    cpu_limit_us INTEGER NOT NULL,
    wall_limit_us INTEGER NOT NULL,
    memory_limit INTEGER NOT NULL,
    output_limit INTEGER NOT NULL,
    process_limit INTEGER NOT NULL,
    environment TEXT NOT NULL,
    case_count INTEGER NOT NULL,
    jobs INTEGER NOT NULL,
    tier TEXT NOT NULL,
    host TEXT NOT NULL,
    kernel TEXT NOT NULL,
    cpu_model TEXT NOT NULL,
    git_commit TEXT,
    git_dirty INTEGER,
    judge TEXT NOT NULL
);
CREATE INDEX run_by_signature ON run (signature);
CREATE INDEX run_by_conditions ON run (conditions);
CREATE INDEX run_by_problem ON run (problem);

-- A solver in a run, and, once the run has ended, what it reached.
CREATE TABLE entrant (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    hash BLOB NOT NULL,
    done INTEGER,
    accepted INTEGER,
    total TEXT,
    -- Hash of the cases it was run on: totals over other cases say nothing about progress.
    case_set BLOB,
    UNIQUE (run, place)
);
CREATE INDEX entrant_by_name ON entrant (name, run);

-- A case: what a score is a score of. Another checker version or another input is another case.
CREATE TABLE game_case (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    name TEXT NOT NULL,
    input BLOB NOT NULL,
    seed TEXT,
    file TEXT,
    UNIQUE (problem, checker, checker_version, name, input)
);

-- An answer, once, however often it was given. `run` is the last that gave it: the oldest go first.
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    packed_bytes INTEGER NOT NULL
);
CREATE TABLE answer_body (
    answer INTEGER PRIMARY KEY REFERENCES answer ON DELETE CASCADE,
    packed BLOB NOT NULL
);

-- What became of a solver on a case. `rank` orders scores of any size as SQLite orders bytes. The columns that name a case
-- and an answer are no foreign keys: those would need two more indexes, and slow every recorded case.
CREATE TABLE result (
    entrant INTEGER NOT NULL REFERENCES entrant ON DELETE CASCADE,
    place INTEGER NOT NULL,
    game_case INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    score TEXT,
    rank BLOB,
    cpu_us INTEGER,
    wall_us INTEGER,
    memory INTEGER,
    noisy INTEGER NOT NULL,
    note TEXT NOT NULL,
    stderr TEXT NOT NULL,
    answer INTEGER,
    PRIMARY KEY (entrant, place)
) WITHOUT ROWID;
CREATE INDEX result_by_rank ON result (game_case, rank) WHERE rank IS NOT NULL;
