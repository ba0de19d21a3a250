//! An error as the user sees it: what happened, where, and a hint with the command or key that fixes it.

use judge_compare::paired::InferenceError;
use judge_journal::{JournalError, MergeError, unused_path};
use judge_problem::scoring::InvalidResults;
use judge_problem::{
    Exit, InvalidText, JOURNAL_FOLDER, ManifestError, UnknownProblem, error_chain, one_line, quote, quote_path, visible,
};
use judge_report::{Paint, PrintError, Style};
use judge_run::cases::{CheckerError, InputError, ReadError, SelectError};
use judge_run::command::CommandError;
use judge_run::matching::MatchError;
use judge_run::runner::{ClusterError, RunError};
use judge_run::solver::{SolverError, SpecError};
use judge_sandbox::Fault;
use rustix::io::Errno;
use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;

/// The hint for errors that the judge's own limits have caused.
pub(crate) const SHORTAGE_HINT: &str = "start the judge with a higher limit (`ulimit -a` shows all), free space in the \
                                        temporary folder, or end programs that use up open files and processes";

/// What a part of a command gives.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The failure of a command as the user sees it: one or more errors, and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// At least one.
    errors: Vec<HintedError>,
    exit: Exit,
}

/// An error, with the command or key that fixes it.
#[derive(Debug)]
struct HintedError {
    error: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
}

impl Failure {
    fn new(error: impl Into<Box<dyn Error + Send + Sync>>, exit: Exit) -> Self {
        Self { errors: vec![HintedError { error: error.into(), hint: None }], exit }
    }

    /// An error in the arguments, the catalogue or the files given; or of the machine, if too few open files or
    /// processes have caused it.
    pub fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        if is_shortage(&*error) { Self::fault(error) } else { Self::new(error, Exit::Usage) }
    }

    /// An error of the judge or of the machine. It has a hint if too few open files or processes caused it.
    pub fn fault(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        let hint = is_shortage(&*error).then_some(SHORTAGE_HINT);
        Self::new(error, Exit::Fault).with_hint_if(hint)
    }

    /// Cases that were not accepted, where the command needs them to be.
    pub fn not_accepted(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(error, Exit::NotAccepted)
    }

    /// An interruption by the user.
    pub fn interrupted() -> Self {
        Self::new("interrupted", Exit::Interrupted)
    }

    /// Fails with the errors of all these failures and the exit code of the first, unless there are none.
    pub fn check_all(failures: impl IntoIterator<Item = Self>) -> Result<(), Self> {
        let all = failures.into_iter().reduce(|mut all, next| {
            all.errors.extend(next.errors);
            all
        });
        all.map_or(Ok(()), Err)
    }

    /// Adds a hint to the last error.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(last) = self.errors.last_mut() {
            last.hint = Some(hint.into());
        }
        self
    }

    /// Adds a hint to the last error, if there is one.
    pub fn with_hint_if(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }

    /// Returns the last error, if it is one of the journal.
    pub fn journal_error(&self) -> Option<&JournalError> {
        self.errors.last()?.error.downcast_ref()
    }

    /// Returns the exit code.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Returns the errors with all their causes, as one line.
    pub fn in_one_line(&self) -> String {
        self.errors.iter().map(|error| error_chain(&*error.error)).collect::<Vec<_>>().join("; ")
    }

    /// Returns the hints of the errors.
    pub fn hints(&self) -> impl Iterator<Item = &str> {
        self.errors.iter().filter_map(|error| error.hint.as_deref())
    }

    /// Returns the text for standard error.
    pub fn render(&self, style: Style) -> String {
        self.errors.iter().map(|error| error.render(style)).collect::<Vec<_>>().join("\n")
    }
}

