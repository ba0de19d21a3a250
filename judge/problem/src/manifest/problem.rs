//! Reads one `[[problem]]` of the catalogue.

use super::limits;
use super::programs::{self, Place};
use super::section::{Located, Section};
use crate::model::{
    BestOrigin, CaseList, CaseName, CaseSource, CaseSpec, Direction, KnownBest, Problem, Rule, Seeds, TestGroup,
    Thresholds, Weight,
};
use checkers::Score;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The file of a case, and that of its answer.
type NamedAnswer = (PathBuf, PathBuf);

/// Reads a problem. `None` if it has errors; they are among the complaints.
pub(super) fn read(section: Section<'_>, folder: &Path) -> Option<Problem> {
    let id = id(&section);
    let title = section.text("title");
    let source = section.text("source");
    let format = section.text("format");
    let trusted = section.boolean("trusted").is_some_and(|trusted| trusted.value);
    let place = Place { folder, trusted };
    let mut checker = programs::checker(&section, place);
    let generator = programs::generator(&section, checker.as_ref(), place);
    let viewer = programs::viewer(&section, place);
    let default_solver = section.text("solver");
    let (limits, helper_limits) = limits::read(&section, checker.as_ref(), generator.as_ref());
    let scoring = super::scoring::read(&section, folder);
    let mut cases = seeds(&section);
    let mut named = Vec::new();
    for case in section.sections("case", "[[problem.case]]") {
        cases.extend(read_case(case, folder, scoring.direction, &mut named));
    }
    if let Some(checker) = &mut checker {
        checker.name_answers(named_answers(&section, named));
    }
    let (inputs, features) = (section.texts("inputs"), super::features::read(&section));
    let test_groups = groups(&section, &mut cases, !inputs.is_empty(), generator.is_some());
    let verification = super::verification::read(&section, place);
    check_cases(&section, &scoring.rule, &cases, !inputs.is_empty());
    section.finish();

    let (id, checker) = (id?, checker?);
    Some(Problem {
        title: title.map_or(&*id, |title| title.value).to_owned(),
        id,
        source: source.map_or_else(String::new, |source| source.value.to_owned()),
        format: format.map_or_else(String::new, |format| format.value.to_owned()),
        generator,
        generator_source: None,
        checker,
        limits,
        helper_limits,
        cases,
        inputs: inputs.into_iter().map(|pattern| pattern.value.to_owned()).collect(),
        scoring: scoring.rule,
        direction: scoring.direction,
        failure: scoring.failure,
        best: scoring.best,
        test_groups,
        features,
        default_solver: default_solver.map(|solver| solver.value.to_owned()),
        viewer,
        verification,
        trusted,
        folder: folder.to_owned(),
    })
}

fn id(section: &Section<'_>) -> Option<String> {
    let Some(Located { value, span }) = section.text("id") else {
        section.missing("id", "\"my-problem\"");
        return None;
    };
    if !Problem::is_id(value) {
        section.complain(span, format!("bad id `{value}`"), "expected lower-case letters, digits, `-` and `_`");
        return None;
    }
    Some(value.to_owned())
}

fn seeds(section: &Section<'_>) -> CaseList {
    let seeds = section.parsed::<Seeds>("seeds");
    let mut cases = CaseList::default();
    seeds.iter().flat_map(|seeds| seeds.value.ranges()).for_each(|range| cases.push_seeds(range.clone()));
    cases
}

/// Reads the groups. Where a problem with a generator names no seeds, those of its groups are cases.
fn groups(section: &Section<'_>, cases: &mut CaseList, has_inputs: bool, has_generator: bool) -> Vec<TestGroup> {
    let groups = super::test_groups::read(section, cases, has_inputs);
    if section.place("seeds").is_none() && has_generator {
        add_seeds_of_groups(cases, &groups);
    }
    groups
}

/// Adds the cases of the seeds that only the groups of a problem name.
fn add_seeds_of_groups(cases: &mut CaseList, groups: &[TestGroup]) {
    let known: HashSet<u64> = cases.listed().filter_map(CaseSpec::seed).collect();
    for range in groups.iter().filter_map(|group| group.members.seeds.as_ref()).flat_map(Seeds::ranges) {
        let mut first = *range.start();
        for seed in range.clone().filter(|seed| known.contains(seed)) {
            if first < seed {
                cases.push_seeds(first..=seed - 1);
            }
            first = seed.saturating_add(1);
        }
        if first <= *range.end() && !known.contains(&first) {
            cases.push_seeds(first..=*range.end());
        }
    }
}

