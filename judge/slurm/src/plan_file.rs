//! The plan of a run as a file: all that a task needs, with copies of the files that it names.

use super::mirror::Mirror;
use super::run_folder::{CaseEntry, RunFolder};
use judge_problem::manifest::Catalogue;
use judge_problem::plan::{Order, Plan};
use judge_problem::{
    CaseList, CaseSource, CaseSpec, CheckerChoice, CommandTemplate, GeneratorChoice, Invocation, KeptStderr, Limits,
    Problem, Program, Solver,
};
use judge_run::cases::ProblemChecker;
use judge_run::command::words;
use judge_run::program::setters_program;
use judge_sandbox::Visible;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

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
    /// Files and folders, each with whether programs may write there.
    visible: Vec<(PathBuf, bool)>,
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
    /// The tier of the sandbox to use: its name, or `auto`.
    pub tier: String,
    /// The weakest tier that is allowed.
    pub require_tier: Option<String>,
    /// Whether limits alone are enough.
    pub allow_unsafe: bool,
    /// Whether solvers are pinned to cores.
    pub pin: bool,
}

impl PlanFile {
    /// Copies the files of a plan into the folder of its run, and writes the plan there. Returns the cases, as tasks get
    /// them.
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
        folder.write_cases(&cases)?;
        let file = Self {
            judge: env!("CARGO_PKG_VERSION").to_owned(),
            problem: plan.problem.id.clone(),
            catalogue: catalogue.text().to_owned(),
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
        folder.write_plan(&file)?;
        Ok(cases)
    }

    /// Reads the plan of a run.
    ///
    /// # Errors
    /// When it cannot be read, or is of another version of the judge.
    pub fn read(folder: &RunFolder) -> io::Result<Self> {
        let file: Self = folder.plan()?;
        if file.judge != env!("CARGO_PKG_VERSION") {
            return Err(io::Error::other(format!("it was written by version {} of the judge", file.judge)));
        }
        Ok(file)
    }

    /// Returns the id of its problem.
    #[must_use]
    pub fn problem_id(&self) -> &str {
        &self.problem
    }

    /// Returns the problem as tasks have it, with its files in the folder of the run.
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
    #[must_use]
    pub fn plan(self, problem: Problem) -> Plan {
        let visible = self.visible.into_iter().map(|(path, writable)| Visible { path, writable });
        Plan {
            limits: self.limits,
            environment: self.environment,
            visible: visible.collect(),
            fail_fast: self.fail_fast,
            stderr: self.stderr,
            order: self.order,
            ..Plan::new(problem, self.solvers, CaseList::default())
        }
    }

    /// Returns the cases of the whole run, in order, with their files where they were before they were copied.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn cases(folder: &RunFolder) -> io::Result<Vec<CaseSpec>> {
        let files = folder.files();
        Ok(folder.cases()?.iter().map(|case| case.original(&files)).collect())
    }
}

/// Copies what the problem's commands name, and returns their lines as they are for the tasks.
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

/// Copies the files of a solver, and returns it as it is for the tasks.
fn copied(mirror: &mut Mirror, solver: &Solver) -> io::Result<Solver> {
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
    });
    Ok(Solver { invocation, ..solver.clone() })
}

fn text(mirror: &Mirror, value: &str) -> String {
    mirror.word(OsStr::new(value)).to_string_lossy().into_owned()
}

/// What programs write to is no copy: others are to see it.
fn shown(mirror: &mut Mirror, visible: &Visible) -> io::Result<(PathBuf, bool)> {
    let path = if visible.writable { visible.path.clone() } else { mirror.copy(&visible.path)? };
    Ok((path, visible.writable))
}

fn cases(mirror: &mut Mirror, plan: &Plan) -> io::Result<Vec<CaseEntry>> {
    let checker = ProblemChecker::of(&plan.problem);
    let has_answers = !matches!(plan.problem.checker, CheckerChoice::BuiltIn(_));
    let entry = |(place, case): (usize, CaseSpec)| {
        let CaseSource::File(path) = &case.source else { return Ok(CaseEntry::new(place, &case, case.source.clone())) };
        // What cannot be found is an error of the case.
        if has_answers && let Ok(Some(answer)) = checker.answer_file(Some(&case.source)) {
            mirror.copy(&answer)?;
        }
        Ok(CaseEntry::new(place, &case, CaseSource::File(mirror.copy(path)?)))
    };
    plan.cases.iter().enumerate().map(entry).collect()
}
