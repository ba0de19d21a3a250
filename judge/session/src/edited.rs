//! Finds out whether a program of a run was edited while the run went on.

use judge_problem::{Digest, Invocation, Problem, Solver, one_line};
use judge_run::command::{checker_identity, generator_identity};
use judge_run::solver::shared_content;
use judge_sandbox::Visible;
use std::slice;

/// The programs that a run has started with.
pub(crate) struct ProgramsAtStart {
    problem: Problem,
    checker: String,
    generator: String,
    /// By file of a solver: the solver's name, the file, and the hash of its content.
    files: Vec<(String, Visible, Digest)>,
}

/// A program that was edited during a run.
pub(crate) struct Edited {
    /// Which one.
    pub(crate) what: String,
    /// Whether each result shows what it belongs to: another generator makes other inputs.
    pub(crate) is_told_by_results: bool,
}

impl ProgramsAtStart {
    pub(crate) fn of(problem: &Problem, checker: String, generator: String, solvers: &[Solver]) -> Self {
        let mut programs = Self { problem: problem.clone(), checker, generator, files: Vec::new() };
        programs.add(solvers);
        programs
    }

    /// Adds the files of solvers. Folders are copied before they run, or belong to the system.
    pub(crate) fn add(&mut self, solvers: &[Solver]) {
        for solver in solvers {
            let Invocation::Program(program) = &solver.invocation else { continue };
            for path in program.visible.iter().filter(|path| path.is_file()) {
                let file = Visible { path: path.clone(), writable: false };
                let content = shared_content(slice::from_ref(&file));
                self.files.push((solver.spec.name.clone(), file, content));
            }
        }
    }

    /// Returns which program is another one now. A file that is gone is none.
    pub(crate) fn edited(&self) -> Option<Edited> {
        let solver = |(name, ..): &(String, Visible, Digest)| format!("solver {}", one_line(name));
        let mut files = self.files.iter().filter(|(_, file, _)| file.path.is_file());
        let what = if checker_identity(&self.problem.checker).to_string() != self.checker {
            Some("checker".to_owned())
        } else {
            files.find(|(_, file, then)| shared_content(slice::from_ref(file)) != *then).map(solver)
        };
        match what {
            Some(what) => Some(Edited { what, is_told_by_results: false }),
            None if generator_identity(&self.problem) != self.generator => {
                Some(Edited { what: "generator".to_owned(), is_told_by_results: true })
            }
            None => None,
        }
    }
}
