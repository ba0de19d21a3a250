//! A problem of the catalogue: how its cases are generated, run, checked, scored and verified.

use crate::text::{InvalidText, named_enum};
use crate::{
    AnswerFiles, CaseList, CaseSpec, CommandTemplate, Direction, ExternalChecker, FeatureRule, GeneratorParameter,
    HelperLimits, Limits, Members, MetricRule, Role, Rule, TestGroup, TokenRules, Verdict,
};
use checkers::{Checker, Generator, Score};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A problem: how its cases are generated, run, checked and scored.
#[derive(Clone)]
pub struct Problem {
    /// The id, as `-p` takes it.
    pub id: String,
    /// The full name.
    pub title: String,
    /// Where the problem comes from, for `judge show`.
    pub source: String,
    /// One line on input and answer, for `judge show`.
    pub format: String,
    /// The checker of its answers.
    pub checker: CheckerChoice,
    /// The generator of cases from seeds. Without one, only cases that are files can be played.
    pub generator: Option<GeneratorChoice>,
    /// The limits of a solver.
    pub limits: Limits,
    /// The limits of its checker and generator, and of compilers.
    pub helper_limits: HelperLimits,
    /// The problem's own cases. Cases of `inputs` are not among them.
    pub cases: CaseList,
    /// The line of the catalogue that names each file or pattern of its cases, `inputs`, `answers`, `best` and `solver`:
    /// `problems.toml:14`.
    pub file_lines: HashMap<PathBuf, String>,
    /// The line of each test group.
    pub group_lines: Vec<String>,
    /// Patterns of further input files: `data/*.in`, relative to `folder`.
    pub inputs: Vec<String>,
    /// How raw scores become points.
    pub scoring: Rule,
    /// Which scores are good.
    pub direction: Direction,
    /// The score of a failed case in sums and means. `None`: a solver with failures has neither.
    pub failure: Option<Score>,
    /// The source of the best scores that scores are compared with, in addition to its cases' own.
    pub best: BestSource,
    /// The test groups. They are disjoint.
    pub test_groups: Vec<TestGroup>,
    /// Features found in its inputs, in addition to the checker's.
    pub features: Vec<FeatureRule>,
    /// The named numbers of its results in addition to the score.
    pub metrics: Vec<MetricRule>,
    /// The solver that runs if none is given, as `--solver` takes it.
    pub default_solver: Option<String>,
    /// The command that draws an answer for `judge view`, if the checker does not.
    pub viewer: Option<Viewer>,
    /// The sealed cases, if the catalogue has some. No solver, report or journal shows them.
    pub sealed: Option<SealedChoice>,
    /// What `judge verify` checks.
    pub verification: Verification,
    /// Whether its commands run outside the sandbox.
    pub trusted: bool,
    /// The parameters of its generator.
    pub generator_parameters: Vec<GeneratorParameter>,
    /// The folder of its commands and relative paths.
    pub folder: PathBuf,
}

impl Problem {
    /// Returns whether a text is a valid id: lower-case letters, digits, `-` and `_`.
    pub fn is_id(text: &str) -> bool {
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        !text.is_empty() && text.chars().all(valid)
    }

    /// Returns its own cases in words: their number, and the patterns of further files.
    pub fn listed_cases(&self) -> String {
        let listed = (!self.cases.is_empty()).then(|| self.cases.len().to_string());
        listed.into_iter().chain(self.inputs.iter().cloned()).collect::<Vec<_>>().join(" + ")
    }

    /// Returns the metrics that tables of the terminal show. `[problem.metrics]` names them.
    pub fn declared_metrics(&self) -> impl Iterator<Item = &MetricRule> {
        self.metrics.iter().filter(|rule| rule.is_declared)
    }

    /// Returns the minimum score that the problem admits, if any. Under a rule that counts raw scores, a score below
    /// `failure` would make a failed case better than an accepted one.
    pub fn min_score(&self) -> Option<Score> {
        let counts = self.scoring.counts_raw_scores() && self.direction == Direction::Max;
        self.failure.clone().filter(|_| counts).map(|failure| failure.min(Score::from(0)))
    }

