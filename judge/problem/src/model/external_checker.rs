//! A setter's checker or interactor: its command and its protocol.

use super::AnswerFiles;
use regex::bytes::Regex;
use std::path::PathBuf;

/// A command line of the catalogue, with a `{name}` for each value, and the folder that it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTemplate {
    /// The command line.
    pub line: String,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Whether it runs outside the sandbox, with the rights of the judge's user.
    pub trusted: bool,
    /// What it needs beside what it names, where it was compiled from a source.
    pub compiled: CompiledNeeds,
}

/// What a compiled program needs in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompiledNeeds {
    /// The files and folders that it was compiled to.
    pub visible: Vec<PathBuf>,
    /// The variables of its language.
    pub environment: Vec<(String, String)>,
}

/// A setter's checker or interactor.
#[derive(Debug, Clone)]
pub struct ExternalChecker {
    /// The command that starts it.
    pub command: CommandTemplate,
    /// The command line of the catalogue, where `command` runs what was compiled from the source that it names.
    pub source_line: Option<String>,
    /// How it is called, and how it reports its result.
    pub protocol: CheckerProtocol,
    /// The answer files of the cases.
    pub answers: AnswerFiles,
    /// The checker of what this interactor wrote, if it does not decide alone.
    pub then: Option<Box<ExternalChecker>>,
}

impl ExternalChecker {
    /// Returns the command as the catalogue has it.
    #[must_use]
    pub fn written(&self) -> CommandTemplate {
        let line = self.written_line().to_owned();
        CommandTemplate { line, ..self.command.clone() }
    }

    /// Returns the command line as the catalogue has it.
    #[must_use]
    pub fn written_line(&self) -> &str {
        self.source_line.as_deref().unwrap_or(&self.command.line)
    }
}

/// A setter's program that starts the solver itself, and decides on the conversation.
#[derive(Debug, Clone)]
pub struct Tester {
    /// The program.
    pub program: ExternalChecker,
    /// The checker of answers without their solver, if there is one.
    pub checker: Option<Box<ExternalChecker>>,
}

/// How an external checker is called, and how it reports its result. Each protocol has a file in `verdict/protocol`.
#[derive(Debug, Clone)]
pub enum CheckerProtocol {
    /// The judge's own: exit code 0 accepts, 1 rejects, and one line has the score or the reason.
    Judge,
    /// That of testlib.
    Testlib(Testlib),
    /// That of Kattis' output validators.
    Kattis(Kattis),
    /// Any program: its score is found by a regular expression.
    Regex(ScoreSearch),
}

/// Programs made with testlib.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Testlib {
    /// Whether the checker writes its result to an XML file.
    pub xml: bool,
}

/// Output validators of Kattis and ICPC packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kattis {
    /// The arguments after the feedback folder.
    pub arguments: Vec<String>,
    /// How often the solver may run on one case.
    pub passes: u32,
}

/// Where a program's score is, and what says that it rejects.
#[derive(Debug, Clone)]
pub struct ScoreSearch {
    /// Finds the score: its first group, or the whole match.
    pub score: Regex,
    /// Which of several matches counts.
    pub place: MatchPlace,
    /// Where the program prints its score.
    pub stream: ScoreStream,
    /// Finds the reason of a rejection: its first group, or the line of the match.
    pub reject: Option<Regex>,
    /// The exit codes that reject.
    pub reject_codes: Vec<i32>,
}

/// Which of several matches counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MatchPlace {
    /// The first one.
    #[default]
    First,
    /// The last one.
    Last,
}

/// Where a program prints its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScoreStream {
    /// On standard output.
    Stdout,
    /// On standard error.
    Stderr,
    /// On one of them: standard output is read first.
    #[default]
    Both,
}

impl CheckerProtocol {
    /// The names of all protocols, as the catalogue has them.
    pub const NAMES: [&str; 4] = ["judge", "testlib", "kattis", "regex"];

    /// Returns the protocol's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Testlib(_) => "testlib",
            Self::Kattis(_) => "kattis",
            Self::Regex(_) => "regex",
        }
    }
}
