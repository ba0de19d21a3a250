//! Solvers and languages: how the user names a solver, how it runs, and the tables of languages.

use crate::limits::{Allowance, Bytes};
use crate::text::quote;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The environment of every program in the sandbox, in addition to the user's variables.
pub const BASE_ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];

/// The name of a journal's folder. It is hidden in the sandbox, because it contains the answers of other solvers.
pub const JOURNAL_FOLDER: &str = ".judge";

/// A solver as the user wrote it: `NAME=S`, or just `S`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverSpec {
    /// The name in every report.
    pub name: String,
    /// What to run: a path, a command, a source file, or `bundled:ID`.
    pub text: String,
}

impl SolverSpec {
    /// The prefix of an entrant without a program: `answers:DIR`.
    pub const ANSWERS: &str = "answers:";

    /// The prefix of a solver whose source was sent to a server. It is in no file.
    pub const SOURCE: &str = "source:";

    /// The name of the human player in `judge ui`.
    pub const BY_HAND: &str = "by hand";

    /// Returns the human player in `judge ui`.
    pub fn by_hand() -> Self {
        Self { name: Self::BY_HAND.to_owned(), text: Self::BY_HAND.to_owned() }
    }

    /// Returns whether it can be named on a command line again.
    pub fn can_be_named(&self) -> bool {
        !self.text.starts_with(Self::SOURCE)
    }

    /// Returns the flag that gives it on a command line. Without a name, the text before a `=` would be read as one, and
    /// a word that begins with a dash as a flag.
    pub fn flag(&self) -> String {
        let before = self.text.split_once('=').map(|(before, _)| before);
        let needs_name = self.text.starts_with('-') || before.is_some_and(|before| !before.contains(['/', ' ']));
        let name = if needs_name { "bot=" } else { "" };
        format!("-s {}", quote(&format!("{name}{}", self.text)))
    }

    /// Returns the folder of an entrant without a program: it has a file `CASE.out` for each case.
    pub fn answers(&self) -> Option<&Path> {
        self.text.strip_prefix(Self::ANSWERS).map(Path::new)
    }
}

/// A solver that comes with the judge: `bundled:ID` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledSolver {
    /// Its id, which begins with the game's id.
    pub id: &'static str,
    /// What it does.
    pub summary: &'static str,
}

/// A solver, prepared to run, or with the reason why it cannot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Solver {
    /// What the user wrote.
    pub spec: SolverSpec,
    /// How it runs, or why it cannot run.
    pub invocation: Invocation,
    /// Its own environment variables, in addition to the run's.
    pub environment: Vec<(String, String)>,
    /// What it may use in addition to the limits of the run.
    pub allowance: Allowance,
}

impl Solver {
    /// Returns a solver without its own variables or allowance.
    pub fn new(spec: SolverSpec, invocation: Invocation) -> Self {
        Self { spec, invocation, environment: Vec::new(), allowance: Allowance::default() }
    }
}

/// A program that can be run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Program {
    /// Absolute path of the executable.
    pub path: PathBuf,
    /// `argv`, starting with the program's name.
    pub argv: Vec<OsString>,
    /// Files and folders that the command names, or that were compiled from these.
    pub visible: Vec<PathBuf>,
    /// The files and folders that it sees only as copies.
    #[serde(skip)]
    pub copied: Vec<PathBuf>,
    /// The installations that it needs to run.
    pub runtime: Runtime,
    /// The variables of its language.
    pub environment: Vec<(String, String)>,
}

/// The installations of a program and its interpreters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runtime {
    /// Files and folders that it needs to see, in addition to the system's.
    pub visible: Vec<PathBuf>,
    /// Folders at the start of its `PATH`.
    pub search: Vec<PathBuf>,
}

/// How a solver runs, or why it cannot run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Invocation {
    /// This program.
    Program(Program),
    /// Nothing runs: the answers are the files of this folder.
    Answers(PathBuf),
    /// It cannot run, with the reason.
    CannotStart(String),
    /// The compiler or interpreter of its source is not installed, with the reason.
    NotInstalled(String),
    /// The compiler rejected the source, with its message.
    CompileError(String),
}

impl Invocation {
    /// Returns the program, or why there is none to run.
    ///
    /// # Errors
    /// When there is none.
    pub fn program(&self) -> Result<&Program, String> {
        match self {
            Self::Program(program) => Ok(program),
            Self::Answers(folder) => Err(format!("{} is a folder with answers, not a program", folder.display())),
            Self::CannotStart(why) | Self::NotInstalled(why) | Self::CompileError(why) => Err(why.clone()),
        }
    }
}

