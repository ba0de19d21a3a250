//! A problem of the catalogue, checked and complete.

use super::{
    AnswerFiles, CaseList, CaseSpec, CommandTemplate, Direction, ExternalChecker, FeatureRule, HelperLimits, Limits,
    Rule, TestGroup, Tester, TokenRules, Verification,
};
use checkers::{Checker, Generator, Score};
use std::fmt;
use std::path::{Path, PathBuf};

/// A problem: how its cases are made, run, checked and scored.
#[derive(Clone)]
pub struct Problem {
    /// The id, as `-p` takes it.
    pub id: String,
    /// The full name.
    pub title: String,
    /// The source, for `judge show`.
    pub source: String,
    /// One line on input and answer, for `judge show`.
    pub format: String,
    /// The checker of its answers.
    pub checker: CheckerChoice,
    /// The generator of cases from seeds; `None`: its cases are files only.
    pub generator: Option<GeneratorChoice>,
    /// The generator's command line in the catalogue, where its command runs what was compiled from the source that it names.
    pub generator_source: Option<String>,
    /// The limits of a solver.
    pub limits: Limits,
    /// The limits of its checker and generator, and of compilers.
    pub helper_limits: HelperLimits,
    /// The problem's own cases, without those of `inputs`.
    pub cases: CaseList,
    /// Patterns of files that are cases too: `data/*.in`, relative to `folder`.
    pub inputs: Vec<String>,
    /// How raw scores become points.
    pub scoring: Rule,
    /// Which scores are good.
    pub direction: Direction,
    /// The score of a failed case in sums and means; `None`: a solver with failures has neither.
    pub failure: Option<Score>,
    /// Which best scores its scores are relative to. In the catalogue: beside those of its cases.
    pub best: BestSource,
    /// The cases that count together. No case is in two of them.
    pub test_groups: Vec<TestGroup>,
    /// Features found in its inputs, beside those of the checker.
    pub features: Vec<FeatureRule>,
    /// The solver that runs when none is given, as `--solver` takes it.
    pub default_solver: Option<String>,
    /// What draws an answer for `judge view`, where its checker does not.
    pub viewer: Option<Viewer>,
    /// What `judge verify` holds it against.
    pub verification: Verification,
    /// Whether its commands run outside the sandbox.
    pub trusted: bool,
    /// The folder that its commands run in and its relative paths start from.
    pub folder: PathBuf,
}

impl Problem {
    /// Returns whether a text can be the id of a problem: lower-case letters, digits, `-` and `_`.
    #[must_use]
    pub fn is_id(text: &str) -> bool {
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        !text.is_empty() && text.chars().all(valid)
    }

    /// Returns the least score that the problem admits, if it has one: under a rule that counts raw scores, a negative
    /// score below `failure` would make a failed case better than an accepted one.
    #[must_use]
    pub fn least_score(&self) -> Option<Score> {
        let counts = self.scoring.counts_raw_scores() && self.direction == Direction::Max;
        self.failure.clone().filter(|_| counts).map(|failure| failure.min(Score::from(0)))
    }

    /// Returns the commands that make its cases and check its answers, always in the same order.
    #[must_use]
    pub fn commands_mut(&mut self) -> Vec<&mut CommandTemplate> {
        let mut commands = Vec::new();
        for ExternalChecker { command, then, .. } in self.checker.programs_mut() {
            commands.push(command);
            commands.extend(then.iter_mut().map(|then| &mut then.command));
        }
        if let Some(GeneratorChoice::Command(command) | GeneratorChoice::Files(FileGenerator { command, .. })) =
            &mut self.generator
        {
            commands.push(command);
        }
        commands.extend(&mut self.verification.validator);
        commands
    }

    /// Returns the index of the test group that a case is in.
    #[must_use]
    pub fn test_group_of(&self, case: &CaseSpec) -> Option<usize> {
        self.test_groups.iter().position(|group| group.members.have(case))
    }
}

/// Which best scores a run's scores are relative to, beside its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BestSource {
    /// All that are known: the problem's, and the journal's of the same game.
    Known,
    /// The problem's: of its cases, and of the file that it names.
    Problem,
    /// None.
    Run,
    /// The journal's, as `judge best` shows them.
    Ledger,
    /// Those of this file.
    File(PathBuf),
}

