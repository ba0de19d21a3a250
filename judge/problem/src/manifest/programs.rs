//! Reads the programs of a problem: checker or interactor, generator, viewer, validator, and their limits.

use super::document::{Located, Section, closest, set};
use super::protocols;
use super::protocols::Protocols;
use crate::{
    AnswerFiles, BadAnswer, Bytes, CheckerChoice, CheckerProtocol, CommandTemplate, CompileLimits, Expectation,
    ExternalChecker, FileGenerator, GeneratorChoice, GeneratorParameter, HelperLimits, Limits, Members, ProtocolName,
    Role, ScoreRange, Seeds, TOKENS, Time, Verdict, Verification, Viewer, is_feature_name,
};
use checkers::{Checker, Score};
use glob::Pattern;
use judge_statistics::tune::{Domain, InvalidParameter};
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// Where the commands of a problem run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    /// Whether they run outside the sandbox.
    pub(super) trusted: bool,
}

impl Place<'_> {
    /// Returns a command that runs in this place.
    pub(super) fn command(self, line: impl Into<String>) -> CommandTemplate {
        let Place { folder, trusted } = self;
        CommandTemplate { line: line.into(), folder: folder.to_owned(), trusted, ..CommandTemplate::default() }
    }
}

/// Reads the checker or interactor.
pub(super) fn checker(section: &Section<'_>, place: Place<'_>) -> Option<CheckerChoice> {
    let protocols = Protocols::read(section);
    let answers = protocols::answers(section, place.folder);
    let keys = (section.text("checker"), section.text("checker-command"), section.text("interactor-command"));
    let tester = section.text("tester-command");
    let commands = ["checker-command", "interactor-command", "tester-command"];
    let reader = CommandReader { section, protocols: &protocols, place, answers: &answers };
    if let Some(tester) = tester {
        return reader.only_tester(&tester, keys).map(CheckerChoice::External);
    }
    match keys {
        (Some(name), None, None) if name.value == TOKENS => {
            protocols.tokens(section).map(|rules| CheckerChoice::Tokens(rules, answers))
        }
        (Some(name), None, None) => {
            protocols.refuse_all(section);
            if let Some(span) = section.place("answers") {
                let expected = "remove it, or take `checker = \"tokens\"`";
                section.complain(span, "this checker compares with no answer files", expected);
            }
            built_in_checker(section, &name).map(CheckerChoice::BuiltIn)
        }
        (None, Some(command), None) => reader.program(Role::Checker, &command).map(CheckerChoice::External),
        (None, None, Some(command)) => reader.program(Role::Interactor, &command).map(CheckerChoice::External),
        (None, Some(checker), Some(interactor)) if protocols.is(ProtocolName::Testlib) => {
            let (then, interactor) =
                (reader.program(Role::Checker, &checker), reader.program(Role::Interactor, &interactor));
            let (then, interactor) = (Box::new(then?), interactor?);
            Some(CheckerChoice::External(ExternalChecker { then: Some(then), ..interactor }))
        }
        // A bad one was reported, and is not missing.
        (None, None, None) if commands.iter().any(|key| section.has(key)) => None,
        (None, None, None) => {
            let others = "`checker-command = \"./check {input} {answer}\"`, \
                          `interactor-command = \"./interact {input} {report}\"` or \
                          `tester-command = \"./tester {solver} {report}\"";
            section.missing("checker", &format!("\"columns\"` (a built-in one), {others}"));
            None
        }
        (_, Some(second), None) | (_, _, Some(second)) => {
            let keep = "keep one of `checker`, `checker-command` and `interactor-command`";
            section.refuse(second.span, "a problem has one checker", keep)
        }
    }
}

/// Reads the commands of a problem.
struct CommandReader<'s, 'a> {
    section: &'s Section<'a>,
    protocols: &'s Protocols<'a>,
    place: Place<'s>,
    answers: &'s AnswerFiles,
}

/// The keys for a checker: a built-in one, a command, an interactor.
type Keys<'a> = (Option<Located<&'a str>>, Option<Located<&'a str>>, Option<Located<&'a str>>);

