//! Reads one `[[problem]]` of the catalogue.

use super::section::{Located, Section};
use super::suggest::closest;
use crate::model::{
    Bytes, CaseName, CaseSource, CaseSpec, CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker,
    GeneratorChoice, Limits, Problem, Rule, Seeds, Thresholds, Time, Weight,
};
use checkers::{Checker, Score};
use std::path::Path;
use std::time::Duration;

/// The limits of a problem that sets none: CPU time, memory, output and processes.
const DEFAULT_LIMITS: (Time, Bytes, Bytes, u32) =
    (Time(Duration::from_secs(10)), Bytes(1 << 30), Bytes(16_000_000), 64);

/// Reads a problem. `None` if it has errors; they are among the complaints.
pub(super) fn read(section: Section<'_>, folder: &Path) -> Option<Problem> {
    let id = id(&section);
    let title = section.text("title");
    let source = section.text("source");
    let format = section.text("format");
    let checker = checker(&section, folder);
    let generator = generator(&section, checker.as_ref());
    let default_solver = section.text("solver");
    let limits = limits(&section);
    let scoring = super::scoring::read(&section, folder);
    let mut cases = seeds(&section);
    cases.extend(section.sections("case", "[[problem.case]]").into_iter().filter_map(|case| read_case(case, folder)));
    let inputs = section.texts("inputs");
    let features = super::features::read(&section);
    let test_groups = super::test_groups::read(&section, &cases, !inputs.is_empty());
    check_cases(&section, &scoring.rule, &cases, !inputs.is_empty());
    section.finish();

    let (id, checker) = (id?, checker?);
    Some(Problem {
        title: title.map_or(&*id, |title| title.value).to_owned(),
        id,
        source: source.map_or_else(String::new, |source| source.value.to_owned()),
        format: format.map_or_else(String::new, |format| format.value.to_owned()),
        generator,
        checker,
        limits,
        cases,
        inputs: inputs.into_iter().map(|pattern| pattern.value.to_owned()).collect(),
        scoring: scoring.rule,
        direction: scoring.direction,
        failure: scoring.failure,
        best: scoring.best,
        test_groups,
        features,
        default_solver: default_solver.map(|solver| solver.value.to_owned()),
        folder: folder.to_owned(),
    })
}

fn id(section: &Section<'_>) -> Option<String> {
    let Some(Located { value, span }) = section.text("id") else {
        section.missing("id", "\"my-problem\"");
        return None;
    };
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if value.is_empty() || !value.chars().all(valid) {
        section.complain(span, format!("bad id `{value}`"), "expected lower-case letters, digits, `-` and `_`");
        return None;
    }
    Some(value.to_owned())
}

