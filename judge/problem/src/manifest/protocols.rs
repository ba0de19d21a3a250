//! Reads the protocol of a problem's checker or interactor, its answer files, and the metrics that it prints.

use super::document::{Located, Section};
use crate::{
    AnswerFiles, CheckerChoice, CheckerProtocol, Direction, ExternalChecker, Kattis, MatchPlace, MetricRule,
    ProtocolName, Role, ScoreSearch, ScoreStream, Testlib, TokenRules, is_feature_name, listed,
};
use checkers::Metric;
use regex::bytes::Regex;
use std::num::NonZeroU8;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

/// The argument that makes a testlib program write its result as XML.
const XML: &str = "-appes";

/// The keys that only one protocol has, with this protocol.
const KEYS: &[(&str, ProtocolName)] = &[
    ("score-regex", ProtocolName::Regex),
    ("score-match", ProtocolName::Regex),
    ("score-stream", ProtocolName::Regex),
    ("reject-regex", ProtocolName::Regex),
    ("reject-exit-codes", ProtocolName::Regex),
    ("checker-arguments", ProtocolName::Kattis),
    ("validation-passes", ProtocolName::Kattis),
];

/// The default `reject-regex`. AtCoder's testers print `[WA] REASON`, print no score, and exit with code 0. The
/// solver's standard error may be in the same output. Without a reason, the line itself is the
/// reason, not the next line.
pub const REJECTION: &str = r"(?m)^\[WA\](?:[^\S\n]*(\S.*))?";

/// The keys of the catalogue about protocols.
pub(super) struct Protocols<'a> {
    arguments: Option<Located<Vec<&'a str>>>,
    protocol: Option<Located<&'a str>>,
    passes: Option<Located<u32>>,
    search: Option<ScoreSearch>,
    /// The present ones of [`KEYS`], with their protocols and places.
    keys: Vec<(&'static str, ProtocolName, Range<usize>)>,
}

impl<'a> Protocols<'a> {
    /// Reads all keys, even if they do not fit together.
    pub(super) fn read(section: &Section<'a>) -> Self {
        let arguments = section.words("checker-arguments");
        let protocol = section.text("checker-protocol");
        let passes = section.integer::<u32>("validation-passes", "how often the solver may run: a whole number from 1");
        let keys = KEYS.iter().filter_map(|(key, of)| Some((*key, *of, section.place(key)?))).collect();
        let search = search(section);
        Self { arguments, protocol, passes, search, keys }
    }

    /// Returns whether this protocol is chosen.
    pub(super) fn is(&self, name: ProtocolName) -> bool {
        self.protocol.as_ref().is_some_and(|protocol| protocol.value == name.name())
    }

    /// Returns the rules of the built-in comparison.
    pub(super) fn tokens(&self, section: &Section<'_>) -> Option<TokenRules> {
        self.refuse_protocol(section);
        let Some(Located { value, span }) = &self.arguments else { return Some(TokenRules::default()) };
        let words: Vec<String> = value.iter().map(|word| (*word).to_owned()).collect();
        match TokenRules::parse(&words) {
            Ok(rules) => Some(rules),
            Err(error) => {
                let expected = format!("expected some of: {}", TokenRules::FLAGS.join(", "));
                section.refuse(span.clone(), error.to_string(), expected)
            }
        }
    }

    /// Reports keys that only commands have.
    pub(super) fn refuse_all(&self, section: &Section<'_>) {
        self.refuse_protocol(section);
        if let Some(arguments) = &self.arguments {
            let expected = "only the checker `tokens` and the protocol `kattis` have them: remove it";
            section.complain(arguments.span.clone(), "the checker takes no arguments", expected);
        }
    }

    fn refuse_protocol(&self, section: &Section<'_>) {
        let protocol = self.protocol.as_ref().map(|protocol| ("checker-protocol", protocol.span.clone()));
        let others = self.keys.iter().filter(|(key, ..)| *key != "checker-arguments");
        for (key, span) in others.map(|(key, _, span)| (*key, span.clone())).chain(protocol) {
            section.complain(span, format!("a built-in checker has no `{key}`"), "remove it");
        }
    }

