//! The plan of a run as a file: everything that a task needs, with copies of the files that it names.

use super::run_folder::{CASES, CaseEntry, PLAN, PREFIX, RunFolder};
use judge_problem::{
    CaseList, CaseSource, CaseSpec, Catalogue, CheckerChoice, CommandTemplate, GeneratorChoice, Invocation,
    JOURNAL_FOLDER, KeptStderr, Limits, Order, Plan, Problem, Program, Solver,
};
use judge_run::cases::ProblemChecker;
use judge_run::command::words;
use judge_run::files::make_readable;
use judge_run::matching::real;
use judge_run::program::{is_in_journal, setters_program};
use judge_sandbox::{Tier, TierChoice, Visible};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The plan of a run, apart from its cases.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanFile {
    /// The version of the judge that wrote it.
    judge: String,
    problem: String,
    /// The text of the catalogue, and the folder that its paths start from.
    catalogue: String,
    folder: PathBuf,
    /// The commands of the problem: some are compiled.
    commands: Vec<String>,
    solvers: Vec<Solver>,
    limits: Limits,
    environment: Vec<(String, String)>,
    visible: Vec<Visible>,
    stderr: KeptStderr,
    order: Order,
    fail_fast: bool,
    /// How tasks run it.
    pub settings: WorkerSettings,
}

/// How tasks run a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerSettings {
    /// How many solvers each runs at once.
    pub jobs: usize,
    /// Whether results carry the features of their cases.
    pub describe: bool,
    /// The tier of the sandbox to use.
    pub tier: TierChoice,
    /// The weakest tier that is allowed.
    pub require_tier: Option<Tier>,
    /// Whether limits without isolation are enough.
    pub allow_unsafe: bool,
    /// Whether solvers are pinned to cores.
    pub pin: bool,
}

impl PlanFile {
    /// Copies the files of a plan into the folder of its run, and writes the plan there. Returns the cases in the form
    /// for tasks.
    pub(super) fn write(
        folder: &RunFolder,
        catalogue: &Catalogue,
        plan: &Plan,
        settings: &WorkerSettings,
    ) -> io::Result<Vec<CaseEntry>> {
        let mut mirror = Mirror::new(folder.files());
        let commands = commands(&mut mirror, &plan.problem)?;
        let solvers = plan.solvers.iter().map(|solver| copied(&mut mirror, solver)).collect::<io::Result<_>>()?;
        let visible = plan.visible.iter().map(|visible| shown(&mut mirror, visible)).collect::<io::Result<_>>()?;
        let cases = cases(&mut mirror, plan)?;
        folder.write(CASES, &cases)?;
        let file = Self {
            judge: env!("CARGO_PKG_VERSION").to_owned(),
            problem: plan.problem.id.clone(),
            catalogue: catalogue.text.clone(),
            folder: mirror.place(&std::path::absolute(&plan.problem.folder)?),
            commands,
            solvers,
            limits: plan.limits.clone(),
            environment: plan.environment.clone(),
            visible,
            stderr: plan.stderr,
            order: plan.order,
            fail_fast: plan.fail_fast,
            settings: settings.clone(),
        };
        std::fs::create_dir_all(&file.folder)?;
        folder.write(PLAN, &file)?;
        Ok(cases)
    }

    /// Reads the plan of a run.
    ///
    /// # Errors
    /// When it cannot be read, or was written by another version of the judge.
    pub fn read(folder: &RunFolder) -> io::Result<Self> {
        let file: Self = folder.read(PLAN)?;
        if file.judge != env!("CARGO_PKG_VERSION") {
            return Err(io::Error::other(format!("it was written by version {} of the judge", file.judge)));
        }
        Ok(file)
    }

    /// Returns the problem in the form for tasks, with its files in the folder of the run.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn problem(&self) -> io::Result<Problem> {
        let catalogue = Catalogue::parse("problems.toml", &self.catalogue, &self.folder).map_err(io::Error::other)?;
        let mut problem = catalogue.find(&self.problem).map_err(io::Error::other)?.clone();
        for (command, line) in problem.commands_mut().into_iter().zip(&self.commands) {
            command.line.clone_from(line);
        }
        Ok(problem)
    }

    /// Returns the plan of a problem, without cases.
    pub fn plan(self, problem: Problem) -> Plan {
        Plan {
            limits: self.limits,
            environment: self.environment,
            visible: self.visible,
            fail_fast: self.fail_fast,
            stderr: self.stderr,
            order: self.order,
            ..Plan::new(problem, self.solvers, CaseList::default())
        }
    }

    /// Returns the cases of the whole run, in order, with the original paths of their files.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn cases(folder: &RunFolder) -> io::Result<Vec<CaseSpec>> {
        let (files, cases) = (folder.files(), folder.read::<Vec<CaseEntry>>(CASES)?);
        Ok(cases.iter().map(|case| case.original(&files)).collect())
    }
}