fn read_case(
    section: Section<'_>,
    folder: &Path,
    direction: Direction,
    answers: &mut Vec<Located<NamedAnswer>>,
) -> Option<CaseSpec> {
    let name = section.text("name");
    let seed = section.integer::<u64>("seed", "a seed: a whole number from 0");
    let file = section.text("file");
    let answer = section.text("answer");
    let thresholds = section.numerics::<Score>("thresholds", "numbers, the best score first");
    let points = section.numerics::<Score>("threshold-points", "numbers: the points of each threshold");
    let best = section.numeric::<Score>("best", "a number: the best score known");
    let weight = section.numeric::<Weight>("weight", "a weight such as 2, 0.5 or \"1/3\"");
    let thresholds = checked_thresholds(&section, direction, thresholds, points);
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
    match (&source, answer) {
        (Some(CaseSource::File(path)), Some(answer)) => {
            let value = (path.clone(), folder.join(answer.value));
            answers.push(Located { value, span: answer.span });
        }
        (Some(CaseSource::Seed(_)), Some(answer)) => {
            section.complain(answer.span, "a case made from a seed has no answer file", "remove `answer`");
        }
        _ => {}
    }
    section.finish();
    let source = source?;
    let name = match (name, &source) {
        (Some(name), _) => CaseName::from(name.value),
        (None, CaseSource::Seed(seed)) => CaseName::of_seed(*seed),
        (None, CaseSource::File(path)) => CaseName::of_file(path),
    };
    let weight = weight.map_or_else(Weight::default, |weight| weight.value);
    Some(CaseSpec {
        name,
        source,
        thresholds,
        best: best.map(|best| KnownBest { score: best.value, origin: BestOrigin::Problem }),
        weight,
    })
}

/// Returns the answers of the cases. Reports an input file with different answers: an answer is found by its input.
fn named_answers(section: &Section<'_>, named: Vec<Located<NamedAnswer>>) -> Vec<NamedAnswer> {
    let mut first = HashMap::new();
    for Located { value: (input, answer), span } in &named {
        let (known, known_span) = *first.entry(input).or_insert((answer, span));
        if known != answer {
            let message = format!("two cases have the same `file` and different answers: {}", input.display());
            section.complain(known_span.clone(), message.clone(), "the answer of one case");
            let mend = "the answer of the other: give both the same `answer`, or copy the input to another file";
            section.complain(span.clone(), message, mend);
        }
    }
    named.into_iter().map(|located| located.value).collect()
}

/// Returns the thresholds of a case with their points.
fn checked_thresholds(
    section: &Section<'_>,
    direction: Direction,
    thresholds: Option<Located<Vec<Score>>>,
    points: Option<Located<Vec<Score>>>,
) -> Option<Thresholds> {
    if let (None, Some(points)) = (&thresholds, &points) {
        section.complain(
            points.span.clone(),
            "points without `thresholds`",
            "add `thresholds`, the score for each of them",
        );
    }
    thresholds.and_then(|list| match Thresholds::new(direction, list.value, points.map(|points| points.value)) {
        Ok(thresholds) => Some(thresholds),
        Err(error) => {
            section.complain(list.span, "bad thresholds", error.to_string());
            None
        }
    })
}

/// Reports duplicate case names, and cases without the thresholds that the scoring rule needs.
fn check_cases(section: &Section<'_>, rule: &Rule, cases: &CaseList, has_inputs: bool) {
    for name in cases.names_twice() {
        section.complain(section.span(), format!("two cases are named `{name}`"), "give each its own `name`");
    }
    if rule.needs_thresholds() {
        for case in cases.iter().filter(|case| case.thresholds.is_none()) {
            let message = format!("the case `{}` has no thresholds, and the scoring rule needs them", case.name);
            section.complain_after(message, "add `thresholds = […]` to its [[problem.case]]");
        }
    }
    if cases.is_empty() && !has_inputs {
        section.complain_after(
            "the problem has no cases",
            "add `seeds = \"1-10\"`, `inputs = [\"data/*.in\"]` or [[problem.case]]",
        );
    }
}
