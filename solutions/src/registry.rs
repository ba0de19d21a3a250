//! The list of all solutions.

use crate::Solution;

/// In the order of the problems, one line for each game.
#[rustfmt::skip]
static GAMES: &[&[Solution]] = &[
    crate::columns::SOLUTIONS,
    crate::square_remover::SOLUTIONS,
    crate::same_game::SOLUTIONS,
    crate::deletion_game::SOLUTIONS,
    crate::beating::SOLUTIONS,
];

/// Returns every solution, in the order of the problems; the default one of each problem first.
pub fn all() -> impl Iterator<Item = &'static Solution> {
    GAMES.iter().copied().flatten()
}

/// Returns the solution with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Solution> {
    all().find(|solution| solution.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolveError;

    #[test]
    fn ids_are_different_and_found() {
        for solution in all() {
            assert_eq!(all().filter(|other| other.id == solution.id).count(), 1, "{}", solution.id);
            assert_eq!(find(solution.id).map(|found| found.summary), Some(solution.summary));
        }
    }

    #[test]
    fn every_solution_refuses_what_is_not_of_its_game() {
        for solution in all() {
            let checkers = checkers::all().iter().filter(|checker| solution.id.starts_with(checker.id()));
            let checker = checkers.max_by_key(|checker| checker.id().len()).unwrap();
            let inputs = [&b""[..], b"x", b"6", b"\xff\x00", b"99999999999999999999999999 1 1"];
            for input in inputs.into_iter().filter(|input| checker.read(input).is_err()) {
                let result = (solution.solve)(input, &mut Vec::new());
                let refused = matches!(result, Err(SolveError::Ends { .. } | SolveError::Unexpected { .. }));
                assert!(refused, "{}: {}", solution.id, input.escape_ascii());
            }
        }
    }
}