impl HintedError {
    fn render(&self, style: Style) -> String {
        let text = self.error.to_string();
        // The faults of a catalogue have their own format, with line numbers.
        let text = if self.error.is::<ManifestError>() { visible(&text).into_owned() } else { message(&text) };
        let mut lines = vec![format!("{} {text}", style.paint(Paint::Bad, "error:"))];
        let causes = std::iter::successors(self.error.source(), |cause| (**cause).source());
        lines.extend(causes.map(|cause| format!("  caused by: {}", message(&cause.to_string()))));
        lines.extend(self.hint.iter().map(|hint| format!("{} {}", style.paint(Paint::Good, "hint:"), one_line(hint))));
        lines.join("\n")
    }
}

/// Converts errors that need no hint.
macro_rules! without_hint {
    ($make:ident: $($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$make(error)
            }
        })+
    };
}

without_hint!(usage: ManifestError, SpecError, InvalidText);
without_hint!(fault: InvalidResults, PrintError);

impl From<UnknownProblem> for Failure {
    fn from(error: UnknownProblem) -> Self {
        let hint = match (&error.meant, &error.built_in) {
            (_, Some(built_in)) if *built_in == error.id => format!("`{built_in}` is built in: use --problems builtin"),
            (Some(meant), _) => format!("did you mean `{meant}`? `judge list` shows all problems"),
            (None, Some(built_in)) => format!("did you mean `{built_in}`? It is built in: use --problems builtin"),
            (None, None) => "`judge list` shows all problems".to_owned(),
        };
        Self::usage(error).with_hint(hint)
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let fault = if let SelectError::Line(_, fault) = &error { &**fault } else { &error };
        let hint = match fault {
            SelectError::Call(..) => "`judge show ID` lists the parameters of the generator".to_owned(),
            SelectError::NoGenerator(_) => {
                "give files: --inputs 'data/*.in'; or add `generator-command` to the problem".to_owned()
            }
            // A pattern of a catalogue starts from its folder.
            SelectError::NoFiles { folder, .. } if !folder.as_os_str().is_empty() => {
                "change `inputs` of the problem, or add the files".to_owned()
            }
            SelectError::NoFiles { pattern, .. } | SelectError::Match(MatchError::Pattern { pattern, .. })
                if pattern.contains('[') =>
            {
                let literal = quote(&pattern.replace('[', "[[]"));
                format!("`[ab]` stands for a or b, and `[[]` for `[` itself: --inputs {literal}")
            }
            SelectError::NoFiles { .. } | SelectError::Match(MatchError::Pattern { .. }) => {
                "quote patterns: --inputs 'data/*.in'".to_owned()
            }
            SelectError::TwoGroups { .. } => {
                "change `cases` or `seeds` of one of the groups, or choose other cases".to_owned()
            }
            SelectError::Match(MatchError::Unreadable(..))
            | SelectError::SameName { .. }
            | SelectError::Line(..)
            | SelectError::NotAFile(..) => {
                return Self::usage(error);
            }
        };
        Self::usage(error).with_hint(hint)
    }
}