impl BestSource {
    /// Reads `known`, `problem`, `run` (or `none`), `ledger`, or a file's path, which starts from `folder`.
    #[must_use]
    pub fn new(text: &Path, folder: &Path) -> Self {
        match text.to_str() {
            Some("known") => Self::Known,
            Some("problem") => Self::Problem,
            Some("run" | "none") => Self::Run,
            Some("ledger") => Self::Ledger,
            _ => Self::File(folder.join(text)),
        }
    }
}

impl fmt::Display for BestSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => formatter.write_str("known"),
            Self::Problem => formatter.write_str("problem"),
            Self::Run => formatter.write_str("run"),
            Self::Ledger => formatter.write_str("ledger"),
            Self::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Problem").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The name of the built-in checker that compares tokens.
pub const TOKENS: &str = "tokens";

/// The checker of a problem's answers.
#[derive(Clone)]
pub enum CheckerChoice {
    /// A checker of the `checkers` crate.
    BuiltIn(&'static dyn Checker),
    /// A setter's command.
    External(ExternalChecker),
    /// A setter's command that converses with the solver.
    Interactor(ExternalChecker),
    /// A setter's command that starts the solver itself.
    Tester(Tester),
    /// The built-in comparison with the case's answer file, token by token.
    Tokens(TokenRules, AnswerFiles),
}

impl CheckerChoice {
    /// Returns the setter's programs, each with what follows it.
    pub fn programs_mut(&mut self) -> Vec<&mut ExternalChecker> {
        match self {
            Self::External(external) | Self::Interactor(external) => vec![external],
            Self::Tester(Tester { program, checker }) => {
                std::iter::once(program).chain(checker.as_deref_mut()).collect()
            }
            Self::BuiltIn(_) | Self::Tokens(..) => Vec::new(),
        }
    }

    /// Returns the built-in checker's id, or the command.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(checker) => checker.id(),
            Self::External(external) | Self::Interactor(external) => external.written_line(),
            Self::Tester(tester) => tester.program.written_line(),
            Self::Tokens(..) => TOKENS,
        }
    }

    /// Returns the built-in checker's version.
    #[must_use]
    pub fn version(&self) -> Option<u32> {
        match self {
            Self::BuiltIn(checker) => Some(checker.version()),
            Self::Tokens(..) => Some(1),
            Self::External(_) | Self::Interactor(_) | Self::Tester(_) => None,
        }
    }

    /// Returns where the answer files of the cases are.
    #[must_use]
    pub fn answers(&self) -> Option<&AnswerFiles> {
        match self {
            Self::BuiltIn(_) => None,
            Self::External(external) | Self::Interactor(external) => Some(&external.answers),
            Self::Tester(tester) => Some(&tester.program.answers),
            Self::Tokens(_, answers) => Some(answers),
        }
    }

    /// Names answer files: each of a case's file.
    pub fn name_answers(&mut self, named: Vec<(PathBuf, PathBuf)>) {
        match self {
            Self::BuiltIn(_) => {}
            Self::External(external) | Self::Interactor(external) => external.answers.named = named,
            Self::Tester(tester) => {
                tester.checker.iter_mut().for_each(|checker| checker.answers.named.clone_from(&named));
                tester.program.answers.named = named;
            }
            Self::Tokens(_, answers) => answers.named = named,
        }
    }

    /// Returns whether the problem is interactive.
    #[must_use]
    pub fn is_interactive(&self) -> bool {
        matches!(self, Self::Interactor(_) | Self::Tester(_))
    }

    /// Returns whether an answer can be checked without its solver.
    #[must_use]
    pub fn checks_answers(&self) -> bool {
        match self {
            Self::BuiltIn(_) | Self::External(_) | Self::Tokens(..) => true,
            Self::Interactor(_) => false,
            Self::Tester(tester) => tester.checker.is_some(),
        }
    }
}

/// A command that reads seeds from a file, and leaves its cases in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGenerator {
    /// The command.
    pub command: CommandTemplate,
    /// A file whose lines, from 0, are the seeds that the first numbers stand for.
    pub seeds: Option<PathBuf>,
}

/// A command that draws an answer to a case, as a page for a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The command.
    pub command: CommandTemplate,
    /// The page, in the folder that the command runs in.
    pub page: PathBuf,
}

/// The generator of a problem's cases.
#[derive(Clone)]
pub enum GeneratorChoice {
    /// The generator of a built-in checker.
    BuiltIn {
        /// The generator.
        generator: Generator,
        /// Its version, from 1.
        version: usize,
    },
    /// A setter's command.
    Command(CommandTemplate),
    /// A setter's command that leaves its cases in files.
    Files(FileGenerator),
    /// None: a tester makes the case of the seed, which is all the input.
    Seed,
}