/// Copies the files that the problem's commands name, and returns the command lines for the tasks.
fn commands(mirror: &mut Mirror, problem: &Problem) -> io::Result<Vec<String>> {
    let mut problem = problem.clone();
    if let Some(GeneratorChoice::Files(generator)) = &problem.generator
        && let Some(seeds) = &generator.seeds
    {
        mirror.copy(seeds)?;
    }
    problem.commands_mut().into_iter().map(|command| line(mirror, command)).collect()
}

fn line(mirror: &mut Mirror, command: &CommandTemplate) -> io::Result<String> {
    let folder = command.folder.join(".").canonicalize()?;
    let (Ok(plain), Ok(filled)) = (words(&command.line, &[]), words(&command.line, &[("folder", &folder)])) else {
        return Ok(command.line.clone());
    };
    // A program that cannot be found is an error of the cases that need it.
    if let Ok(program) = setters_program(filled, &folder) {
        for path in &program.visible {
            mirror.copy(path)?;
        }
    }
    let mirrored = plain.iter().map(|word| mirror.word(word).to_string_lossy().into_owned());
    Ok(shell_words::join(mirrored))
}

/// Copies the files of a solver, and returns the solver for the tasks.
fn copied(mirror: &mut Mirror, solver: &Solver) -> io::Result<Solver> {
    if let Invocation::Answers(folder) = &solver.invocation {
        mirror.copy(folder)?;
        return Ok(Solver { invocation: Invocation::Answers(mirror.path(folder)), ..solver.clone() });
    }
    let Invocation::Program(program) = &solver.invocation else { return Ok(solver.clone()) };
    for path in &program.visible {
        mirror.copy(path)?;
    }
    let invocation = Invocation::Program(Program {
        path: mirror.path(&program.path),
        argv: program.argv.iter().map(|word| mirror.word(word)).collect::<Vec<OsString>>(),
        visible: program.visible.iter().map(|path| mirror.path(path)).collect(),
        runtime: program.runtime.clone(),
        environment: program.environment.iter().map(|(key, value)| (key.clone(), text(mirror, value))).collect(),
        ..Program::default()
    });
    Ok(Solver { invocation, ..solver.clone() })
}

fn text(mirror: &Mirror, value: &str) -> String {
    mirror.word(OsStr::new(value)).to_string_lossy().into_owned()
}

/// A writable folder is not copied, because others must see the files that programs write.
fn shown(mirror: &mut Mirror, visible: &Visible) -> io::Result<Visible> {
    let path = if visible.writable { visible.path.clone() } else { mirror.copy(&visible.path)? };
    Ok(Visible { path, writable: visible.writable })
}

fn cases(mirror: &mut Mirror, plan: &Plan) -> io::Result<Vec<CaseEntry>> {
    let checker = ProblemChecker::of(&plan.problem);
    let has_answers = !matches!(plan.problem.checker, CheckerChoice::BuiltIn(_));
    let entry = |(place, case): (usize, CaseSpec)| {
        let CaseSource::File(path) = &case.source else { return Ok(CaseEntry::new(place, &case, case.source.clone())) };
        // A missing file is an error of its case.
        if has_answers && let Ok(Some(answer)) = checker.answer_file(Some(&case.source)) {
            mirror.copy(&answer)?;
        }
        Ok(CaseEntry::new(place, &case, CaseSource::File(mirror.copy(path)?)))
    };
    plan.cases.iter().enumerate().map(entry).collect()
}

/// Folders that no program needs.
const LEFT_OUT: [&str; 2] = [JOURNAL_FOLDER, ".git"];

/// The copies of files in the folder of a run.
#[derive(Debug)]
struct Mirror {
    folder: PathBuf,
    copied: BTreeSet<PathBuf>,
}

