//! Reads the programs of a problem: its checker or interactor, and its generator.

use super::placeholders;
use super::section::{Located, Section};
use super::suggest::closest;
use crate::model::{CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker, GeneratorChoice};
use checkers::Checker;
use std::path::Path;

/// Reads the checker or interactor.
pub(super) fn checker(section: &Section<'_>, folder: &Path) -> Option<CheckerChoice> {
    match (section.text("checker"), section.text("checker-command"), section.text("interactor-command")) {
        (Some(name), None, None) => built_in_checker(section, &name).map(CheckerChoice::BuiltIn),
        (None, Some(command), None) => external_checker(section, &command, folder),
        (None, None, Some(command)) => interactor(section, &command, folder),
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

fn external_checker(section: &Section<'_>, command: &Located<&str>, folder: &Path) -> Option<CheckerChoice> {
    let (key, names) = ("checker-command", ["input", "answer"]);
    let is_complete = placeholders::check(section, key, command, &names)
        & placeholders::require(section, command, "checker", "answer", "the file of the answer");
    is_complete.then(|| CheckerChoice::External(external(command.value, folder)))
}

fn interactor(section: &Section<'_>, command: &Located<&str>, folder: &Path) -> Option<CheckerChoice> {
    if command.value.contains("{answer}") {
        let expected = "it reads the solver's output on standard input";
        section.complain(command.span.clone(), "an interactor has no `{answer}`", expected);
        return None;
    }
    let (key, names) = ("interactor-command", ["input", "report"]);
    let is_complete = placeholders::check(section, key, command, &names)
        & placeholders::require(section, command, "interactor", "report", "the file for its score or reason");
    is_complete.then(|| CheckerChoice::Interactor(external(command.value, folder)))
}

fn external(line: &str, folder: &Path) -> ExternalChecker {
    let command = CommandTemplate { line: line.to_owned(), folder: folder.to_owned() };
    ExternalChecker { command, protocol: CheckerProtocol::Judge }
}

fn built_in_checker(section: &Section<'_>, name: &Located<&str>) -> Option<&'static dyn Checker> {
    let found = checkers::find(name.value);
    if found.is_none() {
        let ids = || checkers::all().iter().map(|checker| checker.id());
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