impl CommandReader<'_, '_> {
    /// Reads a tester. The only checker that it can have is a command.
    fn only_tester(
        &self,
        command: &Located<&str>,
        (built_in, checker, interactor): Keys<'_>,
    ) -> Option<ExternalChecker> {
        if let Some(second) = built_in.or(interactor) {
            let keep = "keep `tester-command` alone, or with the `checker-command` that `judge check` runs";
            return self.section.refuse(second.span, "a problem with a tester has no other program that decides", keep);
        }
        let tester = self.program(Role::Tester, command);
        let then = match checker {
            Some(checker) => Some(Box::new(self.program(Role::Checker, &checker)?)),
            None => None,
        };
        Some(ExternalChecker { then, ..tester? })
    }

    /// Reads a command, and checks its placeholders.
    fn program(&self, role: Role, command: &Located<&str>) -> Option<ExternalChecker> {
        const SOLVER: (&str, &str) = ("solver", "what it starts as the solver");
        const ANSWER: (&str, &str) = ("answer", "the file of the answer");
        const REPORT: (&str, &str) = ("report", "the file for its score or reason");
        if role == Role::Interactor && command.value.contains("{answer}") {
            let expected = "it reads the solver's output on standard input";
            return self.section.refuse(command.span.clone(), "an interactor has no `{answer}`", expected);
        }
        let protocol = self.protocols.of_command(self.section, command.value, role)?;
        let (names, needed): (&[&str], &[(&str, &str)]) = match (role, &protocol) {
            (Role::Tester, CheckerProtocol::Judge) => {
                (&["solver", "input", "seed", "expected", "report"], &[SOLVER, REPORT])
            }
            (Role::Tester, _) => (&["solver", "input", "seed", "expected"], &[SOLVER]),
            (Role::Checker, CheckerProtocol::Judge | CheckerProtocol::Regex(_)) => {
                (&["input", "answer", "expected"], &[ANSWER])
            }
            (Role::Checker, CheckerProtocol::Testlib(_)) => (&["input", "answer", "expected", "result"], &[]),
            (Role::Checker, CheckerProtocol::Kattis(_)) => (&["input", "answer", "expected"], &[]),
            (Role::Interactor, CheckerProtocol::Judge) => (&["input", "report", "expected"], &[REPORT]),
            (Role::Interactor, CheckerProtocol::Testlib(_)) => (&["input", "output", "expected"], &[]),
            (Role::Interactor, _) => (&["input", "expected"], &[]),
        };
        let what = role.name();
        let mut is_complete = check_command(self.section, &format!("{what}-command"), command, names);
        for (name, is) in needed {
            is_complete &= require(self.section, command, what, name, is);
        }
        let command = self.place.command(protocols::plain_line(&protocol, command.value));
        is_complete.then(|| ExternalChecker { role, command, protocol, answers: self.answers.clone(), then: None })
    }
}

