//! The checkers and interactors of problem setters: their commands, protocols and answer files.

use crate::text::{InvalidText, named_enum};
use crate::verdict::checker_protocol;
use regex::bytes::Regex;
use std::fmt;
use std::path::PathBuf;

/// A command line of the catalogue with `{name}` placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandTemplate {
    /// The command line.
    pub line: String,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Whether it runs outside the sandbox, with the rights of the user.
    pub trusted: bool,
    /// How the language of the source compiles and runs it; `None` if the command names no source.
    pub language: Option<String>,
    /// The command line in the catalogue, which names the source, once it is compiled.
    pub source_line: Option<String>,
    /// The files and folders that the compiler wrote: the program needs them in the sandbox.
    pub visible: Vec<PathBuf>,
    /// The environment variables of its language.
    pub environment: Vec<(String, String)>,
}

impl CommandTemplate {
    /// Returns the command line as the catalogue has it.
    pub fn written_line(&self) -> &str {
        self.source_line.as_deref().unwrap_or(&self.line)
    }
}

named_enum! {
    /// What a setter's program does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Role {
        /// It checks answers.
        Checker = "checker",
        /// It talks to the solver, and decides on the conversation.
        Interactor = "interactor",
        /// It starts the solver itself, and decides on the conversation.
        Tester = "tester",
    }
}

/// A setter's checker, interactor or tester.
#[derive(Debug, Clone)]
pub struct ExternalChecker {
    /// What it does.
    pub role: Role,
    /// The command that starts it.
    pub command: CommandTemplate,
    /// How it is called and how it reports its result.
    pub protocol: CheckerProtocol,
    /// The answer files of the cases.
    pub answers: AnswerFiles,
    /// The checker of an interactor's output, if the interactor leaves the decision to it. Or, beside a tester, the
    /// checker of answers without a solver.
    pub then: Option<Box<ExternalChecker>>,
}

impl ExternalChecker {
    /// Returns how often the solver may run on one case.
    pub fn passes(&self) -> u32 {
        checker_protocol(&self.protocol).passes()
    }

    /// Returns the checker that has the last word on a conversation, if there is one.
    pub fn follower(&self) -> Option<&Self> {
        self.then.as_deref().filter(|_| self.role == Role::Interactor)
    }
}

/// How an external checker is called and how it reports its result. Each protocol has a file in `verdict`.
#[derive(Debug, Clone)]
pub enum CheckerProtocol {
    /// The judge's own protocol: exit code 0 accepts, 1 rejects, and one line holds the score or the reason.
    Judge,
    /// The protocol of testlib.
    Testlib(Testlib),
    /// The protocol of Kattis output validators.
    Kattis(Kattis),
    /// Any program: a regular expression finds its score.
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

/// How to find a program's score and its rejections.
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

named_enum! {
    /// Which of several matches counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum MatchPlace {
        /// The first one.
        #[default]
        First = "first",
        /// The last one.
        Last = "last",
    }
}

named_enum! {
    /// Where a program prints its score.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ScoreStream {
        /// On standard output.
        Stdout = "stdout",
        /// On standard error.
        Stderr = "stderr",
        /// On either: standard output is searched first.
        #[default]
        Both = "both",
    }
}

named_enum! {
    /// The name of a [`CheckerProtocol`] in the catalogue.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ProtocolName {
        /// The judge's own.
        Judge = "judge",
        /// Testlib's.
        Testlib = "testlib",
        /// Kattis'.
        Kattis = "kattis",
        /// A regular expression.
        Regex = "regex",
    }
}

impl CheckerProtocol {
    /// Returns the protocol's name.
    pub fn name(&self) -> ProtocolName {
        match self {
            Self::Judge => ProtocolName::Judge,
            Self::Testlib(_) => ProtocolName::Testlib,
            Self::Kattis(_) => ProtocolName::Kattis,
            Self::Regex(_) => ProtocolName::Regex,
        }
    }
}

/// Where the answer files of a problem's cases are: the setter's answers that checkers compare with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerFiles {
    /// Patterns of files: `data/*.ans`. A file is the answer of the case whose file has the same stem.
    pub patterns: Vec<String>,
    /// The folder that they start from.
    pub folder: PathBuf,
    /// Files of cases, each with its answer.
    pub named: Vec<(PathBuf, PathBuf)>,
}

