//! Compiles the programs of a package in the sandbox, and runs the programs that make its files.

use crate::commands::import::NewFolder;
use judge_cli::{BuildArgs, ConditionArgs, ImportArgs, LimitArgs, RunningArgs, SandboxArgs};
use judge_import::{BUILD, DerivedLimit, RUN, Sources, ToCompile, ToMake};
use judge_problem::{
    Bytes, Catalogue, Exit, Expectation, JobId, Language, Languages, Limits, Problem, Program, SolverSpec, Stop,
    Termination, Time, Verdict,
};
use judge_run::cases::{Selection, select};
use judge_run::solver::{self, Toolbox};
use judge_run::{program, runner};
use judge_sandbox::{Request, Sandbox, Sink, Stdin};
use judge_session::{Failure, MatchResult, MatchRunner, entrants, programs, sandbox};
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The limits of a program that makes a file, in addition to the time of a generator.
const MEMORY: Bytes = Bytes(4 << 30);
const OUTPUT: Bytes = Bytes(1 << 30);
const PROCESSES: u32 = 64;

/// Where programs are compiled.
pub(super) struct ProgramBuilder<'a> {
    sandbox: Arc<Sandbox>,
    toolbox: Toolbox,
    /// The same for programs of one source, which includes the others.
    of_main: Toolbox,
    /// The limits of programs that make files.
    limits: Limits,
    folder: &'a NewFolder,
    built: BTreeMap<Sources, Program>,
    /// The sources that were built: interpreters read them when the programs run.
    sources: Vec<TempDir>,
}

impl<'a> ProgramBuilder<'a> {
    pub(super) fn open(
        catalogue: &Catalogue,
        problem: &Problem,
        args: &SandboxArgs,
        folder: &'a NewFolder,
    ) -> Result<Self, Failure> {
        let sandbox = sandbox::open(args)?;
        let settings = || programs::settings(catalogue, problem, &problem.limits, &BuildArgs::default());
        let toolbox = |change: fn(Languages) -> Languages| {
            let mut settings = settings()?;
            settings.languages = Some(change(settings.languages().clone()));
            Ok::<_, Failure>(Toolbox::new(sandbox.tier(), settings))
        };
        let of_main = toolbox(Languages::of_main)?;
        let toolbox = toolbox(|languages| languages.after(of_script()))?;
        let wall = problem.helper_limits.generator.wall;
        let limits = Limits { cpu: wall, wall, memory: MEMORY, output: OUTPUT, processes: PROCESSES };
        Ok(Self { sandbox, toolbox, of_main, limits, folder, built: BTreeMap::new(), sources: Vec::new() })
    }

    /// Compiles a program, and keeps it in the folder.
    pub(super) fn compile(&mut self, wanted: &ToCompile) -> Result<(), Failure> {
        let program = self.build(&wanted.sources)?;
        if program.argv.len() == 1 {
            return self.folder.copy(&program.path, &wanted.program);
        }
        Err(Failure::usage(format!("{}: its language makes no program", wanted.sources.what)))
    }

    /// Runs a program for the file that it makes.
    pub(super) fn make(&mut self, wanted: &ToMake) -> Result<(), Failure> {
        let program = self.build(&wanted.by)?;
        let stdin = match &wanted.input {
            Some(input) => Stdin::File(Arc::new(File::open(self.folder.path().join(input)).map_err(Failure::fault)?)),
            None => Stdin::Empty,
        };
        let output = Arc::new(self.folder.create(&wanted.file)?);
        let stderr = match &wanted.second {
            Some(file) => Sink::File(Arc::new(self.folder.create(file)?)),
            None => Sink::Capture,
        };
        let request = self.request(program, wanted, stdin, [Sink::File(output), stderr]);
        let execution = runner::run_alone(&self.sandbox, |worker| worker.run(&request))?;
        let execution = execution.ok_or_else(Failure::interrupted)?;
        let Termination::Failed(verdict, why) = solver::ending(&request.program, &execution, &self.limits) else {
            return Ok(());
        };
        let said = String::from_utf8_lossy(&execution.stderr);
        let said = said.lines().next().map_or(String::new(), |line| format!(": {line}"));
        let command = shell_words::join(std::iter::once(&wanted.by.what).chain(&wanted.arguments));
        let file = wanted.file.display();
        Err(Failure::usage(format!("{command} does not make {file}: {}: {why}{said}", verdict.name())))
    }

    fn request(&self, program: Program, wanted: &ToMake, stdin: Stdin, [stdout, stderr]: [Sink; 2]) -> Request {
        let arguments = wanted.arguments.iter().map(Into::into);
        Request {
            environment: program::environment(&program, &[]),
            hidden: runner::hidden(&program, &[]),
            visible: program::visible(&program).collect(),
            argv: program.argv.into_iter().chain(arguments).collect(),
            stdin,
            stdout,
            stderr,
            ..Request::new(program.path, program::sandbox_limits(&self.limits, self.limits.output.0))
        }
    }

