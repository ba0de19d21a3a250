//! The list of all solutions.

use crate::{SolveError, beating, columns, deletion_game, same_game, square_remover};
use std::io::Write;

/// One program that plays one of the games.
#[derive(Debug, Clone, Copy)]
pub struct Solution {
    /// The problem's id for the solution that plays it by default; else the problem's id with the strategy's name.
    pub id: &'static str,
    /// The strategy, in one line.
    pub summary: &'static str,
    /// Reads a whole case and writes the answer.
    pub solve: fn(&[u8], &mut dyn Write) -> Result<(), SolveError>,
}

const fn solution(
    id: &'static str,
    summary: &'static str,
    solve: fn(&[u8], &mut dyn Write) -> Result<(), SolveError>,
) -> Solution {
    Solution { id, summary, solve }
}

static SOLUTIONS: [Solution; 13] = [
    solution("columns", "beam", columns::solve),
    solution("columns-quickstart", "the statement's strategy: always the lowest place", columns::solve_quickstart),
    solution("columns-greedy", "one move of foresight: most points, then lowest place", columns::solve_greedy),
    solution("square-remover", "beam search over swaps", square_remover::solve),
    solution(
        "square-remover-plain",
        "one move of foresight: most squares, then most promise",
        square_remover::solve_plain,
    ),
    solution("same-game", "the prescribed strategy, exactly", same_game::solve_prescribed),
    solution("same-game-free", "beam search", same_game::solve_open),
    solution("same-game-free-plain", "the largest group first", same_game::solve_largest_first),
    solution("same-game-free-tabu", "the best of many random games that spare one colour", same_game::solve_tabu),
    solution("deletion-game", "a way for every kind of case", deletion_game::solve),
    solution("deletion-game-plain", "the best of many random paths", deletion_game::solve_plain),
    solution("beating-the-game-easy", "simulation", beating::solve_easy),
    solution("beating-the-game-hard", "all positions, layer by layer", beating::solve_hard),
];

/// Returns every solution, in the order of the problems; the default one of each problem first.
#[must_use]
pub fn all() -> &'static [Solution] {
    &SOLUTIONS
}

/// Returns the solution with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Solution> {
    all().iter().find(|solution| solution.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_different_and_found() {
        for solution in all() {
            assert_eq!(all().iter().filter(|other| other.id == solution.id).count(), 1, "{}", solution.id);
            assert_eq!(find(solution.id).map(|found| found.summary), Some(solution.summary));
        }
    }

    #[test]
    fn every_solution_refuses_what_is_not_of_its_game() {
        for solution in all() {
            for input in [&b""[..], b"x", b"6", b"\xff\x00", b"99999999999999999999999999 1 1"] {
                let result = (solution.solve)(input, &mut Vec::new());
                let refused = matches!(result, Err(SolveError::Ends { .. } | SolveError::Unexpected { .. }));
                assert!(refused, "{}: {}", solution.id, input.escape_ascii());
            }
        }
    }
}
