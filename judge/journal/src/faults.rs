//! Verdicts that say something of the judge or the machine at that time, not of the solver: such a case is not finished.

use judge_problem::Verdict;

/// The names of the verdicts that say nothing of the solver, as SQL has a list.
pub(super) const FAULTS: &str = "'judge-error', 'cannot-start', 'skipped'";

/// Returns whether a verdict says something of the judge or the machine at that time, not of the solver.
pub(super) fn says_nothing_of_the_solver(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::JudgeError | Verdict::CannotStart | Verdict::Skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_faults_is_complete() {
        let faults = Verdict::ALL.into_iter().filter(|verdict| says_nothing_of_the_solver(*verdict));
        let names: Vec<String> = faults.map(|verdict| format!("'{}'", verdict.name())).collect();
        let mut listed: Vec<&str> = FAULTS.split(", ").collect();
        listed.sort_by_key(|name| names.iter().position(|known| known == name));
        assert_eq!(listed, names);
    }
}