impl Mirror {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, copied: BTreeSet::new() }
    }

    /// Returns the path of the copy of a file, whether it exists or not.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        self.folder.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Copies a file, or a folder with all that is in it, and returns where the copy is.
    pub(super) fn copy(&mut self, path: &Path) -> io::Result<PathBuf> {
        let path = std::path::absolute(path)?;
        let place = self.place(&path);
        if !self.has(&path) {
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            let meta = path.metadata().map_err(|error| named(&path, error))?;
            if meta.is_dir() {
                copy_folder(&path, &place)?
            } else {
                copy_file(&path, &place)?
            }
            self.copied.insert(path);
        }
        Ok(place)
    }

    fn has(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.copied.contains(folder))
    }

    /// Returns the path for the tasks: the path of the copy, if there is one.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        if self.has(path) { self.place(path) } else { path.to_owned() }
    }

    /// Returns a word of a command with every path replaced by the path of its copy.
    pub(super) fn word(&self, word: &OsStr) -> OsString {
        let mut bytes = word.as_bytes().to_vec();
        // The longest path first, because one may contain another.
        let mut copied: Vec<&PathBuf> = self.copied.iter().collect();
        copied.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
        let mut from = 0;
        while from < bytes.len() {
            match copied.iter().find(|path| begins_with_path(&bytes[from..], path.as_os_str().as_bytes(), from, &bytes))
            {
                Some(path) => {
                    let place = self.place(path).into_os_string().into_vec();
                    let length = path.as_os_str().len();
                    from += place.len();
                    bytes.splice(from - place.len()..from - place.len() + length, place);
                }
                None => from += 1,
            }
        }
        OsString::from_vec(bytes)
    }
}

/// Returns whether this is the whole path, and not a part of a longer name.
fn begins_with_path(rest: &[u8], path: &[u8], from: usize, all: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || !byte.is_ascii();
    let before = from.checked_sub(1).map(|before| &all[before]);
    rest.starts_with(path)
        && !rest.get(path.len()).is_some_and(is_name)
        && !before.is_some_and(|before| is_name(before) || *before == b'/')
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot copy {}: {error}", path.display()))
}

fn copy_file(path: &Path, place: &Path) -> io::Result<()> {
    fs::copy(path, place).map_err(|error| named(path, error))?;
    make_readable(place)
}

fn copy_folder(path: &Path, place: &Path) -> io::Result<()> {
    fs::create_dir_all(place)?;
    make_readable(place)?;
    for entry in fs::read_dir(path).map_err(|error| named(path, error))? {
        let entry = entry?;
        let (name, from) = (entry.file_name(), entry.path());
        let is_left_out = LEFT_OUT.iter().any(|left| name == *left) || name.as_bytes().starts_with(PREFIX.as_bytes());
        let is_left_out = is_left_out || is_in_journal(&real(&from));
        let kind = entry.file_type()?;
        let to = place.join(&name);
        if is_left_out {
            continue;
        } else if kind.is_dir() {
            copy_folder(&from, &to)?;
        } else if kind.is_file() {
            copy_file(&from, &to)?;
        } else if kind.is_symlink() {
            copy_link(&from, &to)?;
        }
    }
    Ok(())
}

/// A relative link is kept. For an absolute link, the file is copied.
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    let target = from.read_link()?;
    if target.is_absolute() && from.is_file() { copy_file(from, to) } else { symlink(target, to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_words_become_paths_of_copies() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a/b");
        fs::create_dir_all(source.join(".judge")).unwrap();
        fs::write(source.join("bot.py"), "x").unwrap();
        fs::write(source.join(".judge/journal.db"), "x").unwrap();
        symlink("bot.py", source.join("link")).unwrap();
        let mut mirror = Mirror::new(folder.path().join("run/files"));
        let copy = mirror.copy(&source).unwrap();
        assert_eq!(fs::read_to_string(copy.join("link")).unwrap(), "x");
        assert!(!copy.join(".judge").exists());
        let (from, to) = (source.display(), copy.display());
        for (word, expected) in [
            (format!("{from}/bot.py"), format!("{to}/bot.py")),
            (format!("--path={from}:/usr/lib:{from}"), format!("--path={to}:/usr/lib:{to}")),
            (format!("{from}2/bot.py"), format!("{from}2/bot.py")),
            (format!("/x{from}"), format!("/x{from}")),
            ("bot.py".to_owned(), "bot.py".to_owned()),
        ] {
            assert_eq!(mirror.word(OsStr::new(&word)), OsString::from(expected));
        }
    }
}
