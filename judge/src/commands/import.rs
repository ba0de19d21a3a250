//! `judge import`: writes the problem of a package as a catalogue of its own. Compiles the programs of the package in the
//! sandbox, and runs the programs that make its files.

use crate::commands::verify::verify;
use judge_cli::{BuildArgs, ConditionArgs, ImportArgs, LimitArgs, RunningArgs, SandboxArgs, VerifyArgs};
use judge_import::{BUILD, DerivedLimit, ImportError, Imported, RUN, Source, Sources, ToCompile, ToMake};
use judge_problem::{
    Bytes, Catalogue, Exit, Expectation, JobId, Language, Languages, Limits, PackageKind, Problem, Program, SolverSpec,
    Stop, Termination, Time, Verdict, counted, quote, visible,
};
use judge_report::Steps;
use judge_run::cases::{Selection, select};
use judge_run::solver::{self, Toolbox};
use judge_run::{program, runner};
use judge_sandbox::{Request, Sandbox, Sink, Stdin};
use judge_session::{Failure, GlobalArgs, MatchResult, MatchRunner, Result, entrants, load, programs, sandbox};
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The name of the catalogue in the folder that is written.
const CATALOGUE: &str = "problems.toml";

/// The limits of a program that makes a file, in addition to the time of a generator.
const MEMORY: Bytes = Bytes(4 << 30);
const OUTPUT: Bytes = Bytes(1 << 30);
const PROCESSES: u32 = 64;

/// How long an accepted submission may take on one case while it is measured.
const MAX_LENGTH: Time = Time(Duration::from_secs(60));

/// Writes the problem of a package into a new folder, and has it checked there.
pub(super) fn import(args: &ImportArgs) -> Result<Exit> {
    let source = Source::open(&args.source).map_err(not_imported)?;
    if judge_import::builds(&source.root, args.kind) {
        judge_report::note("building the tools with cargo, outside the sandbox: this may take minutes");
    }
    let imported = judge_import::read(&source.root, args.kind, args.id.as_deref());
    // Where a file is missing, it may be one that a link should lead to.
    let links = || judge_import::broken_links(&source.root);
    let mut imported = imported.map_err(|error| with_links(not_imported(source.explain(error)), &links()))?;
    if !Problem::is_id(&imported.id) {
        let error = format!("bad id `{}`: expected lower-case letters, digits, `-` and `_`", imported.id);
        return Err(Failure::usage(error).with_hint("name the problem: --id my-problem"));
    }
    let target = args.to.clone().unwrap_or_else(|| PathBuf::from(&imported.id));
    write(&mut imported, &target, args).map_err(|failure| with_links(failure, &links()))?;
    let catalogue = target.join(CATALOGUE);
    let mut lines = vec![format!("wrote {}: problem {}", catalogue.display(), imported.id)];
    lines.extend(imported.taken.iter().map(|line| format!("  taken  {line}")));
    lines.extend(imported.left.iter().map(|line| format!("  left   {line}")));
    let lines: Vec<_> = lines.iter().map(|line| visible(line)).collect();
    judge_report::print(&lines.join("\n"))?;
    let file = quote(&catalogue.to_string_lossy());
    judge_report::print(&format!("next: judge run --problems {file} -p {} -s ./solution", imported.id))?;
    if args.no_verify {
        judge_report::print(&format!("      judge verify --problems {file}"))?;
        return Ok(Exit::Success);
    }
    judge_report::print(&format!("judge verify --problems {file}:"))?;
    let verified = VerifyArgs { jobs: args.jobs.clone(), sandbox: args.sandbox.clone(), ..VerifyArgs::default() };
    let bundled = super::generate::bundled();
    verify(GlobalArgs { catalogue: Some(&catalogue), bundled, ..GlobalArgs::default() }, &verified)
}

fn not_imported(error: ImportError) -> Failure {
    let hint = match &error {
        ImportError::Unknown(_) => format!("a package has one of these: {}", PackageKind::signs(&PackageKind::ALL)),
        ImportError::Several(_, kinds) => format!("say which one it is: --kind {}", kinds[0].name()),
        ImportError::Other(..) => "leave out --kind: the kind is detected".to_owned(),
        _ => return Failure::usage(error),
    };
    Failure::usage(error).with_hint(hint)
}