fn built_in_checker(section: &Section<'_>, name: &Located<&str>) -> Option<&'static Checker> {
    if name.value.contains([' ', '{']) {
        let message = format!("there is no built-in checker `{}`", name.value);
        return section.refuse(name.span.clone(), message, "the key of a command is `checker-command`");
    }
    let ids: Vec<&str> = checkers::all().iter().map(|checker| checker.id).chain([TOKENS]).collect();
    checkers::find(name.value).or_else(|| section.unknown(name, "built-in checker", &ids))
}

/// Reads the setter's generator, or selects a version of the built-in one.
pub(super) fn generator(
    section: &Section<'_>,
    checker: Option<&CheckerChoice>,
    place: Place<'_>,
    parameters: &[GeneratorParameter],
) -> Option<GeneratorChoice> {
    let command = section.text("generator-command");
    let version = section.integer::<usize>("generator-version", "a version: a whole number from 1");
    let list = section.text("generator-seeds");
    let generators = match checker? {
        CheckerChoice::BuiltIn(checker) if command.is_none() => checker.generators,
        _ => &[],
    };
    let chosen = version.as_ref().map_or(1, |version| version.value);
    let generator = chosen.checked_sub(1).and_then(|index| generators.get(index));
    if let (None, Some(Located { value, span })) = (generator, version) {
        let expected = match generators.len() {
            0 => "only built-in generators have versions: remove it".to_owned(),
            1 => "the only one is 1".to_owned(),
            most => format!("expected 1 to {most}"),
        };
        section.complain(span, format!("there is no version {value} of the generator"), expected);
    }
    let takes_list = match &command {
        Some(command) => command.value.contains("{seeds-file}"),
        // A bad command was reported.
        None => section.has("generator-command"),
    };
    if let (Some(Located { span, .. }), false) = (&list, takes_list) {
        let expected = "only a `generator-command` with `{seeds-file}` reads seeds from a file: remove it";
        section.complain(span.clone(), "the generator takes no list of seeds", expected);
    }
    match command {
        Some(command) if command.value.contains("{seeds-file}") => {
            if let Some(at) = command.value.find("{seed}") {
                let expected = "remove it: this generator makes the cases of all seeds in `{seeds-file}` at once";
                return section.refuse(span_at(&command, at, 6), "`{seed}` stands beside `{seeds-file}`", expected);
            }
            let is_known = check_command(section, "generator-command", &command, &["seeds-file", "output-folder"]);
            let seeds = list.map(|list| place.folder.join(list.value));
            let command = place.command(command.value);
            is_known.then_some(GeneratorChoice::Files(FileGenerator { command, seeds }))
        }
        Some(command) => {
            let names = parameters.iter().map(|parameter| &*parameter.name);
            let names: Vec<&str> = ["seed", "seeds-file"].into_iter().chain(names).collect();
            let is_complete = check_command(section, "generator-command", &command, &names)
                & require(section, &command, "generator", "seed", "the seed of the case");
            is_complete.then(|| GeneratorChoice::Command(place.command(command.value)))
        }
        None if takes_seeds(checker?) => Some(GeneratorChoice::Seed),
        None => generator.map(|&generator| GeneratorChoice::BuiltIn { generator, version: chosen }),
    }
}

/// Reads the parameters of the setter's generator, or returns the built-in one's.
pub(super) fn generator_parameters(section: &Section<'_>, checker: Option<&CheckerChoice>) -> Vec<GeneratorParameter> {
    let command = section.text("generator-command").map_or("", |command| command.value);
    let Some(ranges) = section.section("generator-parameters", "[problem.generator-parameters]") else {
        let Some(CheckerChoice::BuiltIn(checker)) = checker.filter(|_| command.is_empty()) else { return Vec::new() };
        let ranges = checker.parametric.map_or(&[][..], |parametric| parametric.parameters);
        let read = |&(name, range): &(&str, &str)| GeneratorParameter::read(name, range).ok();
        return ranges.iter().filter_map(read).collect();
    };
    // The placeholder of a bad parameter still counts as known.
    let bad = |name: &str| Some(GeneratorParameter { name: name.to_owned(), domain: Domain::Categories(Vec::new()) });
    let read = |(name, range): (Located<&str>, Option<Located<String>>)| {
        if !is_feature_name(name.value) || ["seed", "folder"].contains(&name.value) {
            let expected = "expected a letter, then letters, digits and `_`; not `seed` or `folder`";
            return ranges.refuse(name.span, format!("bad parameter name `{}`", name.value), expected);
        }
        if !command.contains(&format!("{{{}}}", name.value)) {
            let expected = format!("write `{{{}}}` in `generator-command`", name.value);
            return ranges.refuse(name.span, format!("the parameter `{}` is used nowhere", name.value), expected);
        }
        let Some(range) = range else { return bad(name.value) };
        match GeneratorParameter::read(name.value, &range.value) {
            Ok(parameter) => Some(parameter),
            Err(error) => {
                let expected = match error {
                    InvalidParameter::Form => {
                        "expected \"1..100\", \"1..100:log\", \"0.0..1.0\" or [\"a\", \"b\"]".to_owned()
                    }
                    InvalidParameter::OneCategory => "expected \"1..100\", or at least two choices".to_owned(),
                    error => error.to_string(),
                };
                ranges.complain(range.span, format!("bad range of the parameter `{}`", name.value), expected);
                bad(name.value)
            }
        }
    };
    ranges.entries_or_lists().into_iter().filter_map(read).collect()
}

/// Returns whether a tester makes the cases itself.
fn takes_seeds(checker: &CheckerChoice) -> bool {
    let tester = checker.program().filter(|program| program.role == Role::Tester);
    tester.is_some_and(|tester| tester.command.line.contains("{seed}"))
}

/// Reads the viewer for `judge view`.
pub(super) fn viewer(section: &Section<'_>, place: Place<'_>) -> Option<Viewer> {
    let (command, page) = (section.text("view-command"), section.text("view-file"));
    let Some(command) = command else {
        if let (Some(Located { span, .. }), false) = (page, section.has("view-command")) {
            section.complain(span, "no command makes this page", "add `view-command`, or remove it");
        }
        return None;
    };
    let is_complete = check_command(section, "view-command", &command, &["input", "answer", "expected"])
        & require(section, &command, "viewer", "answer", "the file of the answer")
        & require(section, &command, "viewer", "folder", "the folder of its program: it runs in another one");
    if page.is_none() {
        section.missing("view-file", "\"vis.html\"`, the page that the `view-command` makes");
    }
    let command = place.command(command.value);
    page.filter(|_| is_complete).map(|page| Viewer { command, page: page.value.into() })
}

/// Reports a command line without words or whose quotes do not match, and unknown placeholders. Returns whether there is
/// none of these.
pub(super) fn check_command(section: &Section<'_>, key: &str, command: &Located<&str>, names: &[&str]) -> bool {
    let expected = match shell_words::split(command.value) {
        Ok(words) if !words.is_empty() => return check_placeholders(section, key, command, names),
        Ok(_) => "expected a command line: a program and its arguments",
        Err(_) => "expected a command line whose quotes match",
    };
    section.bad_value::<()>(key, command.span.clone(), expected);
    false
}

/// Reports unknown `{name}` placeholders of a command, and returns whether there are none. Within single quotes, where
/// shells and awk use braces themselves, only misspelt names are reported.
pub(super) fn check_placeholders(section: &Section<'_>, key: &str, command: &Located<&str>, names: &[&str]) -> bool {
    let mut all_known = true;
    for (place, name, mut expected) in unknown_placeholders(command.value, names) {
        if names.contains(&"seed") && key == "generator-command" && is_feature_name(name) {
            expected += &format!("; or add `generator-parameters = {{ {name} = \"1..100\" }}`");
        }
        let span = span_at(command, place, name.len() + 2);
        section.complain(span, format!("unknown placeholder `{{{name}}}` in `{key}`"), expected);
        all_known = false;
    }
    all_known
}

/// Returns the position and the name of each unknown `{name}` placeholder of a command, and what is expected there.
pub fn unknown_placeholders<'a>(line: &'a str, names: &[&str]) -> impl Iterator<Item = (usize, &'a str, String)> {
    found(line).filter(|(_, name, _)| !names.contains(name) && *name != "folder").filter_map(
        |(place, name, is_quoted)| {
            let expected = match closest(name, names.iter().copied()) {
                Some(meant) => format!("did you mean `{{{meant}}}`?"),
                None if is_quoted => return None,
                None => format!("expected `{{{}}}`", names.join("}` or `{")),
            };
            Some((place, name, expected))
        },
    )
}