impl From<MatchError> for Failure {
    fn from(error: MatchError) -> Self {
        let hint = matches!(error, MatchError::Pattern { .. })
            .then_some("`*` stands for any characters, `?` for one, `[ab]` for a or b, `[[]` for `[` itself");
        Self::usage(error).with_hint_if(hint)
    }
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Self {
        let hint = match &error {
            SolverError::Missing { .. } => {
                "give a program, a quoted command or a source file: --solver ./mybot".to_owned()
            }
            SolverError::NoAnswers { .. } => "it has a file CASE.out for each case, such as seed-7.out".to_owned(),
            SolverError::NotBundled(_) => {
                "`judge list --problems builtin` shows the problems; each has a bundled solver of its id".to_owned()
            }
            SolverError::UnknownSource { file, .. } => {
                format!("compile it, and give the program; or name its interpreter: 'INTERPRETER {file}'")
            }
            SolverError::UnknownLanguage { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            SolverError::UnknownLanguage { meant: None, .. } => {
                "`judge languages` shows all; a [language.NAME] table adds one".to_owned()
            }
            SolverError::SeveralLanguages { names, .. } => format!("choose one: --language {}", names[0]),
            SolverError::NoSuchSolver(_) => "name it: --solver NAME=S; or leave the name out: --language L".to_owned(),
            SolverError::NoSource { .. } => "give the source file or folder: --solver bot.py".to_owned(),
            SolverError::Unreadable(_) => "close the quotes".to_owned(),
        };
        Self::usage(error).with_hint(hint)
    }
}

impl From<CheckerError> for Failure {
    fn from(error: CheckerError) -> Self {
        match error {
            CheckerError::Command(error) => error.into(),
            CheckerError::Malformed(_)
            | CheckerError::Protocol(_)
            | CheckerError::BelowFailure { .. }
            | CheckerError::NoAnswerFile
            | CheckerError::AnswerFile(..)
            | CheckerError::AnswerFolder(_)
            | CheckerError::Interactive => Self::usage(error),
            CheckerError::Undecided(_) | CheckerError::Store(_) | CheckerError::Panicked(_) => Self::fault(error),
        }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Shortage(_) => Self::fault(error).with_hint(SHORTAGE_HINT),
            error if error.is_fault() => Self::fault(error),
            error => Self::usage(error),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Command(error) => error.into(),
            InputError::File { ref path, ref source } if source.kind() == std::io::ErrorKind::NotFound => {
                // `inputs` finds a link, whether or not its file is there.
                if path.is_symlink() {
                    let hint = format!(
                        "it is a link to a missing file: add that file, or remove the link: rm {}",
                        quote_path(path)
                    );
                    return Self::usage(error).with_hint(hint);
                }
                Self::usage(error).with_hint("add the file, or change `file` of its [[problem.case]] in problems.toml")
            }
            error => Self::usage(error),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Input(error) => error.into(),
            ReadError::Checker(error) => error.into(),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let hint = match &error {
            JournalError::NoRun(_) | JournalError::NoRunYet => "`judge history` lists the runs",
            JournalError::StillRunning(_) => {
                "wait for it, or end it with Ctrl-C; without --resume, a new run is started"
            }
            JournalError::Over(run, _) => {
                let hint = format!("`judge history show {run}` shows it");
                return Self::usage(error).with_hint(hint);
            }
            JournalError::OtherPlan { .. } => "run its command again with --resume",
            JournalError::ManyTags(_) => "`judge history untag RUN TAG` makes room",
            JournalError::OtherWriter(_) => "wait for it, or record in another file: --journal FILE",
            JournalError::NoJournal { path, .. } if path.iter().any(|part| part == JOURNAL_FOLDER) => {
                let hint = format!("this makes room for a new one: {}", move_away(path));
                return Self::usage(error).with_hint(hint);
            }
            JournalError::File { .. } | JournalError::NoJournal { .. } | JournalError::Unmergeable { .. } => {
                "name a file that `judge run --journal` has written"
            }
            JournalError::UnsupportedSchema { path, found, .. } => {
                let hint = start_anew(path, *found);
                return Self::usage(error).with_hint(hint);
            }
            damaged if damaged.is_damage() => return Self::fault(error),
            busy if busy.is_busy() => {
                return Self::fault(error).with_hint("another program holds it: try again when that has ended");
            }
            JournalError::Folder { .. } | JournalError::Open { .. } | JournalError::Database(_) => {
                return Self::fault(error).with_hint("is the disk full, or the folder not writable?");
            }
            JournalError::Damaged(_) | JournalError::Gone { .. } => return Self::fault(error),
        };
        Self::usage(error).with_hint(hint)
    }
}

/// Returns the command that renames a journal with another schema version. Then a new journal can be created.
pub(crate) fn start_anew(journal: &Path, form: u32) -> String {
    let name = format!("{}-form-{form}.db", journal.file_stem().unwrap_or_default().to_string_lossy());
    let [from, to] = [journal, &journal.with_file_name(name)].map(quote_path);
    format!("mv {from} {to}")
}

/// Returns the command that moves a journal away, with the files beside it.
pub fn move_away(journal: &Path) -> String {
    let folder = journal.parent().filter(|folder| folder.file_name() == Some(OsStr::new(JOURNAL_FOLDER)));
    let from = folder.unwrap_or(journal);
    let name = from.file_name().unwrap_or_default().to_string_lossy();
    let [from, to] = [from, &unused_path(from, |number| format!("{name}-damaged{number}"))].map(quote_path);
    format!("mv {from} {to}")
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        let hint = match error {
            MergeError::Target(error) => return error.into(),
            MergeError::Unusable(_) => "leave it out, or run the shard again; nothing was merged",
            MergeError::Different(_) => "merge the runs of each kind by themselves; nothing was merged",
        };
        Self::usage(error).with_hint(hint)
    }
}