    /// Returns the program of these sources.
    fn build(&mut self, sources: &Sources) -> Result<Program, Failure> {
        if let Some(program) = self.built.get(sources) {
            return Ok(program.clone());
        }
        let prefix = judge_sandbox::sweepable_name("sources") + ".";
        let for_all = Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().prefix(&prefix).permissions(for_all).tempdir().map_err(Failure::fault)?;
        // The name of the folder or file is shown during compilation. Among several sources, a program starts in the
        // one with the folder's name.
        let main = sources.main.as_deref().and_then(Path::file_stem);
        let shown = sources.what.trim_start_matches("the ").replace([' ', '/'], "-");
        let place = folder.path().join(main.unwrap_or(shown.as_ref()));
        let toolbox = if main.is_some() { &self.of_main } else { &self.toolbox };
        for (from, name) in &sources.files {
            copy(from, &place.join(name))
                .map_err(|error| Failure::usage(format!("cannot copy {}: {error}", from.display())))?;
        }
        let path = match &*sources.files {
            [(_, only)] if only != Path::new(BUILD) => place.join(only),
            _ => place,
        };
        let spec = SolverSpec { name: sources.what.clone(), text: path.display().to_string() };
        let solver = programs::prepare(spec, toolbox, &self.sandbox)?;
        let refused = |why| Failure::usage(format!("{} does not compile: {why}", sources.what));
        let program = solver.invocation.program().map_err(refused)?;
        self.sources.push(folder);
        self.built.insert(sources.clone(), program.clone());
        Ok(program.clone())
    }
}

/// A folder with a script that builds its program. If the program needs other files of the folder, it could not be
/// stored without them.
fn of_script() -> Language {
    let script = format!(
        "chmod +x {BUILD}; ./{BUILD} && test -x {RUN} || {{ echo no program {RUN} >&2; exit 1; }}; \
         if [ \"$(head -c 2 {RUN})\" = \"#!\" ]; then echo {RUN} is a script >&2; exit 1; fi; cp {RUN} {{out}}/main"
    );
    Language {
        name: "build-script".to_owned(),
        files: vec![BUILD.to_owned()],
        compile: vec![shell_words::join(["sh", "-c", &script])],
        run: vec!["{program}".to_owned()],
        ..Language::default()
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to).map(drop)
}

/// How long an accepted submission may take on one case while it is measured.
const MAX_LENGTH: Time = Time(Duration::from_secs(60));

/// A time limit that was measured, and how; or why there is none.
pub(super) type Measured = Result<(Time, String), String>;

/// Runs the accepted submissions of a problem on all of its cases, and derives the time limit from the slowest one.
pub(super) fn measure(
    derived: &DerivedLimit,
    catalogue: &mut Catalogue,
    id: &str,
    args: &ImportArgs,
) -> Result<Measured, Failure> {
    let counts = |expectation: &&Expectation| {
        expectation.verdicts == [Verdict::Accepted] && !derived.excluded.contains(&expectation.solver)
    };
    let given = &catalogue.find(id)?.verification.expectations;
    let names: Vec<String> = given.iter().filter(counts).map(|expectation| expectation.solver.clone()).collect();
    if names.is_empty() {
        return Ok(Err("it has no accepted submission that can be run".to_owned()));
    }
    judge_report::note(&format!("the package gives no time limit: running {}", names.join(", ")));
    let _programs = programs::compile(catalogue, Some(id))?;
    let problem = catalogue.find(id)?;
    let limits = LimitArgs { cpu: Some(MAX_LENGTH), ..LimitArgs::default() };
    let conditions = ConditionArgs { limits, sandbox: args.sandbox.clone(), ..ConditionArgs::default() };
    let running = RunningArgs::unrecorded(args.jobs.clone(), conditions);
    let mut matches = MatchRunner::open(catalogue, problem, &running)?;
    let (mut solvers, mut kept, mut why) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match entrants::of_catalogue(&name, &problem.folder).and_then(|spec| matches.prepare(spec)) {
            Ok(solver) => {
                solvers.push(solver);
                kept.push(name);
            }
            Err(failure) if failure.exit() == Exit::Interrupted => return Err(failure),
            Err(failure) => why.push(format!("{name}: {}", failure.in_one_line())),
        }
    }
    if solvers.is_empty() {
        return Ok(Err(format!("no accepted submission runs here: {}", why.join("; "))));
    }
    let plan = matches.plan(solvers, select(problem, &Selection::default())?)?;
    let result = matches.play(plan)?;
    if result.stop == Some(Stop::Interrupted) {
        return Err(Failure::interrupted());
    }
    let times = kept.iter().enumerate().map(|(solver, name)| time(&result, solver, name));
    let (accepted, failed): (Vec<_>, Vec<_>) = times.partition(Result::is_ok);
    why.extend(failed.into_iter().filter_map(Result::err));
    let slowest = accepted.into_iter().filter_map(Result::ok).max_by_key(|(cpu, _)| *cpu);
    Ok(slowest
        .map(|(cpu, whose)| limit(derived, cpu, &whose))
        .ok_or_else(|| format!("no accepted submission is accepted here: {}", why.join("; "))))
}

/// Returns the longest time of a submission that is accepted on all cases, with its name and that case; or the other
/// result.
fn time(result: &MatchResult, solver: usize, name: &str) -> Result<(Duration, String), String> {
    let mut slowest = (Duration::ZERO, String::new());
    for (case, spec) in result.plan.cases.iter().enumerate() {
        let outcome = result.outcomes.get(JobId { case, solver });
        let verdict = outcome.as_ref().map_or(Verdict::Skipped, |outcome| outcome.verdict);
        let Some(outcome) = outcome.filter(|outcome| outcome.is_accepted()) else {
            return Err(format!("{name}: {verdict} on {}", spec.name));
        };
        let cpu = outcome.cpu.unwrap_or_default();
        if cpu >= slowest.0 {
            slowest = (cpu, format!("{name} on {}", spec.name));
        }
    }
    Ok(slowest)
}

fn limit(derived: &DerivedLimit, cpu: Duration, whose: &str) -> (Time, String) {
    let (limit, step) = (derived.of(cpu), Time(Duration::from_secs_f64(derived.resolution)));
    let (factor, cpu) = (derived.factor, Time(cpu));
    (limit, format!("{factor} x {cpu}, the time of {whose}, up to a multiple of {step}"))
}
