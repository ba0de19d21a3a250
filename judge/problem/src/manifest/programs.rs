//! Reads the programs of a problem: its checker or interactor, and its generator.

use super::placeholders;
use super::protocols::{self, Protocols, Role};
use super::section::{Located, Section};
use super::suggest::closest;
use crate::model::{
    AnswerFiles, CheckerChoice, CheckerProtocol, CommandTemplate, CompiledNeeds, ExternalChecker, FileGenerator,
    GeneratorChoice, TOKENS, Tester, Viewer,
};
use checkers::Checker;
use std::path::Path;

/// Where the commands of a problem run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    /// Whether they run outside the sandbox.
    pub(super) trusted: bool,
}

impl Place<'_> {
    /// Returns a command that runs here.
    pub(super) fn command(self, line: impl Into<String>) -> CommandTemplate {
        CommandTemplate {
            line: line.into(),
            folder: self.folder.to_owned(),
            trusted: self.trusted,
            compiled: CompiledNeeds::default(),
        }
    }
}

/// Reads the checker or interactor.
pub(super) fn checker(section: &Section<'_>, place: Place<'_>) -> Option<CheckerChoice> {
    let protocols = Protocols::read(section);
    let answers = protocols::answers(section, place.folder);
    let keys = (section.text("checker"), section.text("checker-command"), section.text("interactor-command"));
    let tester = section.text("tester-command");
    let speaker = Speaker { section, protocols: &protocols, place, answers: &answers };
    if let Some(tester) = tester {
        return speaker.only_tester(&tester, keys).map(CheckerChoice::Tester);
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
        (None, Some(command), None) => speaker.checker(&command).map(CheckerChoice::External),
        (None, None, Some(command)) => speaker.interactor(&command).map(CheckerChoice::Interactor),
        (None, Some(checker), Some(interactor)) if protocols.is("testlib") => {
            let (then, interactor) = (speaker.checker(&checker), speaker.interactor(&interactor));
            let (then, interactor) = (Box::new(then?), interactor?);
            Some(CheckerChoice::Interactor(ExternalChecker { then: Some(then), ..interactor }))
        }
        (None, None, None) => {
            let others = "`checker-command = \"./check {input} {answer}\"`, \
                          `interactor-command = \"./interact {input} {report}\"` or \
                          `tester-command = \"./tester {solver} {report}\"";
            section.missing("checker", &format!("\"columns\"` (a built-in one), {others}"));
            None
        }
        (_, Some(second), None) | (_, _, Some(second)) => {
            let keep = "keep one of `checker`, `checker-command` and `interactor-command`";
            section.complain(second.span, "a problem has one checker", keep);
            None
        }
    }
}

/// Reads the commands of a problem under its protocol.
struct Speaker<'s, 'a> {
    section: &'s Section<'a>,
    protocols: &'s Protocols<'a>,
    place: Place<'s>,
    answers: &'s AnswerFiles,
}

/// The keys that name a checker: a built-in one, a command, an interactor.
type Keys<'a> = (Option<Located<&'a str>>, Option<Located<&'a str>>, Option<Located<&'a str>>);

impl Speaker<'_, '_> {
    /// Reads a tester, beside which only a command checks answers.
    fn only_tester(&self, command: &Located<&str>, (built_in, checker, interactor): Keys<'_>) -> Option<Tester> {
        if let Some(second) = built_in.or(interactor) {
            let keep = "keep `tester-command` alone, or with the `checker-command` that `judge check` runs";
            self.section.complain(second.span, "a problem with a tester has no other program that decides", keep);
            return None;
        }
        let (program, checker) = (self.tester(command), checker.map(|checker| self.checker(&checker)));
        Some(Tester {
            program: program?,
            checker: checker.map_or(Some(None), |checker| checker.map(|checker| Some(Box::new(checker))))?,
        })
    }

    fn tester(&self, command: &Located<&str>) -> Option<ExternalChecker> {
        let protocol = self.protocols.of_command(self.section, command.value, Role::Tester)?;
        let (key, what) = ("tester-command", "tester");
        let is_judge = matches!(protocol, CheckerProtocol::Judge);
        let names = ["solver", "input", "seed", "expected", "report"];
        let names = if is_judge { &names[..] } else { &names[..4] };
        let needed = |name, is| placeholders::require(self.section, command, what, name, is);
        let is_complete = placeholders::check(self.section, key, command, names)
            & needed("solver", "what it starts as the solver")
            & (!is_judge || needed("report", "the file for its score or reason"));
        is_complete.then(|| self.external(command.value, protocol))
    }

    fn checker(&self, command: &Located<&str>) -> Option<ExternalChecker> {
        let protocol = self.protocols.of_command(self.section, command.value, Role::Checker)?;
        let (key, what) = ("checker-command", "checker");
        let (names, needs_answer): (&[&str], bool) = match protocol {
            CheckerProtocol::Judge | CheckerProtocol::Regex(_) => (&["input", "answer", "expected"], true),
            CheckerProtocol::Testlib(_) => (&["input", "answer", "expected", "result"], false),
            CheckerProtocol::Kattis(_) => (&["input", "answer", "expected"], false),
        };
        let needed = || placeholders::require(self.section, command, what, "answer", "the file of the answer");
        let is_complete = placeholders::check(self.section, key, command, names) & (!needs_answer || needed());
        is_complete.then(|| self.external(command.value, protocol))
    }