/// Returns a message as it is shown. Further lines of another program's text must not look like the judge's.
fn message(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n  | ")
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Run(Fault::Cancelled) => Self::interrupted(),
            RunError::Cluster(ClusterError { error, hint, exit }) => Self::new(error, exit).with_hint_if(hint),
            RunError::Store(ref why) if !is_shortage(why) => Self::fault(error).with_hint(format!(
                "free space in {}, or set TMPDIR to another folder",
                std::env::temp_dir().display()
            )),
            error => Self::fault(error),
        }
    }
}

/// Returns whether an error was caused by too few open files or processes, or by a limit of this process.
pub(crate) fn is_shortage(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |cause| (**cause).source());
    let errno = |cause: &(dyn Error + 'static)| cause.downcast_ref::<std::io::Error>().and_then(Errno::from_io_error);
    causes.any(|cause| {
        matches!(errno(cause), Some(Errno::AGAIN | Errno::MFILE | Errno::NFILE))
            || matches!(cause.downcast_ref::<Fault>(), Some(Fault::OwnLimit(_)))
    })
}

impl From<InferenceError> for Failure {
    fn from(error: InferenceError) -> Self {
        match error {
            InferenceError::Settings(_) => Self::usage(error),
            InferenceError::BeyondBound { .. } => Self::usage(error)
                .with_hint("raise --bound; with --measure relative, --exact is for scores of one sign"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn several_errors_are_listed_each_with_its_causes_and_hint() {
        let cause = std::io::Error::other(std::fmt::Error);
        let failures = [
            Failure::usage("one").with_hint("fix one"),
            Failure::fault(JournalError::Folder { path: "f".into(), source: cause }),
            Failure::usage("three"),
        ];
        let all = Failure::check_all(failures).unwrap_err();
        assert_eq!(all.exit(), Exit::Usage);
        let folder =
            "error: cannot use the journal's folder f\n  caused by: an error occurred when formatting an argument";
        assert_eq!(all.render(Style::PLAIN), format!("error: one\nhint: fix one\n{folder}\nerror: three"));
        assert!(Failure::check_all([]).is_ok());
    }

    #[test]
    fn a_link_to_nothing_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("1.in");
        std::os::unix::fs::symlink("gone.in", &link).unwrap();
        for (path, words) in [(link.clone(), "remove the link"), (folder.path().join("2.in"), "[[problem.case]]")] {
            let failure = Failure::from(InputError::File { path, source: Errno::NOENT.into() });
            assert!(failure.hints().all(|hint| hint.contains(words)), "{}", failure.render(Style::PLAIN));
            assert_eq!(failure.hints().count(), 1);
        }
    }

    #[test]
    fn a_shortage_has_a_hint() {
        let hinted = |errno: Errno| Failure::from(RunError::Thread(errno.into())).hints().count();
        assert_eq!((hinted(Errno::AGAIN), hinted(Errno::MFILE), hinted(Errno::NOSPC)), (1, 1, 0));
        let read = |errno: Errno| {
            let input = InputError::File { path: "a.in".into(), source: errno.into() };
            [Failure::from(input), load::unreadable("the catalogue", Path::new("a"), &errno.into())].map(|f| f.exit())
        };
        assert_eq!((read(Errno::MFILE), read(Errno::NOENT)), ([Exit::Fault; 2], [Exit::Usage; 2]));
    }
}
