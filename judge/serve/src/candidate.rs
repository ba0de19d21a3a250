//! Candidates: makes a solver that can be run from a client's request. Prepared solvers are kept for later requests.

use crate::evaluator::Evaluator;
use crate::params::SolverChoice;
use crate::problems::{ReadyProblem, is_hidden};
use crate::queue::{Progress, Task};
use crate::rpc::{Result, RpcError};
use judge_problem::{Digest, Invocation, LanguageChoice, Languages, Limits, Outcome, Solver, SolverSpec};
use judge_run::matching::real;
use judge_run::runner::RunError;
use judge_run::solver::{self, Purpose, SolverError, Toolbox};
use judge_sandbox::{Exchange, Execution, OutputFiles, Request, Visible, sweepable_name};
use judge_session::{Failure, load, programs};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The name of every candidate in reports.
const NAME: &str = "candidate";

/// How many prepared candidates a server keeps.
pub(crate) const KEPT: NonZeroUsize = NonZeroUsize::new(32).unwrap();

/// A solver that can be run.
pub(crate) struct Candidate {
    /// Equal programs have equal ids.
    pub(crate) id: String,
    pub(crate) solver: Solver,
    pub(crate) toolbox: Toolbox,
    /// The language that the client gave for its file.
    pub(crate) language: Option<String>,
    /// The files that it was made from, with their stamps, and the words that named no file. `None`: it is made again
    /// each time.
    stamps: Option<Vec<(PathBuf, Option<Stamp>)>>,
    /// Its source, if it came as a text.
    source: Option<Source>,
}

/// A source that was sent as text, in a folder of its own. The folder is removed with this value, and if the server is
/// killed.
struct Source {
    /// The folder, with a slash at its end.
    place: String,
    _folder: TempDir,
}

impl Source {
    fn of(folder: TempDir) -> Self {
        let path = real(folder.path());
        Self { place: format!("{}/", path.display()), _folder: folder }
    }

    /// Replaces the path of the source in another program's text by the author's name for it. The folder has a random
    /// name.
    fn without_folder(&self, text: &str) -> String {
        text.replace(&self.place, "")
    }
}

/// Data that changes when a file changes.
#[derive(Debug, PartialEq, Eq)]
struct Stamp([u64; 3], [i64; 3]);

/// A file that was changed so recently can change again without another time.
const FRESH: Duration = Duration::from_millis(100);

impl Stamp {
    /// Returns the stamp of a file. `None` for a folder, and for a file that has just been changed.
    fn of(path: &Path) -> Option<Self> {
        let meta: Metadata = path.metadata().ok().filter(Metadata::is_file)?;
        let changed = UNIX_EPOCH
            + Duration::new(u64::try_from(meta.ctime()).ok()?, u32::try_from(meta.ctime_nsec()).unwrap_or_default());
        let is_settled = SystemTime::now().duration_since(changed).is_ok_and(|age| age > FRESH);
        let times = [meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
        is_settled.then(|| Self([meta.dev(), meta.ino(), meta.size()], times))
    }
}

impl Evaluator {
    /// Fails if a candidate names the journal or the file of the sealed cases, or a folder that contains the latter. A
    /// compiler would print its lines.
    fn refuse_hidden(&self, choice: SolverChoice<'_>) -> Result<()> {
        if self.hidden.is_empty() {
            return Ok(());
        }
        let sealed = self.sealed.as_deref().and_then(|file| file.canonicalize().ok());
        let words = match choice {
            SolverChoice::Source { .. } => Vec::new(),
            SolverChoice::Path { path, .. } => vec![path.to_owned()],
            SolverChoice::Command(line) => shell_words::split(line).unwrap_or_default(),
        };
        let is_refused =
            |path: &Path| sealed.as_ref().is_some_and(|file| file.starts_with(path)) || is_hidden(path, &self.hidden);
        let holds = |word: &String| Path::new(word).canonicalize().is_ok_and(|path| is_refused(&path));
        match words.iter().find(|word| holds(word)) {
            None => Ok(()),
            Some(word) => {
                Err(RpcError::params(format!("params.solver: the journal or the sealed cases are in `{word}`"))
                    .with_hint("name a program in another folder"))
            }
        }
    }

    /// Prepares a candidate, or returns it as it was prepared before.
    pub(crate) fn prepare(
        &self,
        problem: &ReadyProblem,
        choice: SolverChoice<'_>,
        limits: &Limits,
        task: &Task,
    ) -> Result<Arc<Candidate>> {
        self.refuse_hidden(choice)?;
        let key = format!("{}\0{}\0{choice:?}", problem.problem().id, limits.memory.0);
        if let Some(known) = self.prepared.lock().get(&key).cloned()
            && known.is_current()
        {
            return Ok(known);
        }
        let made = Arc::new(self.make(problem, choice, limits, task)?);
        if made.stamps.is_some() {
            self.prepared.lock().put(key, Arc::clone(&made));
        }
        Ok(made)
    }