fn checker(section: &Section<'_>, folder: &Path) -> Option<CheckerChoice> {
    match (section.text("checker"), section.text("checker-command"), section.text("interactor-command")) {
        (Some(name), None, None) => built_in_checker(section, &name).map(CheckerChoice::BuiltIn),
        (None, Some(command), None) => Some(CheckerChoice::External(external(command.value, folder))),
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

fn interactor(section: &Section<'_>, command: &Located<&str>, folder: &Path) -> Option<CheckerChoice> {
    let complain = |message: &str, expected: &str| section.complain(command.span.clone(), message, expected);
    if !command.value.contains("{report}") {
        complain("the interactor has no file for its score", "add `{report}`, the path of that file");
        return None;
    }
    if command.value.contains("{answer}") {
        complain("an interactor has no `{answer}`", "it reads the solver's output on standard input");
        return None;
    }
    Some(CheckerChoice::Interactor(external(command.value, folder)))
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
fn generator(section: &Section<'_>, checker: Option<&CheckerChoice>) -> Option<GeneratorChoice> {
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
        Some(command) => Some(GeneratorChoice::Command(command.value.to_owned())),
        None => generator.map(|&generator| GeneratorChoice::BuiltIn { generator, version: chosen }),
    }
}

fn limits(problem: &Section<'_>) -> Limits {
    let (cpu, memory, output, processes) = DEFAULT_LIMITS;
    let Some(section) = problem.section("limits", "[problem.limits]") else {
        return Limits { cpu, wall: Limits::default_wall(cpu), memory, output, processes };
    };
    let cpu = section.parsed("cpu").map_or(cpu, |cpu| cpu.value);
    let wall = section.parsed("wall").map_or_else(|| Limits::default_wall(cpu), |wall| wall.value);
    let memory = section.parsed("memory").map_or(memory, |memory| memory.value);
    let output = section.parsed("output").map_or(output, |output| output.value);
    let processes = section.integer("processes", "a whole number of processes, at least 1");
    if let Some(Located { value: 0_u32, span }) = &processes {
        section.complain(span.clone(), "a solver is a process itself", "expected at least 1");
    }
    section.finish();
    Limits { cpu, wall, memory, output, processes: processes.map_or(DEFAULT_LIMITS.3, |count| count.value) }
}

fn seeds(section: &Section<'_>) -> Vec<CaseSpec> {
    let seeds = section.parsed::<Seeds>("seeds");
    seeds.map_or_else(Vec::new, |seeds| seeds.value.iter().map(CaseSpec::from_seed).collect())
}

fn read_case(section: Section<'_>, folder: &Path) -> Option<CaseSpec> {
    let name = section.text("name");
    let seed = section.integer::<u64>("seed", "a seed: a whole number from 0");
    let file = section.text("file");
    let thresholds = section.integers::<Score>("thresholds", "nine integers, for ten down to two points");
    let best = section.integer::<Score>("best", "an integer: the best score known");
    let weight = section.numeric::<Weight>("weight", "a weight such as 2, 0.5 or \"1/3\"");
    let thresholds = thresholds.and_then(|list| match Thresholds::new(list.value) {
        Ok(thresholds) => Some(thresholds),
        Err(error) => {
            section.complain(list.span, "bad thresholds", error.to_string());
            None
        }
    });
    let source = match (seed, file) {
        (Some(seed), None) => Some(CaseSource::Seed(seed.value)),
        (None, Some(file)) => Some(CaseSource::File(folder.join(file.value))),
        (None, None) => {
            section.missing("seed", "1` or `file = \"data/1.in\"");
            None
        }
        (Some(_), Some(file)) => {
            section.complain(file.span, "a case has one input", "remove either `seed` or `file`");
            None
        }
    };
    section.finish();
    let source = source?;
    let name = match (name, &source) {
        (Some(name), _) => CaseName::from(name.value),
        (None, CaseSource::Seed(seed)) => CaseName::of_seed(*seed),
        (None, CaseSource::File(path)) => CaseName::of_file(path),
    };
    let weight = weight.map_or_else(Weight::default, |weight| weight.value);
    Some(CaseSpec { name, source, thresholds, best: best.map(|best| best.value), weight })
}

/// Reports duplicate case names, and cases without the thresholds that the scoring rule needs.
fn check_cases(section: &Section<'_>, rule: &Rule, cases: &[CaseSpec], has_inputs: bool) {
    let mut names = std::collections::HashSet::new();
    for case in cases {
        if !names.insert(&case.name) {
            section.complain(
                section.span(),
                format!("two cases are named `{}`", case.name),
                "give each its own `name`",
            );
        }
        if rule.needs_thresholds() && case.thresholds.is_none() {
            let message = format!("the case `{}` has no thresholds, and the scoring rule needs them", case.name);
            section.complain(section.span(), message, "add `thresholds = […]` to its [[problem.case]]");
        }
    }
    if cases.is_empty() && !has_inputs {
        section.complain(
            section.span(),
            "the problem has no cases",
            "add `seeds = \"1-10\"`, `inputs = [\"data/*.in\"]` or [[problem.case]]",
        );
    }
}