    fn interactor(&self, command: &Located<&str>) -> Option<ExternalChecker> {
        if command.value.contains("{answer}") {
            let expected = "it reads the solver's output on standard input";
            self.section.complain(command.span.clone(), "an interactor has no `{answer}`", expected);
            return None;
        }
        let protocol = self.protocols.of_command(self.section, command.value, Role::Interactor)?;
        let (key, what) = ("interactor-command", "interactor");
        let (names, needs_report): (&[&str], bool) = match protocol {
            CheckerProtocol::Judge => (&["input", "report", "expected"], true),
            CheckerProtocol::Testlib(_) => (&["input", "output", "expected"], false),
            CheckerProtocol::Kattis(_) | CheckerProtocol::Regex(_) => (&["input", "expected"], false),
        };
        let needed =
            || placeholders::require(self.section, command, what, "report", "the file for its score or reason");
        let is_complete = placeholders::check(self.section, key, command, names) & (!needs_report || needed());
        is_complete.then(|| self.external(command.value, protocol))
    }

    fn external(&self, line: &str, protocol: CheckerProtocol) -> ExternalChecker {
        let command = self.place.command(protocols::plain_line(&protocol, line));
        ExternalChecker { command, source_line: None, protocol, answers: self.answers.clone(), then: None }
    }
}

fn built_in_checker(section: &Section<'_>, name: &Located<&str>) -> Option<&'static dyn Checker> {
    let found = checkers::find(name.value);
    if found.is_none() {
        let ids = || checkers::all().iter().map(|checker| checker.id()).chain([TOKENS]);
        let expected = match closest(name.value, ids()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("expected one of: {}", ids().collect::<Vec<_>>().join(", ")),
        };
        section.complain(name.span.clone(), format!("there is no built-in checker `{}`", name.value), expected);
    }
    found
}

/// Reads the setter's generator, or chooses a version of the built-in checker's.
pub(super) fn generator(
    section: &Section<'_>,
    checker: Option<&CheckerChoice>,
    place: Place<'_>,
) -> Option<GeneratorChoice> {
    let command = section.text("generator-command");
    let version = section.integer::<usize>("generator-version", "a version: a whole number from 1");
    let generators = match checker? {
        CheckerChoice::BuiltIn(checker) if command.is_none() => checker.generators(),
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
    let list = section.text("generator-seeds");
    let takes_list = command.as_ref().is_some_and(|command| command.value.contains("{seeds-file}"));
    if let (Some(Located { span, .. }), false) = (&list, takes_list) {
        let expected = "only a `generator-command` with `{seeds-file}` reads seeds from a file: remove it";
        section.complain(span.clone(), "the generator takes no list of seeds", expected);
    }
    match command {
        Some(command) if command.value.contains("{seeds-file}") => {
            let is_known =
                placeholders::check(section, "generator-command", &command, &["seeds-file", "output-folder"]);
            let seeds = list.map(|list| place.folder.join(list.value));
            let command = place.command(command.value);
            is_known.then_some(GeneratorChoice::Files(FileGenerator { command, seeds }))
        }
        Some(command) => {
            let is_complete = placeholders::check(section, "generator-command", &command, &["seed", "seeds-file"])
                & placeholders::require(section, &command, "generator", "seed", "the seed of the case");
            is_complete.then(|| GeneratorChoice::Command(place.command(command.value)))
        }
        None if takes_seeds(checker?) => Some(GeneratorChoice::Seed),
        None => generator.map(|&generator| GeneratorChoice::BuiltIn { generator, version: chosen }),
    }
}

/// Returns whether a tester makes its cases itself.
fn takes_seeds(checker: &CheckerChoice) -> bool {
    matches!(checker, CheckerChoice::Tester(tester) if tester.program.command.line.contains("{seed}"))
}

/// Reads what draws an answer for `judge view`.
pub(super) fn viewer(section: &Section<'_>, place: Place<'_>) -> Option<Viewer> {
    let (command, page) = (section.text("view-command"), section.text("view-file"));
    let Some(command) = command else {
        if let Some(Located { span, .. }) = page {
            section.complain(span, "no command makes this page", "add `view-command`, or remove it");
        }
        return None;
    };
    let is_complete = placeholders::check(section, "view-command", &command, &["input", "answer", "expected"])
        & placeholders::require(section, &command, "viewer", "answer", "the file of the answer")
        & placeholders::require(
            section,
            &command,
            "viewer",
            "folder",
            "the folder of its program: it runs in another one",
        );
    if page.is_none() {
        section.missing("view-file", "\"vis.html\"`, the page that the `view-command` makes");
    }
    let command = place.command(command.value);
    page.filter(|_| is_complete).map(|page| Viewer { command, page: page.value.into() })
}