    /// Returns the protocol of a command. The command line may contain options of the protocol.
    pub(super) fn of_command(&self, section: &Section<'_>, line: &str, role: Role) -> Option<CheckerProtocol> {
        let written = self.protocol.as_ref().map_or(ProtocolName::Judge.name(), |protocol| protocol.value);
        for (key, of, span) in self.keys.iter().filter(|(_, of, _)| of.name() != written) {
            let expected = format!("add `checker-protocol = \"{of}\"`, or remove it");
            section.complain(span.clone(), format!("the protocol `{written}` has no `{key}`"), expected);
        }
        let Some(name) = ProtocolName::from_name(written) else {
            let unknown = Located { value: written, span: self.place(section) };
            return section.unknown(&unknown, "protocol", &ProtocolName::ALL.map(ProtocolName::name));
        };
        match (name, role) {
            (ProtocolName::Judge, _) => Some(CheckerProtocol::Judge),
            (ProtocolName::Testlib | ProtocolName::Kattis, Role::Tester) => {
                let expected = "expected \"judge\" or \"regex\"";
                section.refuse(self.place(section), format!("testers do not speak the protocol `{name}`"), expected)
            }
            (ProtocolName::Testlib, _) => {
                Some(CheckerProtocol::Testlib(Testlib { xml: line.split_whitespace().any(|word| word == XML) }))
            }
            (ProtocolName::Kattis, _) => self.kattis(section, role == Role::Interactor).map(CheckerProtocol::Kattis),
            (ProtocolName::Regex, Role::Interactor) => {
                let message = "an interactor's output goes to the solver: it has no score to find";
                section.refuse(self.place(section), message, "expected \"judge\", \"testlib\" or \"kattis\"")
            }
            (ProtocolName::Regex, _) => self.regex(section, role).map(CheckerProtocol::Regex),
        }
    }

    /// Returns the search of the protocol `regex`.
    fn regex(&self, section: &Section<'_>, role: Role) -> Option<ScoreSearch> {
        if section.place("score-regex").is_none() {
            section.missing("score-regex", "'(?m)^Score = (\\d+)'");
        }
        let search = self.search.clone()?;
        let stream = if role == Role::Tester { Self::stream_of_tester(section, search.stream)? } else { search.stream };
        Some(ScoreSearch { stream, ..search })
    }

    /// Returns where a tester prints its score. The default is standard error, because the solver's output may be on
    /// the other stream.
    fn stream_of_tester(section: &Section<'_>, stream: ScoreStream) -> Option<ScoreStream> {
        match (section.place("score-stream"), stream) {
            (None, _) => Some(ScoreStream::Stderr),
            (Some(span), ScoreStream::Both) => {
                let message = "a tester prints its score on one stream: what the solver prints may be on the other";
                section.refuse(span, message, "expected \"stderr\" or \"stdout\"")
            }
            (Some(_), stream) => Some(stream),
        }
    }

    /// Returns the place of the protocol key, or of the whole problem.
    fn place(&self, section: &Section<'_>) -> Range<usize> {
        self.protocol.as_ref().map_or_else(|| section.span(), |protocol| protocol.span.clone())
    }

    fn kattis(&self, section: &Section<'_>, is_interactor: bool) -> Option<Kattis> {
        let arguments = self.arguments.as_ref().map_or(&[][..], |arguments| &arguments.value);
        let passes = self.passes.as_ref().map_or(1, |passes| passes.value);
        let complaint = match &self.passes {
            Some(Located { value: 0, span }) => Some((span, "a solver runs at least once", "a whole number from 1")),
            Some(Located { value: 2.., span }) if is_interactor => {
                Some((span, "an interactive problem has one pass", "1"))
            }
            _ => None,
        };
        if let Some((span, message, expected)) = complaint {
            return section.refuse(span.clone(), message, format!("expected {expected}"));
        }
        Some(Kattis { arguments: arguments.iter().map(|word| (*word).to_owned()).collect(), passes })
    }
}