/// A language. Fields of the user's and the catalogue's tables replace the built-in fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Language {
    /// The name, as `--language` takes it.
    pub name: String,
    /// The extensions of its source files, without the dot.
    pub extensions: Vec<String>,
    /// The names of files that mark a folder of this language: `Cargo.toml`.
    pub files: Vec<String>,
    /// Commands that compile it. The first one whose program is installed is used. An interpreted language has none.
    pub compile: Vec<String>,
    /// Commands that run it. The first one whose program is installed is used.
    pub run: Vec<String>,
    /// Programs that these commands start.
    pub needs: Vec<String>,
    /// The command that prints the version of its compiler or interpreter, if known.
    pub version: Option<String>,
    /// Environment variables of its programs.
    pub environment: Vec<(String, String)>,
    /// What its programs may use beyond the problem's limits.
    pub allowance: Allowance,
    /// The Debian package that has its compiler or interpreter.
    pub package: Option<String>,
}

/// All languages, in the order in which they are tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Languages(pub(crate) Vec<Language>);

impl Languages {
    /// Returns these languages with another one that is tried before them.
    pub fn after(mut self, first: Language) -> Self {
        self.0.insert(0, first);
        self
    }

    /// Returns these languages with compile commands that take only the main source of a folder.
    pub fn of_main(mut self) -> Self {
        for command in self.0.iter_mut().flat_map(|language| &mut language.compile) {
            *command = command.replace("{sources}", "{source}");
        }
        self
    }

    /// Returns every language, in the order in which they are tried.
    pub fn iter(&self) -> impl Iterator<Item = &Language> {
        self.0.iter()
    }

    /// Returns the language with this name.
    pub fn find(&self, name: &str) -> Option<&Language> {
        self.iter().find(|language| language.name == name)
    }

    /// Returns the languages of source files with this extension.
    pub fn with_extension(&self, ending: &str) -> impl Iterator<Item = &Language> {
        self.iter().filter(move |language| language.has_extension(ending))
    }

    /// Returns the extensions of all source files, as messages list them: `.rs, .cpp, …`.
    pub fn endings(&self) -> String {
        let mut all: Vec<&String> = Vec::new();
        for ending in self.iter().flat_map(|language| &language.extensions) {
            if !all.contains(&ending) {
                all.push(ending);
            }
        }
        all.into_iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
    }
}

impl Language {
    /// Returns whether source files of this language have this extension.
    pub fn has_extension(&self, ending: &str) -> bool {
        self.extensions.iter().any(|own| own == ending)
    }

    /// Returns whether one of its commands has this placeholder.
    pub fn uses(&self, placeholder: &str) -> bool {
        self.compile.iter().chain(&self.run).any(|line| line.contains(placeholder))
    }
}

/// A language chosen by the user: for one solver, or for all source files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageChoice {
    /// The name of the solver. `None`: all.
    pub solver: Option<String>,
    /// The name of the language.
    pub language: String,
}

impl FromStr for LanguageChoice {
    type Err = Infallible;

    /// Reads `LANGUAGE` or `SOLVER=LANGUAGE`.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.rsplit_once('=') {
            Some((solver, language)) => Self { solver: Some(solver.to_owned()), language: language.to_owned() },
            None => Self { solver: None, language: text.to_owned() },
        })
    }
}

impl LanguageChoice {
    /// Returns the language chosen for the solver with this name.
    pub fn of<'a>(choices: &'a [Self], name: &str) -> Option<&'a str> {
        let own = choices.iter().rfind(|choice| choice.solver.as_deref() == Some(name));
        let choice = own.or_else(|| choices.iter().rfind(|choice| choice.solver.is_none()))?;
        Some(&choice.language)
    }
}

/// A language on this machine.
#[derive(Debug, Clone)]
pub struct LanguageStatus {
    /// The language.
    pub language: Language,
    /// The missing programs. Each of its commands needs one of them. Empty if it is installed.
    pub missing: Vec<String>,
    /// The version of its compiler or interpreter, if it was determined.
    pub version: Option<String>,
    /// The command that compiles here, if it is compiled.
    pub compile: Option<String>,
    /// The command that runs here.
    pub run: Option<String>,
}

/// What is in the cache of compiled programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSummary {
    /// Where it is.
    pub folder: PathBuf,
    /// The number of programs.
    pub programs: usize,
    /// Their size.
    pub bytes: Bytes,
    /// The maximum size.
    pub bound: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_is_given_again_as_it_was_read() {
        let flag = |text: &str| SolverSpec { name: "x".into(), text: text.into() }.flag();
        let plain = ["./bot", "python3 bot.py --w=1", "./a=b.sh", "bundled:columns"];
        assert_eq!(plain.map(flag), ["-s ./bot", "-s 'python3 bot.py --w=1'", "-s './a=b.sh'", "-s bundled:columns"]);
        assert_eq!(["a=b.sh", "-s"].map(flag), ["-s 'bot=a=b.sh'", "-s 'bot=-s'"]);
    }

    #[test]
    fn a_solver_s_own_language_comes_before_that_of_all() {
        let choices: Vec<LanguageChoice> = ["python", "new=pypy"].iter().map(|text| text.parse().unwrap()).collect();
        let of = |name| LanguageChoice::of(&choices, name);
        assert_eq!((of("new"), of("old")), (Some("pypy"), Some("python")));
        assert_eq!(LanguageChoice::of(&choices[1..], "old"), None);
    }
}