/// Reports a command without the placeholder `{name}`, unless a misspelt one was reported. Returns whether it has the
/// placeholder.
fn require(section: &Section<'_>, command: &Located<&str>, what: &str, name: &str, is: &str) -> bool {
    let has = command.value.contains(&format!("{{{name}}}"));
    // An empty command was reported.
    let is_empty = command.value.trim().is_empty();
    if !has && !is_empty && !found(command.value).any(|(_, other, _)| closest(other, [name]).is_some()) {
        section.complain(
            command.span.clone(),
            format!("the {what} has no `{{{name}}}`"),
            format!("add `{{{name}}}`, {is}"),
        );
    }
    has
}

/// Returns the place of some bytes of a command. If escapes make it unknown, it is the place of the whole command.
fn span_at(command: &Located<&str>, place: usize, length: usize) -> Range<usize> {
    let is_plain = command.span.len() == command.value.len() + 2;
    let start = command.span.start + 1 + place;
    if is_plain { start..start + length } else { command.span.clone() }
}

/// Returns the placeholders of a command: position, name, and whether it is in single quotes.
fn found(line: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    line.match_indices('{').filter_map(|(place, _)| {
        let name = &line[place + 1..][..line[place + 1..].find('}')?];
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        let is_variable = line[..place].ends_with('$');
        (is_name && !is_variable).then(|| (place, name, line[..place].matches('\'').count() % 2 == 1))
    })
}