    /// Returns the commands that generate its cases and check its answers, always in the same order.
    pub fn commands_mut(&mut self) -> Vec<&mut CommandTemplate> {
        let mut commands = Vec::new();
        if let CheckerChoice::External(ExternalChecker { command, then, .. }) = &mut self.checker {
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
    pub fn test_group_of(&self, case: &CaseSpec) -> Option<usize> {
        self.test_groups.iter().position(|group| group.members.have(case))
    }
}

/// The best scores that a run's scores are compared with, in addition to its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BestSource {
    /// All known ones: the problem's, and the journal's for the same game.
    Known,
    /// The problem's own, in its cases and in its file of best scores.
    Problem,
    /// None.
    Run,
    /// The journal's, as shown by `judge best`.
    Ledger,
    /// Those of this file.
    File(PathBuf),
}

impl BestSource {
    /// Reads `known`, `problem`, `run` (or `none`), `ledger`, or the path of a file, relative to `folder`.
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
#[expect(clippy::large_enum_variant, reason = "a problem has only one")]
pub enum CheckerChoice {
    /// A checker of the `checkers` crate.
    BuiltIn(&'static Checker),
    /// A setter's command: a checker, interactor or tester.
    External(ExternalChecker),
    /// The built-in comparison with the answer file, token by token.
    Tokens(TokenRules, AnswerFiles),
}

impl CheckerChoice {
    /// Returns the setter's program: the checker, interactor or tester.
    pub fn program(&self) -> Option<&ExternalChecker> {
        match self {
            Self::External(program) => Some(program),
            Self::BuiltIn(_) | Self::Tokens(..) => None,
        }
    }

    /// Returns what decides on a solver's answer.
    pub fn role(&self) -> Role {
        self.program().map_or(Role::Checker, |program| program.role)
    }

    /// Returns the built-in checker's id, or the command.
    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(checker) => checker.id,
            other => other.program().map_or(TOKENS, |program| program.command.written_line()),
        }
    }

    /// Returns the checker of the `checkers` crate, if it is one.
    pub fn built_in(&self) -> Option<&'static Checker> {
        match self {
            Self::BuiltIn(checker) => Some(checker),
            _ => None,
        }
    }

    /// Returns the built-in checker's version.
    pub fn version(&self) -> Option<u32> {
        match self {
            Self::BuiltIn(checker) => Some(checker.version),
            Self::Tokens(..) => Some(1),
            _ => None,
        }
    }

    /// Returns the location of the answer files.
    pub fn answers(&self) -> Option<&AnswerFiles> {
        match self {
            Self::Tokens(_, answers) | Self::External(ExternalChecker { answers, .. }) => Some(answers),
            Self::BuiltIn(_) => None,
        }
    }

    /// Sets the answer file of each input file.
    pub(crate) fn name_answers(&mut self, named: Vec<(PathBuf, PathBuf)>) {
        match self {
            Self::Tokens(_, answers) | Self::External(ExternalChecker { answers, .. }) => answers.named = named,
            Self::BuiltIn(_) => {}
        }
    }

    /// Returns whether the problem is interactive.
    pub fn is_interactive(&self) -> bool {
        self.role() != Role::Checker
    }

    /// Returns whether an answer can be checked without its solver.
    pub fn checks_answers(&self) -> bool {
        match self.role() {
            Role::Checker => true,
            Role::Interactor => false,
            Role::Tester => self.program().is_some_and(|tester| tester.then.is_some()),
        }
    }
}

/// A generator that reads seeds from a file and writes its cases to files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGenerator {
    /// The command.
    pub command: CommandTemplate,
    /// A file with the seeds of the first cases: line N, from 0, is the seed of case N.
    pub seeds: Option<PathBuf>,
}

/// A command that draws an answer as a page for a browser.
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
    /// A setter's command that writes its cases to files.
    Files(FileGenerator),
    /// None: the input is the seed, and a tester makes the case from it.
    Seed,
}

/// The sealed cases of a problem: the number of drawn seeds, and the number of totals that the user may request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedChoice {
    /// The number of seeds.
    pub count: u32,
    /// The number of evaluations.
    pub queries: u32,
}

impl Default for SealedChoice {
    fn default() -> Self {
        Self { count: 100, queries: 1_000 }
    }
}

/// The parts of a problem that only `judge verify` uses.
#[derive(Debug, Clone, Default)]
pub struct Verification {
    /// The command that validates an input. It reads the input on standard input.
    pub validator: Option<CommandTemplate>,
    /// Bad answers that are legal in this game, so that the checker may accept them.
    pub may_accept: Vec<BadAnswer>,
    /// The expected results of solvers.
    pub expectations: Vec<Expectation>,
}

/// The expected result of a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The solver, as `--solver` takes it. Its paths are relative to the catalogue's folder.
    pub solver: String,
    /// The expected verdicts. At least one case has one of them, and all other cases are accepted.
    pub verdicts: Vec<Verdict>,
    /// The range of its total.
    pub score: ScoreRange,
    /// The cases that it runs on. `None`: the problem's own cases.
    pub cases: Option<Members>,
}