/// Adds the links of the package that lead nowhere to a failure.
fn with_links(failure: Failure, links: &[String]) -> Failure {
    match links {
        [] => failure,
        [first, ..] => {
            failure.with_hint(format!("if the problem needs it, put the file in its place with `cp`: {first}"))
        }
    }
}

/// Writes everything, or nothing. The catalogue is read back, and programs are compiled, before the folder gets its name.
fn write(imported: &mut Imported, target: &Path, args: &ImportArgs) -> Result<()> {
    let folder = NewFolder::begin(target)?;
    for (from, to) in &imported.files {
        folder.copy(from, to)?;
    }
    for empty in &imported.empty {
        folder.create(empty)?;
    }
    folder.write(Path::new(CATALOGUE), imported.catalogue.as_bytes())?;
    let shown = target.join(CATALOGUE).display().to_string();
    let place = fs::canonicalize(folder.path()).map_err(Failure::fault)?;
    let mut catalogue = Catalogue::parse(&shown, &imported.catalogue, &place).map_err(|error| {
        Failure::from(error).with_hint("nothing was written: this is what the package would have become")
    })?;
    load::find_sources(&mut catalogue)?;
    let problem = catalogue.find(&imported.id)?;
    if !imported.programs.is_empty() || !imported.made.is_empty() {
        let (programs, made) = (imported.programs.len(), imported.made.len());
        let what = [(programs, "compiling", "program"), (made, "making", "file")];
        let parts = what.iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, verb, noun)| format!("{verb} {}", counted(*count, noun))).collect();
        judge_report::note(&parts.join(" and "));
        let mut builder = ProgramBuilder::open(&catalogue, problem, &args.sandbox, &folder)?;
        let mut steps = Steps::start(programs + made);
        for program in &imported.programs {
            steps.begin(&program.sources.what);
            builder.compile(program)?;
            steps.end();
        }
        for file in &imported.made {
            steps.begin(&file.file.display().to_string());
            builder.make(file)?;
            steps.end();
        }
    }
    if let Some(derived) = imported.time_limit.take() {
        let measured = match args.no_verify {
            true => Err("it is derived from the accepted submissions without --no-verify".to_owned()),
            false => measure(&derived, &mut catalogue, &imported.id, args)?,
        };
        note_limit(imported, &derived, measured);
        folder.write(Path::new(CATALOGUE), imported.catalogue.as_bytes())?;
    }
    folder.publish()
}

/// Notes the time limit that was measured, or that there is none.
fn note_limit(imported: &mut Imported, derived: &DerivedLimit, measured: Measured) {
    match measured {
        Ok((limit, source)) => {
            imported.catalogue = derived.write(&imported.catalogue, limit, &source);
            imported.taken.push(format!("the time limit {limit}: {source}"));
        }
        Err(why) => imported.left.push(format!(
            "the time limit: the package gives none, and {why}: 10s hold: set `cpu` in [problem.limits]"
        )),
    }
}

/// A folder that is written under a temporary name. It gets its final name when it is complete, and is removed
/// otherwise.
#[derive(Debug)]
struct NewFolder {
    staged: TempDir,
    target: PathBuf,
}

impl NewFolder {
    /// Begins an empty folder for a place. Fails if something other than an empty folder exists there.
    fn begin(target: &Path) -> Result<Self> {
        let is_empty = target.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty && target.symlink_metadata().is_ok() {
            let failure = Failure::usage(format!("there is already something named {}", target.display()));
            return Err(failure.with_hint("name another folder, as nothing is overwritten: --to DIR"));
        }
        // The folders above it are made last, when no other step can fail.
        let folders = target.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let above = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        // An import that was killed may have left a folder.
        judge_sandbox::stale_in(above).iter().for_each(|left| drop(fs::remove_dir_all(left)));
        let prefix = format!(".{}.", judge_sandbox::sweepable_name("new"));
        let staged = tempfile::Builder::new().prefix(&prefix).tempdir_in(above);
        Ok(Self { staged: staged.map_err(|error| unwritable(target, &error))?, target: target.to_owned() })
    }

