-- What the scores of a run are relative to, beside its own: known, problem, run, ledger or a file. NULL: its rule takes no best
-- score.
ALTER TABLE run ADD COLUMN reference TEXT;
-- The best scores that were known when it started, and who reached them: 'run' (a solver of a run here), 'imported' (a solver of
-- another journal), 'problem' or 'file'.
CREATE TABLE known_best (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    place INTEGER NOT NULL,
    score TEXT NOT NULL,
    origin TEXT NOT NULL,
    solver TEXT,
    of_run INTEGER,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
-- The named numbers of the case, as in `N=10 colors=4`.
ALTER TABLE game_case ADD COLUMN features TEXT;