/// A range of scores, including both ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreRange {
    /// The minimum.
    pub least: Option<Score>,
    /// The maximum.
    pub most: Option<Score>,
}

impl ScoreRange {
    /// Returns whether it is unbounded.
    pub fn is_open(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }
}

impl FromStr for ScoreRange {
    type Err = InvalidText;

    /// Reads `10`, `10-20` or `-5--1`.
    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let score = |text: &str| text.trim().parse::<Score>().ok();
        let pairs = text.match_indices('-').map(|(place, _)| (&text[..place], &text[place + 1..]));
        let ends = score(text).map(|only| (only.clone(), only));
        let ends = ends.or_else(|| pairs.filter_map(|(least, most)| score(least).zip(score(most))).next());
        match ends.filter(|(least, most)| least <= most) {
            Some((least, most)) => Ok(Self { least: Some(least), most: Some(most) }),
            None => {
                let expected = "a score or a range such as 10-20, with the smaller one first";
                Err(InvalidText(format!("expected {expected}; found `{text}`")))
            }
        }
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.least, &self.most) {
            (Some(least), Some(most)) if least == most => write!(formatter, "{least}"),
            (Some(least), Some(most)) => write!(formatter, "{least} to {most}"),
            (Some(least), None) => write!(formatter, "at least {least}"),
            (None, Some(most)) => write!(formatter, "at most {most}"),
            (None, None) => formatter.write_str("any score"),
        }
    }
}

named_enum! {
    /// An answer that a checker normally rejects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum BadAnswer {
        /// An empty answer.
        Empty = "empty",
        /// Meaningless words or bytes.
        Garbage = "garbage",
        /// The first half of an accepted answer.
        Truncated = "truncated",
    }
}

named_enum! {
    /// A kind of problem packages of other judges.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PackageKind {
        /// A problem package of Kattis or ICPC.
        Kattis = "kattis",
        /// A package of Polygon.
        Polygon = "polygon",
        /// A project of pahcer.
        Pahcer = "pahcer",
        /// A problem of DMOJ.
        Dmoj = "dmoj",
        /// The tools of an AtCoder Heuristic Contest.
        Ahc = "ahc",
    }
}

impl PackageKind {
    /// Returns a description of this kind, for `--help`.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Kattis => "A problem package of Kattis or ICPC, of the legacy format or from 2023-07 on",
            Self::Polygon => "A package of Polygon, with its tests or without",
            Self::Pahcer => "A project of pahcer, whose tests a checker scores",
            Self::Dmoj => "A problem of DMOJ, whose checker is a comparison",
            Self::Ahc => {
                "The tools of an AtCoder Heuristic Contest: a Cargo package with the programs gen, vis and tester"
            }
        }
    }

    /// Returns the file at the top level by which this kind is detected.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Kattis => "problem.yaml",
            Self::Polygon => "problem.xml",
            Self::Pahcer => "pahcer_config.toml",
            Self::Dmoj => "init.yml",
            Self::Ahc => "Cargo.toml with src/bin/vis.rs",
        }
    }

    /// Returns these files with their kinds: `problem.yaml (kattis)`.
    pub fn signs(kinds: &[Self]) -> String {
        kinds.iter().map(|kind| format!("{} ({})", kind.sign(), kind.name())).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_scores_is_read_exactly() {
        let shown = |text: &str| text.parse::<ScoreRange>().map(|range| range.to_string());
        for (text, expected) in
            [("10", "10"), ("10-20", "10 to 20"), ("-5--1.5", "-5 to -1.5"), ("-5", "-5"), ("1e-3 - 2", "0.001 to 2")]
        {
            assert_eq!(shown(text), Ok(expected.to_owned()));
        }
        for text in ["", "-", "20-10", "1-2-3", "x", "10-", "-10-"] {
            assert!(shown(text).unwrap_err().to_string().ends_with(&format!("first; found `{text}`")));
        }
        let least = ScoreRange { least: Some(Score::from(3)), most: None };
        assert_eq!((least.to_string(), least.is_open()), ("at least 3".to_owned(), false));
        assert!(ScoreRange::default().is_open());
    }

    #[test]
    fn every_bad_answer_has_its_name() {
        assert!(BadAnswer::ALL.into_iter().all(|answer| BadAnswer::from_name(answer.name()) == Some(answer)));
    }
}
