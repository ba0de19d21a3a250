#!/bin/sh
# Writes paired_scores.tsv: the scores of bundled solvers, given different times to think, on 300 seeded cases of two games.
# Run it from the root of the repository; it takes about five minutes. The searches go by the clock, so that the scores
# are not the same every time: the file is kept for the simulations of the stopping rule to be repeatable.
set -eu
judge=${JUDGE:-target/release/judge}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

for game in columns same-game-free; do
    plain=$(case $game in columns) echo columns-greedy ;; *) echo same-game-free-plain ;; esac)
    "$judge" run -p "$game" --seeds 1-300 --no-journal --csv "$folder/$game.csv" \
        -s "short=env SOLVER_TIME_LIMIT=0.05 $judge solve $game" \
        -s "again=env SOLVER_TIME_LIMIT=0.05 $judge solve $game" \
        -s "long=env SOLVER_TIME_LIMIT=0.1 $judge solve $game" \
        -s "plain=$judge solve $plain" > "$folder/$game.txt"
done

{
    echo "# Scores of bundled solvers on 300 seeded cases, as record_paired_scores.sh wrote them: with 0.05 s to think"
    echo "# (short), the same once more (again), with 0.1 s (long), and of the plain solver."
    awk -F, '
        FNR == 1 { file++; for (i = 1; i <= NF; i++) place[$i] = i; next }
        { score[file, $place["seed"], $place["solver"]] = $place["score"] }
        END {
            split("columns same-game-free", games, " ")
            split("short again long plain", solvers, " ")
            printf "seed"
            for (game = 1; game <= 2; game++) for (solver = 1; solver <= 4; solver++)
                printf "\t%s-%s", games[game], solvers[solver]
            print ""
            for (seed = 1; seed <= 300; seed++) {
                printf "%d", seed
                for (game = 1; game <= 2; game++) for (solver = 1; solver <= 4; solver++)
                    printf "\t%s", score[game, seed, solvers[solver]]
                print ""
            }
        }' "$folder/columns.csv" "$folder/same-game-free.csv"
} > tests/data/paired_scores.tsv