/// Returns the command line without the options of the protocol.
pub(super) fn plain_line(protocol: &CheckerProtocol, line: &str) -> String {
    match protocol {
        CheckerProtocol::Testlib(Testlib { xml: true }) if !line.contains('{') => {
            line.split(' ').filter(|word| *word != XML).collect::<Vec<_>>().join(" ")
        }
        _ => line.to_owned(),
    }
}

/// Reads the keys of the protocol `regex`. `None` if one is missing or wrong.
fn search(section: &Section<'_>) -> Option<ScoreSearch> {
    let place = choice::<MatchPlace>(section, "score-match", &MatchPlace::ALL.map(MatchPlace::name));
    let stream = choice::<ScoreStream>(section, "score-stream", &ScoreStream::ALL.map(ScoreStream::name));
    let reject = regex(section, "reject-regex");
    let codes = section.integers::<NonZeroU8>("reject-exit-codes", "an exit code: a whole number from 1 to 255");
    let score = regex(section, "score-regex")?;
    // Compiling a pattern takes long, so the default is compiled only for checkers that use it.
    let reject = if section.has("reject-regex") { reject } else { Regex::new(REJECTION).ok() };
    let reject_codes = codes.into_iter().map(|code| i32::from(code.get())).collect();
    Some(ScoreSearch { score, place, stream, reject: Some(reject?), reject_codes })
}

fn choice<T: FromStr + Default>(section: &Section<'_>, key: &'static str, names: &[&str]) -> T {
    let Some(Located { value, span }) = section.text(key) else { return T::default() };
    value.parse().unwrap_or_else(|_| {
        let expected = format!("expected one of: {}", names.join(", "));
        section.complain(span, format!("bad value of `{key}`: `{value}`"), expected);
        T::default()
    })
}

/// Reads a regular expression. A syntax error is shown at its place.
fn regex(section: &Section<'_>, key: &'static str) -> Option<Regex> {
    let text = section.text(key)?;
    let span = text.span.clone();
    let regex = checked_regex(section, text, || format!("bad regular expression in `{key}`"))?;
    if regex.is_match(b"") {
        let expected = "expected one that needs some text, such as '(?m)^Score = (\\d+)'";
        return section.refuse(span, format!("`{key}` matches the empty text"), expected);
    }
    Some(regex)
}

/// Returns a regular expression. A syntax error is reported with the reason.
pub(super) fn checked_regex(section: &Section<'_>, text: Located<&str>, bad: impl FnOnce() -> String) -> Option<Regex> {
    match Regex::new(text.value) {
        Ok(regex) => Some(regex),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            section.refuse(text.span, bad(), reason)
        }
    }
}

/// Reads the location of the answer files.
pub(super) fn answers(section: &Section<'_>, folder: &Path) -> AnswerFiles {
    let patterns = section.one_or_more_texts("answers").unwrap_or_default();
    AnswerFiles { patterns: file_patterns(section, patterns, folder), folder: folder.to_owned(), named: Vec::new() }
}

/// Returns patterns of files, and reports invalid ones. A file may have the pattern itself as its name.
pub(super) fn file_patterns(section: &Section<'_>, patterns: Vec<Located<&str>>, folder: &Path) -> Vec<String> {
    let checked = |Located { value, span }: Located<&str>| {
        // Each part of a path is one pattern, so `[a/b]` is invalid.
        let fault = value.split('/').find_map(|part| glob::Pattern::new(part).err());
        match fault.filter(|_| folder.join(value).symlink_metadata().is_err()) {
            None => Some(value.to_owned()),
            Some(error) => section.refuse(
                span,
                format!("`{value}` is not a file pattern: {}", error.msg),
                "`*` stands for any characters, `?` for one, `[ab]` for a or b, `[[]` for `[` itself",
            ),
        }
    };
    patterns.into_iter().filter_map(checked).collect()
}