    /// Returns where the folder is until it is complete.
    fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Writes a file.
    fn write(&self, name: &Path, bytes: &[u8]) -> Result<()> {
        let write = || fs::write(self.place(name)?, bytes);
        write().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Makes an empty file.
    fn create(&self, name: &Path) -> Result<File> {
        let create = || File::create(self.place(name)?);
        create().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Copies a file, without the permissions that its mode forbids.
    fn copy(&self, from: &Path, name: &Path) -> Result<()> {
        copy(from, &self.path().join(name)).map_err(|error| {
            let to = self.target.join(name);
            Failure::usage(format!("cannot copy {} to {}: {error}", from.display(), to.display()))
        })
    }

    /// Returns the path of a file, in a folder that is there.
    fn place(&self, name: &Path) -> io::Result<PathBuf> {
        let path = self.staged.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(path)
    }

    /// Renames the folder to its final name, in one step. Into an empty folder without a name, such as the current one,
    /// its files are moved.
    fn publish(self) -> Result<()> {
        let Self { staged, target } = self;
        let publish = || {
            fs::set_permissions(staged.path(), Permissions::from_mode(0o755))?;
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            if target.file_name().is_some() {
                return fs::rename(staged.path(), &target);
            }
            for entry in staged.path().read_dir()?.collect::<io::Result<Vec<_>>>()? {
                fs::rename(entry.path(), target.join(entry.file_name()))?;
            }
            fs::remove_dir(staged.path())
        };
        publish().map_err(|error| unwritable(&target, &error))?;
        // The path does not exist any more, so there is nothing to remove.
        let _ = staged.keep();
        Ok(())
    }
}

fn unwritable(target: &Path, error: &io::Error) -> Failure {
    load::unwritable("the problem", target, error)
}

/// Where programs are compiled.
struct ProgramBuilder<'a> {
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
    fn open(catalogue: &Catalogue, problem: &Problem, args: &SandboxArgs, folder: &'a NewFolder) -> Result<Self> {
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
    fn compile(&mut self, wanted: &ToCompile) -> Result<()> {
        let program = self.build(&wanted.sources)?;
        if program.argv.len() == 1 {
            return self.folder.copy(&program.path, &wanted.program);
        }
        Err(Failure::usage(format!("{}: its language makes no program", wanted.sources.what)))
    }

    /// Runs a program for the file that it makes.
    fn make(&mut self, wanted: &ToMake) -> Result<()> {
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
        let arguments = wanted.arguments.iter().map(Into::into);
        let request = Request {
            environment: program::environment(&program, &[]),
            hidden: runner::hidden(&program, &[]),
            visible: program::visible(&program).collect(),
            argv: program.argv.into_iter().chain(arguments).collect(),
            stdin,
            stdout: Sink::File(output),
            stderr,
            ..Request::new(program.path, program::sandbox_limits(&self.limits, self.limits.output.0))
        };
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

    /// Returns the program of these sources.
    fn build(&mut self, sources: &Sources) -> Result<Program> {
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
            let uncopied = |error| Failure::usage(format!("cannot copy {}: {error}", from.display()));
            copy(from, &place.join(name)).map_err(uncopied)?;
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

/// Copies a file, and makes the folders above the copy.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to).map(drop)
}

/// A time limit that was measured, and how; or why there is none.
type Measured = Result<(Time, String), String>;

/// Runs the accepted submissions of a problem on all of its cases, and derives the time limit from the slowest one.
fn measure(derived: &DerivedLimit, catalogue: &mut Catalogue, id: &str, args: &ImportArgs) -> Result<Measured> {
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
    let Some((cpu, whose)) = accepted.into_iter().filter_map(Result::ok).max_by_key(|(cpu, _)| *cpu) else {
        return Ok(Err(format!("no accepted submission is accepted here: {}", why.join("; "))));
    };
    let (factor, step) = (derived.factor, Time(Duration::from_secs_f64(derived.resolution)));
    let source = format!("{factor} x {}, the time of {whose}, up to a multiple of {step}", Time(cpu));
    Ok(Ok((derived.of(cpu), source)))
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
