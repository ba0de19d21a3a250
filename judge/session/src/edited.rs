//! Finds out whether a program of a run was edited while the run went on.

use crate::Failure;
use crate::snapshot::{FileState, Snapshot, snapshot};
use judge_problem::{Digest, Invocation, Plan, Problem, Solver, one_line};
use judge_run::command::{checker_files, checker_identity, generator_identity};
use judge_run::solver::shared_content;
use judge_sandbox::Visible;
use std::path::{Path, PathBuf};
use std::slice;

/// The programs that a run has started with.
pub(crate) struct ProgramsAtStart {
    problem: Problem,
    checker: String,
    generator: String,
    /// The files that solvers see: whose each is, and the hash of its content.
    files: Vec<(String, Visible, Digest)>,
    /// The files in folders that solvers see, with whose the folder is. What comes later, such as a report, is no edit.
    folders: Vec<(String, Snapshot)>,
    /// The files of the checker and the solvers, as they were last seen. Folders and answer files may be very many, and
    /// are looked at only at the end.
    seen: Vec<(PathBuf, Option<FileState>)>,
    /// The first edit that was noticed. It remains one if it is undone.
    noticed: Option<Edited>,
}

/// A program that was edited during a run.
#[derive(Debug, Clone)]
pub(crate) struct Edited {
    /// Which one.
    pub(crate) what: String,
    /// Whether each result shows what it belongs to: another generator makes other inputs.
    pub(crate) is_told_by_results: bool,
}

impl ProgramsAtStart {
    pub(crate) fn of(plan: &Plan, checker: String, generator: String) -> Self {
        let seen = checker_files(&plan.problem.checker).into_iter().map(with_state).collect();
        let problem = plan.problem.clone();
        let mut programs =
            Self { problem, checker, generator, files: Vec::new(), folders: Vec::new(), seen, noticed: None };
        for Visible { path, .. } in plan.visible.iter().filter(|visible| !visible.writable) {
            programs.add_shown(format!("content of --dir {}", one_line(&path.to_string_lossy())), path);
        }
        programs.add(&plan.solvers);
        programs
    }

    /// Reads what the checker and the generator are now.
    pub(crate) fn now(plan: &Plan) -> Self {
        let (checker, generator) =
            (checker_identity(&plan.problem.checker).to_string(), generator_identity(&plan.problem));
        Self::of(plan, checker, generator)
    }

    /// Adds what the commands of solvers show.
    pub(crate) fn add(&mut self, solvers: &[Solver]) {
        for solver in solvers {
            let Invocation::Program(program) = &solver.invocation else { continue };
            for path in &program.visible {
                self.add_shown(format!("solver {}", one_line(&solver.spec.name)), path);
            }
        }
    }

    /// Adds a file or folder. A folder with the current one in it may get the output of this judge.
    fn add_shown(&mut self, whose: String, path: &Path) {
        if !path.exists() || std::env::current_dir().is_ok_and(|here| here.starts_with(path)) {
            return;
        }
        if path.is_dir() {
            self.folders.push((whose, snapshot(&[path])));
            return;
        }
        self.seen.push(with_state(path.to_owned()));
        let file = Visible { path: path.to_owned(), writable: false };
        let content = shared_content(slice::from_ref(&file));
        self.files.push((whose, file, content));
    }

    /// Returns whether a program is another one than at the start, for the first time. Reads files only if they look
    /// changed.
    pub(crate) fn notice(&mut self) -> bool {
        let mut is_changed = false;
        for (path, then) in &mut self.seen {
            let now = FileState::of(path);
            is_changed |= now != *then;
            *then = now;
        }
        if !is_changed || self.noticed.is_some() {
            return false;
        }
        self.noticed = self.edited().filter(|edited| !edited.is_told_by_results);
        self.noticed.is_some()
    }

    /// Fails with this hint if a program is another one now. `meanwhile` names what went on.
    pub(crate) fn refuse_edited(&self, meanwhile: &str, hint: &str) -> Result<(), Failure> {
        let Some(Edited { what, .. }) = self.edited() else { return Ok(()) };
        let error = format!("the {what} was edited during the {meanwhile}: the result would be of two versions");
        Err(Failure::usage(error).with_hint(hint))
    }

    /// Returns which program is another one now, or was when it was noticed.
    pub(crate) fn edited(&self) -> Option<Edited> {
        if self.noticed.is_some() {
            return self.noticed.clone();
        }
        let is_other = |(_, file, then): &&(String, Visible, Digest)| shared_content(slice::from_ref(file)) != *then;
        let edited_in = |(whose, then): &(String, Snapshot)| {
            let (path, _) = then.iter().find(|(path, state)| FileState::of(path) != **state)?;
            Some(format!("{whose} ({})", one_line(&path.to_string_lossy())))
        };
        let what = if checker_identity(&self.problem.checker).to_string() != self.checker {
            Some("checker".to_owned())
        } else {
            let edited_file = self.files.iter().find(is_other).map(|(whose, ..)| whose.clone());
            edited_file.or_else(|| self.folders.iter().find_map(edited_in))
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

fn with_state(path: PathBuf) -> (PathBuf, Option<FileState>) {
    let state = FileState::of(&path);
    (path, state)
}