/// Reads the keys that only `judge verify` uses.
pub(super) fn read_verification(section: &Section<'_>, place: Place<'_>, has_generator: bool) -> Verification {
    let command = section.text("validator-command");
    let validator = command.filter(|command| check_command(section, "validator-command", command, &["input"]));
    let bad = BadAnswer::ALL.map(BadAnswer::name);
    let named = section.texts("may-accept");
    let may_accept = named.iter().filter_map(|text| {
        BadAnswer::from_name(text.value).or_else(|| section.unknown(text, "kind of bad answer", &bad))
    });
    let expected = section.sections("expect", "[[problem.expect]]");
    Verification {
        validator: validator.map(|command| place.command(command.value)),
        may_accept: may_accept.collect(),
        expectations: expected.into_iter().filter_map(|section| expectation(section, has_generator)).collect(),
    }
}

/// The fault of seeds without a generator.
pub(super) const NO_CASES_FROM_SEEDS: &str = "the problem makes no cases from seeds";

/// How a table that chooses cases of the problem is mended.
pub(super) const CASES_INSTEAD_OF_SEEDS: &str =
    "add `generator-command` to the problem, or name its cases: `cases = [\"small-*\"]`";

fn expectation(section: Section<'_>, has_generator: bool) -> Option<Expectation> {
    let solver = section.text("solver");
    let verdicts = verdicts(&section);
    let range = section.numeric::<ScoreRange>("score", "a number, or a range in quotes such as \"10-20\"");
    let least = section.numeric::<Score>("min-score", "a number: the least score");
    let most = section.numeric::<Score>("max-score", "a number: the greatest score");
    let seeds = section.parsed::<Seeds>("seeds");
    if let (Some(seeds), false) = (&seeds, has_generator) {
        section.complain(seeds.span.clone(), NO_CASES_FROM_SEEDS, CASES_INSTEAD_OF_SEEDS);
    }
    let names = section.texts("cases");
    let patterns = names.iter().filter_map(|text| pattern(&section, text)).collect();
    section.missing("solver", "\"solutions/good.py\"");
    let has_cases = seeds.is_some() || !names.is_empty();
    let score = score(&section, range, least, most);
    section.finish();
    let members = Members { names: patterns, seeds: seeds.map(|seeds| seeds.value) };
    Some(Expectation { solver: solver?.value.to_owned(), verdicts, score, cases: has_cases.then_some(members) })
}

fn verdicts(section: &Section<'_>) -> Vec<Verdict> {
    let names: Vec<&str> =
        Verdict::ALL.into_iter().filter(|verdict| can_be_expected(*verdict)).map(Verdict::name).collect();
    let texts = section.one_or_more_texts("verdict");
    let read = |text: &Located<&str>| {
        let verdict = Verdict::from_name(text.value).filter(|verdict| can_be_expected(*verdict));
        verdict.or_else(|| section.unknown(text, "verdict", &names))
    };
    let read: Vec<Verdict> = texts.iter().flatten().filter_map(read).collect();
    if read.is_empty() { vec![Verdict::Accepted] } else { read }
}

/// A failure of the judge is not the result of a solver.
fn can_be_expected(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::JudgeError | Verdict::Skipped)
}

fn score(
    section: &Section<'_>,
    range: Option<Located<ScoreRange>>,
    least: Option<Located<Score>>,
    most: Option<Located<Score>>,
) -> ScoreRange {
    if let Some(range) = range {
        if let Some(second) = least.or(most) {
            let expected = "keep either `score`, or `min-score` and `max-score`";
            section.complain(second.span, "the range of the score is given twice", expected);
        }
        return range.value;
    }
    if let (Some(Located { value: least, .. }), Some(Located { value: most, span })) = (&least, &most)
        && least > most
    {
        section.complain(span.clone(), format!("no score is at least {least} and at most {most}"), "exchange them");
    }
    ScoreRange { least: least.map(|least| least.value), most: most.map(|most| most.value) }
}

/// Reads a pattern of case names.
pub(super) fn pattern(section: &Section<'_>, text: &Located<&str>) -> Option<Pattern> {
    match Pattern::new(text.value) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let message = format!("`{}` is not a pattern of case names: {}", text.value, error.msg);
            section.refuse(text.span.clone(), message, "expected names such as \"tiny\" or \"small-*\"")
        }
    }
}

