-- The best imported scores. The scores of recorded runs are not in it.
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
) WITHOUT ROWID;