    fn make(
        &self,
        problem: &ReadyProblem,
        choice: SolverChoice<'_>,
        limits: &Limits,
        task: &Task,
    ) -> Result<Candidate> {
        let named = choice.language_of_file();
        let language = if let SolverChoice::Source { language, .. } = choice { Some(language) } else { named };
        let mut build = self.args.conditions.build.clone();
        build.languages.extend(language.map(|name| LanguageChoice { solver: None, language: name.to_owned() }));
        let settings = programs::settings(&problem.catalogue, problem.problem(), limits, &build)?;
        let toolbox = Toolbox::new(self.sandbox.tier(), settings);
        let (spec, source) = spec(choice, &toolbox)?;
        let specs = [spec];
        solver::check_choices(&specs, toolbox.settings()).map_err(wrong_solver)?;
        solver::check_solver(&specs[0], toolbox.settings()).map_err(wrong_solver)?;
        let [spec] = specs;
        let given = spec.text.clone();
        let mut solver = solver::prepare(spec, &toolbox, &mut self.compiler(task)).map_err(Failure::from)?;
        let fingerprint = || solver::fingerprint(&solver, &problem.template.visible, &toolbox);
        let digest = digest_of_text(problem, choice).unwrap_or_else(fingerprint);
        let stamps = stamps(&solver, &problem.template.visible, source.is_none().then_some(&*given));
        let source = source.map(Source::of);
        if let Some(source) = &source {
            solver.spec.text = named_source(&source.without_folder(&given));
            if let Invocation::CompileError(said) | Invocation::CannotStart(said) = &mut solver.invocation {
                *said = source.without_folder(said);
            }
        }
        Ok(Candidate { id: id_of(&digest), solver, toolbox, language: named.map(str::to_owned), stamps, source })
    }

    /// Returns a function that runs compilers, in a slot like a solver's.
    fn compiler<'a>(
        &'a self,
        task: &'a Task,
    ) -> impl FnMut(Purpose<'_>, &Request, &Exchange) -> Result<(Execution, OutputFiles), RunError> + use<'a> {
        |_, request, exchange| {
            task.progress(Progress { state: "compiling", done: 0, cases: 0 });
            // While a compiler runs, no solver is timed alone.
            let _neighbours = self.settings.timing_lock.read();
            self.slots.run_with_files(task, request, exchange).map_err(RunError::Run)
        }
    }
}

/// Returns the digest of a candidate that comes as a text, which needs no program for that.
pub(crate) fn digest_of_text(problem: &ReadyProblem, choice: SolverChoice<'_>) -> Option<Digest> {
    let SolverChoice::Source { text, language } = choice else { return None };
    // A language may be given by its name or by an extension. An unknown one is refused later.
    let languages = load::languages(&problem.catalogue).ok()?;
    let language = solver::named_language(language, &languages).ok()?;
    let shared = Some(&problem.template.visible).filter(|shared| !shared.is_empty());
    let shared = shared.map(|shared| solver::shared_content(shared).0);
    let parts = [&b"source"[..], language.name.as_bytes(), text.as_bytes()];
    Some(Digest::of_parts(parts.into_iter().chain(shared.as_ref().map(|digest| &digest[..]))))
}

/// Returns the name in reports of a candidate that comes as a text.
pub(crate) fn name_of_text(problem: &ReadyProblem, choice: SolverChoice<'_>) -> Result<String> {
    let SolverChoice::Source { language, .. } = choice else { return Ok(NAME.to_owned()) };
    Ok(named_source(&file_name(language, &load::languages(&problem.catalogue)?)?))
}

/// Returns the error of a candidate that cannot be prepared. Its hints name no flags of the command line.
fn wrong_solver(error: SolverError) -> RpcError {
    let hint = match &error {
        SolverError::Missing { .. } => {
            Some("{\"path\": \"./bot.py\"}; paths begin where the server was started".to_owned())
        }
        SolverError::NoSource { .. } => Some("give the source file or folder: {\"path\": \"./bot.py\"}".to_owned()),
        SolverError::SeveralLanguages { names, .. } => Some(format!("choose one: \"language\": \"{}\"", names[0])),
        SolverError::UnknownSource { file, .. } => {
            Some(format!("name its language or its interpreter: {{\"command\": \"INTERPRETER {file}\"}}"))
        }
        _ => None,
    };
    RpcError::from(Failure::from(error)).with_hint_if(hint)
}

/// Returns the id of a candidate.
pub(crate) fn id_of(digest: &Digest) -> String {
    digest.to_string()[..32].to_owned()
}

impl Candidate {
    /// Replaces the path of the source in the candidate's output by the author's name for it.
    pub(crate) fn shown(&self, outcome: Outcome) -> Outcome {
        let Some(source) = &self.source else { return outcome };
        let (note, stderr) = (source.without_folder(&outcome.note), source.without_folder(&outcome.stderr));
        Outcome { note, stderr, ..outcome }
    }

