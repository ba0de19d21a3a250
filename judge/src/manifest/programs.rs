//! Reads the programs of a problem: its checker or interactor, and its generator.

use super::placeholders;
use super::protocols::{self, Protocols};
use super::section::{Located, Section};
use super::suggest::closest;
use crate::model::{
    AnswerFiles, CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker, GeneratorChoice, TOKENS,
};
use checkers::Checker;
use std::path::Path;

/// Reads the checker or interactor.
pub(super) fn checker(section: &Section<'_>, folder: &Path) -> Option<CheckerChoice> {
    let protocols = Protocols::read(section);
    let answers = protocols::answers(section, folder);
    let keys = (section.text("checker"), section.text("checker-command"), section.text("interactor-command"));
    let speaker = Speaker { section, protocols: &protocols, folder, answers: &answers };
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
            let others = "`checker-command = \"./check {input} {answer}\"` or \
                          `interactor-command = \"./interact {input} {report}\"";
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
    folder: &'s Path,
    answers: &'s AnswerFiles,
}

impl Speaker<'_, '_> {
    fn checker(&self, command: &Located<&str>) -> Option<ExternalChecker> {
        let protocol = self.protocols.of_command(self.section, command.value, false)?;
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
        let protocol = self.protocols.of_command(self.section, command.value, true)?;
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
        let line = protocols::plain_line(&protocol, line);
        let command = CommandTemplate { line, folder: self.folder.to_owned() };
        ExternalChecker { command, protocol, answers: self.answers.clone(), then: None }
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
pub(super) fn generator(section: &Section<'_>, checker: Option<&CheckerChoice>) -> Option<GeneratorChoice> {
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
    match command {
        Some(command) => {
            let is_complete = placeholders::check(section, "generator-command", &command, &["seed"])
                & placeholders::require(section, &command, "generator", "seed", "the seed of the case");
            is_complete.then(|| GeneratorChoice::Command(command.value.to_owned()))
        }
        None => generator.map(|&generator| GeneratorChoice::BuiltIn { generator, version: chosen }),
    }
}
