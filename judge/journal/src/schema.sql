-- The tables of a journal. SQLite stores these statements with their inner comments, and a file must have exactly the
-- same ones. Any change to a statement, also to a comment inside it, must increment `SCHEMA_VERSION` in store.rs.

-- A run: one command, one problem, one set of limits, on one machine; or several such runs that were merged.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Identifies the run among all runs of all machines.
    uid BLOB NOT NULL,
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- 'open' while it runs, and after it was killed; 'interrupted', 'stopped' (--fail-fast), 'complete', 'partial' (merged).
    state TEXT NOT NULL DEFAULT 'open',
    elapsed_us INTEGER NOT NULL DEFAULT 0,
    command TEXT NOT NULL,
    -- The message of the user.
    message TEXT,
    -- The keys of identity.rs: of the same result without solver and input, and of the same run. A run that has grown has no
    -- plan: no other run belongs with it.
    conditions BLOB NOT NULL,
    plan BLOB,
    -- Incremented for each run that begins or goes on: the run with the largest value was played last.
    turn INTEGER NOT NULL,
    -- For a search, whose entrants are the settings that it tried: the place of the best one. NULL: it is no search.
    search INTEGER,
    -- Whether it is made of runs that were merged.
    merged INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    rule TEXT NOT NULL,
    -- The decimals of its scores, to which totals are rounded if they are not exact. NULL: it has no totals.
    decimals INTEGER,
    direction TEXT NOT NULL,
    -- The best scores that its scores are relative to: known, problem, run, ledger or a file. NULL: its rule uses no best scores.
    reference TEXT,
    cpu_limit_us INTEGER NOT NULL,
    wall_limit_us INTEGER NOT NULL,
    memory_limit INTEGER NOT NULL,
    output_limit INTEGER NOT NULL,
    process_limit INTEGER NOT NULL,
    environment TEXT NOT NULL,
    visible TEXT,
    generator TEXT,
    -- The hash of the input that a setter's generator makes of the first seed.
    probe BLOB,
    case_count INTEGER NOT NULL,
    case_list BLOB,
    case_files BLOB,
    -- The shard of the plan, as 3 of 16, and how many cases it plays.
    shard INTEGER,
    shards INTEGER,
    played INTEGER,
    jobs INTEGER NOT NULL,
    tier TEXT NOT NULL,
    host TEXT NOT NULL,
    kernel TEXT NOT NULL,
    cpu_model TEXT NOT NULL,
    git_commit TEXT,
    git_dirty INTEGER,
    judge TEXT NOT NULL,
    -- The user's note. `edits` counts the changes of the note and the tags.
    note TEXT,
    edits INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX run_by_plan ON run (plan);
CREATE INDEX run_by_conditions ON run (conditions);
CREATE INDEX run_by_problem ON run (problem);

CREATE TABLE tag (
    run  INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- Another run that contributed results to this one: a merged shard, or a task on another machine.
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
) STRICT;

-- The cluster job of a run that continues without the judge that submitted it.
CREATE TABLE cluster_job (
    run     INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    engine  TEXT NOT NULL,
    id      TEXT NOT NULL,
    folder  TEXT NOT NULL
) STRICT;

-- The cluster machines that ran cases of a run.
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

-- A solver in a run, and its totals once the run has ended.
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
    -- Hash of the cases and of what turns their scores into the total: other totals say nothing about progress.
    case_set BLOB,
    UNIQUE (run, place)
) STRICT;
CREATE INDEX entrant_by_name ON entrant (name, run);

-- The best known scores of the cases of a run when it started. The scores of the run always stay relative to them.
CREATE TABLE known_best (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    -- The place of the case in the run.
    place INTEGER NOT NULL,
    score TEXT NOT NULL,
    -- Who reached it: 'run' (a solver of a run here), 'imported' (a solver of another journal), 'problem' or 'file'.
    origin TEXT NOT NULL,
    solver TEXT,
    of_run INTEGER,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- A case. A different checker version or input makes a different case.
CREATE TABLE game_case (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    name TEXT NOT NULL,
    input BLOB NOT NULL,
    seed TEXT,
    file TEXT,
    -- Its features, as in `N=10 colors=4`; NULL: they are not known.
    features TEXT,
    UNIQUE (problem, checker, checker_version, name, input)
) STRICT;

-- An answer. Identical answers are stored once. `run` is the last run that produced it: the oldest are dropped first.
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    packed_bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE answer_body (
    answer INTEGER PRIMARY KEY REFERENCES answer ON DELETE CASCADE,
    packed BLOB NOT NULL
) STRICT;

-- The result of a solver on a case. `rank` encodes scores of any size so that SQLite's byte order sorts them. The case
-- and answer columns are not foreign keys, because those would need two more indexes and slow down the recording of
-- every case.
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
    -- How long it was ready to run and had no core.
    waited_us INTEGER,
    note TEXT NOT NULL,
    stderr TEXT NOT NULL,
    answer INTEGER,
    -- Which rule a rejected answer breaks, and where: as far as the checker says.
    broken_line INTEGER,
    broken_column INTEGER,
    broken_move INTEGER,
    broken_rule TEXT,
    -- Its metrics, as in `moves=117 depth=3`; NULL: it has none.
    metrics TEXT,
    -- The run that it comes from; NULL: the run itself.
    origin INTEGER,
    -- The machine of `node` that it was found on; NULL: that of the run, or of its origin.
    node TEXT,
    PRIMARY KEY (entrant, place)
) STRICT, WITHOUT ROWID;

-- The best result on each case in either direction, kept up to date with the results. An index of all ranks by case
-- would be slower: each result is written at a different place, so a large index would write a page for each case of
-- every run.
CREATE TABLE best_result (
    game_case INTEGER NOT NULL,
    -- 'max' or 'min'.
    direction TEXT NOT NULL,
    rank BLOB NOT NULL,
    -- The result; of equal ones the first.
    entrant INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (game_case, direction)
) STRICT, WITHOUT ROWID;

-- The best imported scores, without the scores of recorded runs.
CREATE TABLE imported_best (
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    name TEXT NOT NULL,
    input BLOB NOT NULL,
    score TEXT NOT NULL,
    solver TEXT NOT NULL,
    solver_hash BLOB NOT NULL,
    host TEXT NOT NULL,
    run INTEGER NOT NULL,
    date TEXT NOT NULL,
    PRIMARY KEY (problem, checker, checker_version, name, input)
) STRICT, WITHOUT ROWID;