    /// Returns whether its program, or a file that it sees, is another one than when it had this id.
    pub(crate) fn is_edited(&self, problem: &ReadyProblem, choice: SolverChoice<'_>, id: &str) -> bool {
        let is_text = matches!(choice, SolverChoice::Source { .. });
        if is_text && !self.is_current() {
            return true;
        }
        if is_text && problem.template.visible.is_empty() || self.stamps.is_some() && !is_text && self.is_current() {
            return false;
        }
        self.id_now(problem, choice) != id
    }

    /// Returns its id, by the files as they are now.
    pub(crate) fn id_now(&self, problem: &ReadyProblem, choice: SolverChoice<'_>) -> String {
        let digest = digest_of_text(problem, choice);
        id_of(&digest.unwrap_or_else(|| solver::fingerprint(&self.solver, &problem.template.visible, &self.toolbox)))
    }

    /// Returns whether the files that it was made from are unchanged, and the stored source and its program still there.
    fn is_current(&self) -> bool {
        // Others may tidy the folder for temporary files.
        let stored = self.source.iter().filter_map(|_| self.solver.invocation.program().ok());
        let mut files = stored.flat_map(|program| program.visible.iter().chain([&program.path]));
        if !files.all(|path| path.exists()) {
            return false;
        }
        let stamps = self.stamps.as_deref().unwrap_or_default();
        stamps.iter().all(|(path, stamp)| match stamp {
            Some(stamp) => Stamp::of(path).as_ref() == Some(stamp),
            None => !path.exists(),
        })
    }
}

/// Returns the solver of a candidate, and the folder of its source if that was sent as text.
fn spec(choice: SolverChoice<'_>, toolbox: &Toolbox) -> Result<(SolverSpec, Option<TempDir>)> {
    let named = |text: String| SolverSpec { name: NAME.to_owned(), text };
    match choice {
        SolverChoice::Path { path, .. } => {
            if !Path::new(path).exists() {
                let error = format!("params.solver.path: there is no file {path}");
                return Err(RpcError::params(error).with_hint("paths begin where the server was started"));
            }
            // A name without a folder might be taken for a command.
            let path = if path.contains('/') { path.to_owned() } else { format!("./{path}") };
            Ok((named(path), None))
        }
        SolverChoice::Command(command) => Ok((named(command.to_owned()), None)),
        SolverChoice::Source { text, language } => {
            let stored = store(text, &file_name(language, toolbox.settings().languages())?);
            let (file, folder) = stored.map_err(|error| Failure::fault(format!("cannot store the source: {error}")))?;
            Ok((named(file.display().to_string()), Some(folder)))
        }
    }
}

/// Returns the text in reports of a solver whose source came as a text.
fn named_source(file: &str) -> String {
    format!("{}{file}", SolverSpec::SOURCE)
}

/// Returns the name of the file of a source in a language.
fn file_name(language: &str, languages: &Languages) -> Result<String> {
    let language = solver::named_language(language, languages).map_err(Failure::from)?;
    let ending = language.extensions.first().map(String::as_str).unwrap_or_default();
    Ok(format!("{NAME}.{ending}"))
}

/// Writes a source to a new folder.
fn store(text: &str, name: &str) -> io::Result<(PathBuf, TempDir)> {
    let prefix = sweepable_name("source") + ".";
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
    let file = folder.path().canonicalize()?.join(name);
    std::fs::write(&file, text)?;
    Ok((file, folder))
}

/// Returns the files that a solver was made from, unless some of them cannot be watched, and the words of its command that
/// may name a file later. `given` is the client's file or folder.
fn stamps(solver: &Solver, shared: &[Visible], given: Option<&str>) -> Option<Vec<(PathBuf, Option<Stamp>)>> {
    let Some(given) = given else { return Some(Vec::new()) };
    let Invocation::Program(program) = &solver.invocation else { return None };
    let named = Some(PathBuf::from(given)).filter(|path| path.exists());
    let words = program.argv.iter().map(PathBuf::from).filter(|word| word.is_file());
    let seen = program.visible.iter().chain(shared.iter().map(|visible| &visible.path)).cloned();
    let files: BTreeSet<PathBuf> = named.into_iter().chain([program.path.clone()]).chain(words).chain(seen).collect();
    let stamped = files.into_iter().map(|path| Stamp::of(&path).map(|stamp| (path, Some(stamp))));
    let absent = program.argv.iter().skip(1).map(PathBuf::from).filter(|word| !word.exists());
    stamped.chain(absent.map(|word| Some((word, None)))).collect()
}