impl AnswerFiles {
    /// Returns whether the problem names none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.named.is_empty()
    }
}

/// How two texts are compared, token by token. The field names are the flags of Kattis' default validator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRules {
    /// Whether upper and lower case differ.
    pub case_sensitive: bool,
    /// Whether all white space must be the same.
    pub space_change_sensitive: bool,
    /// The absolute tolerance of numbers; negative: none.
    pub absolute: f64,
    /// The relative tolerance of numbers; negative: none.
    pub relative: f64,
}

impl TokenRules {
    /// The flags, in the order of the documentation.
    pub const FLAGS: [&str; 5] = [
        "case_sensitive",
        "space_change_sensitive",
        "float_absolute_tolerance",
        "float_relative_tolerance",
        "float_tolerance",
    ];

    /// Reads the arguments of the checker.
    ///
    /// # Errors
    /// Fails if an argument is unknown or a tolerance is not a number.
    pub fn parse(arguments: &[String]) -> Result<Self, InvalidText> {
        let mut rules = Self::default();
        let mut words = arguments.iter();
        while let Some(flag) = words.next() {
            let mut tolerance = || {
                let next = words.next();
                let read = next.and_then(|word| word.parse::<f64>().ok()).filter(|number| number.is_finite());
                let found = next.map_or_else(|| "nothing".to_owned(), |word| format!("`{word}`"));
                read.ok_or_else(|| InvalidText(format!("`{flag}` needs a number such as 1e-6, found {found}")))
            };
            match &**flag {
                "case_sensitive" => rules.case_sensitive = true,
                "space_change_sensitive" => rules.space_change_sensitive = true,
                "float_absolute_tolerance" => rules.absolute = tolerance()?,
                "float_relative_tolerance" => rules.relative = tolerance()?,
                "float_tolerance" => {
                    rules.relative = tolerance()?;
                    rules.absolute = rules.relative;
                }
                _ => return Err(InvalidText(format!("unknown argument `{flag}` of the checker `tokens`"))),
            }
        }
        Ok(rules)
    }

    /// Returns whether numbers are compared as numbers.
    pub(crate) fn has_tolerance(&self) -> bool {
        self.absolute >= 0.0 || self.relative >= 0.0
    }
}

impl Default for TokenRules {
    fn default() -> Self {
        Self { case_sensitive: false, space_change_sensitive: false, absolute: -1.0, relative: -1.0 }
    }
}

impl fmt::Display for TokenRules {
    /// Writes the arguments that give these rules.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.case_sensitive.then(|| "case_sensitive".to_owned()));
        words.extend(self.space_change_sensitive.then(|| "space_change_sensitive".to_owned()));
        words.extend((self.absolute >= 0.0).then(|| format!("float_absolute_tolerance {:e}", self.absolute)));
        words.extend((self.relative >= 0.0).then(|| format!("float_relative_tolerance {:e}", self.relative)));
        formatter.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<TokenRules, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TokenRules::parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_read_and_written_back() {
        for line in ["", "case_sensitive", "space_change_sensitive", "float_absolute_tolerance 1e-9"] {
            assert_eq!(parse(line).unwrap().to_string(), line);
        }
        let both = parse("case_sensitive float_tolerance 0.5").unwrap();
        assert_eq!(both.to_string(), "case_sensitive float_absolute_tolerance 5e-1 float_relative_tolerance 5e-1");
        assert_eq!(parse(&both.to_string()), Ok(both));
    }

    #[test]
    fn what_is_no_argument_is_said() {
        for (line, error) in [
            ("case", "unknown argument `case` of the checker `tokens`"),
            ("float_tolerance", "`float_tolerance` needs a number such as 1e-6, found nothing"),
            ("float_tolerance x", "`float_tolerance` needs a number such as 1e-6, found `x`"),
            ("float_absolute_tolerance nan", "`float_absolute_tolerance` needs a number such as 1e-6, found `nan`"),
            ("float_relative_tolerance inf", "`float_relative_tolerance` needs a number such as 1e-6, found `inf`"),
        ] {
            assert_eq!(parse(line), Err(error.to_owned()), "{line}");
        }
    }
}
