-- The best result on each case by either direction, kept up to date with the results. An index of all ranks by case is written
-- to at a place of its own for each result: once it was large, a page for each case of every run.
CREATE TABLE best_result (
    game_case INTEGER NOT NULL,
    -- 'max' or 'min'.
    direction TEXT NOT NULL,
    rank BLOB NOT NULL,
    -- The result; of equal ones the first.
    entrant INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (game_case, direction)
) WITHOUT ROWID;
INSERT INTO best_result
    SELECT game_case, 'max', rank, entrant, place FROM result INDEXED BY result_by_rank WHERE rank IS NOT NULL
    ON CONFLICT DO UPDATE SET rank = excluded.rank, entrant = excluded.entrant, place = excluded.place
        WHERE excluded.rank > best_result.rank;
INSERT INTO best_result
    SELECT game_case, 'min', rank, entrant, place FROM result INDEXED BY result_by_rank WHERE rank IS NOT NULL
    ON CONFLICT DO UPDATE SET rank = excluded.rank, entrant = excluded.entrant, place = excluded.place
        WHERE excluded.rank < best_result.rank;
DROP INDEX result_by_rank;