/// Reads the limits of solvers and of the other programs.
pub(super) fn read_limits(
    problem: &Section<'_>,
    checker: Option<&CheckerChoice>,
    generator: Option<&GeneratorChoice>,
) -> (Limits, HelperLimits) {
    let cpu = Time(Duration::from_secs(10));
    let (memory, output) = (Bytes(1 << 30), Bytes(16_000_000));
    let mut limits = Limits { cpu, wall: Limits::default_wall(cpu), memory, output, processes: 64 };
    let mut helpers = HelperLimits::default();
    let Some(section) = problem.section("limits", "[problem.limits]") else { return (limits, helpers) };
    if let Some(cpu) = limit(&section, "cpu") {
        limits.cpu = cpu;
        limits.wall = Limits::default_wall(cpu);
    }
    set(&mut limits.wall, limit(&section, "wall"));
    set(&mut limits.memory, limit(&section, "memory"));
    set(&mut limits.output, section.parsed("output").map(|output| output.value));
    let processes = section.integer("processes", "a whole number of processes, at least 1");
    if let Some(Located { value: 0_u32, span }) = &processes {
        section.complain(span.clone(), "a solver is a process itself", "expected at least 1");
    }
    set(&mut limits.processes, processes.map(|count| count.value));
    let has_others = problem.has("validator-command") || problem.has("view-command");
    read_helper_limits(&section, &mut helpers, checker, generator, has_others);
    section.finish();
    (limits, helpers)
}

/// Reads the limits of the setter's programs. `has_others`: the problem has a validator or a viewer. They have the limits
/// of a checker.
fn read_helper_limits(
    section: &Section<'_>,
    limits: &mut HelperLimits,
    checker: Option<&CheckerChoice>,
    generator: Option<&GeneratorChoice>,
    has_others: bool,
) {
    let is_external = has_others
        || checker.is_none_or(|checker| {
            checker.program().is_some_and(|program| program.role == Role::Checker || program.then.is_some())
        });
    let is_interactive = checker.is_none_or(|checker| checker.role() == Role::Interactor);
    let is_tester = checker.is_none_or(|checker| checker.role() == Role::Tester);
    let is_command = !matches!(generator, Some(GeneratorChoice::BuiltIn { .. } | GeneratorChoice::Seed));
    let deciders = "checker-command` or `interactor-command";
    if let Some(cpu) = limit(section, "compile-cpu") {
        limits.compiler.cpu = cpu;
        limits.compiler.wall = CompileLimits::default_wall(cpu);
    }
    set(&mut limits.compiler.wall, limit(section, "compile-wall"));
    set(&mut limits.compiler.memory, limit(section, "compile-memory"));
    set(&mut limits.checker.wall, of_command(section, "checker-wall", is_external, "checker-command"));
    set(&mut limits.checker.memory, of_command(section, "checker-memory", is_external || is_interactive, deciders));
    set(&mut limits.interactor, of_command(section, "interactor-wall", is_interactive, "interactor-command"));
    set(&mut limits.tester, of_command(section, "tester-wall", is_tester, "tester-command"));
    set(&mut limits.generator.wall, of_command(section, "generator-wall", is_command, "generator-command"));
    set(&mut limits.generator.memory, of_command(section, "generator-memory", is_command, "generator-command"));
    limits.source = limit(section, "source-size");
}

/// Reads a limit. It must be above zero.
fn limit<T>(section: &Section<'_>, key: &'static str) -> Option<T>
where
    T: FromStr<Err: Display> + Default + PartialEq,
{
    let Located { value, span } = section.parsed::<T>(key)?;
    if value == T::default() { section.bad_value(key, span, "expected more than zero") } else { Some(value) }
}

/// Reads a limit of a command. Reports it if the problem does not have the command.
fn of_command<T>(section: &Section<'_>, key: &'static str, is_there: bool, command: &str) -> Option<T>
where
    T: FromStr<Err: Display> + Default + PartialEq,
{
    let limit = limit::<T>(section, key)?;
    if let Some(span) = section.place(key).filter(|_| !is_there) {
        section.complain(span, format!("the problem has no `{command}`"), format!("remove `{key}`"));
    }
    Some(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_other_braces() {
        let names = |line| found(line).map(|(_, name, quoted)| (name, quoted)).collect::<Vec<_>>();
        assert_eq!(names("gen {seed} --n={ n }"), [("seed", false), (" n ", false)]);
        assert_eq!(names("awk '{print}' {input}"), [("print", true), ("input", false)]);
        assert_eq!(names("sh -c 'echo ${HOME} {a,b} {} {' {"), []);
    }
}