/// The title of the table, in messages.
const TITLE: &str = "[problem.metrics]";

/// Reads the metrics of a problem, in their order, and adds the others that its built-in checker counts.
pub(super) fn read_metrics(problem: &Section<'_>, checker: Option<&CheckerChoice>) -> Vec<MetricRule> {
    let section = problem.section("metrics", TITLE);
    let declared = section.iter().flat_map(|section| {
        let metrics = section.named_texts_or_sections(TITLE).into_iter();
        metrics.filter_map(|(name, metric)| read_metric(section, &name, metric, checker))
    });
    let mut rules: Vec<MetricRule> = declared.collect();
    for metric in counted(checker) {
        let direction = Some(if metric.is_more_better { Direction::Max } else { Direction::Min });
        match rules.iter_mut().find(|rule| rule.name == metric.name) {
            Some(rule) if rule.is_by_checker() => rule.direction = rule.direction.or(direction),
            Some(_) => {}
            None => {
                let name = metric.name.to_owned();
                rules.push(MetricRule { name, direction, stderr: None, is_declared: false });
            }
        }
    }
    rules
}

/// Returns what a built-in checker counts.
fn counted(checker: Option<&CheckerChoice>) -> &'static [Metric] {
    match checker {
        Some(CheckerChoice::BuiltIn(checker)) => checker.metrics,
        _ => &[],
    }
}

fn read_metric(
    section: &Section<'_>,
    name: &Located<&str>,
    metric: Result<Section<'_>, Located<&str>>,
    checker: Option<&CheckerChoice>,
) -> Option<MetricRule> {
    let (direction, stderr) = match metric {
        Ok(table) => {
            let direction = table.parsed::<Direction>("direction").map(|direction| direction.value);
            let bad = || format!("bad regular expression of `{}`", name.value);
            let stderr = match table.text("stderr") {
                Some(pattern) => Some(checked_regex(&table, pattern, bad)?),
                None => None,
            };
            table.finish();
            (direction, stderr)
        }
        Err(text) => match text.value.parse::<Direction>() {
            Ok(direction) => (Some(direction), None),
            Err(error) => {
                let expected = "expected \"max\", \"min\", or a table such as { stderr = 'nodes=(\\d+)' }";
                return section.refuse(text.span, error.to_string(), expected);
            }
        },
    };
    if !is_feature_name(name.value) {
        let expected = "expected a letter, then letters, digits and `_`";
        return section.refuse(name.span.clone(), format!("bad metric name `{}`", name.value), expected);
    }
    let names: Vec<&str> = counted(checker).iter().map(|metric| metric.name).collect();
    let silent = checker.filter(|_| !names.contains(&name.value)).and_then(prints_none);
    if let (None, Some(silent)) = (&stderr, silent) {
        let known = if names.is_empty() { String::new() } else { format!("expected {}, or ", listed(&names, "or")) };
        let expected = format!(
            "{known}add stderr = 'a regular expression' to find it in what the solver prints on standard error"
        );
        return section.refuse(name.span.clone(), format!("{silent} prints no metric `{}`", name.value), &expected);
    }
    Some(MetricRule { name: name.value.to_owned(), direction, stderr, is_declared: true })
}

/// Returns the kind of the checker, if it prints no metrics.
fn prints_none(checker: &CheckerChoice) -> Option<&'static str> {
    match checker {
        CheckerChoice::BuiltIn(_) => Some("a built-in checker"),
        CheckerChoice::Tokens(..) => Some("the checker `tokens`"),
        // Its output may have lines of the solver.
        CheckerChoice::External(ExternalChecker {
            role: Role::Tester, protocol: CheckerProtocol::Regex(_), ..
        }) => Some("a tester with the protocol `regex`"),
        CheckerChoice::External(_) => None,
    }
}
