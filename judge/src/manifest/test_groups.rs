//! Reads the `[[problem.group]]` tables of a problem.

use super::section::{Located, Section};
use crate::model::{CaseSpec, Members, Seeds, TestGroup, Weight};
use glob::Pattern;
use std::ops::Range;

/// A group, its place, and the place of each of its patterns.
struct Placed {
    group: TestGroup,
    span: Range<usize>,
    pattern_spans: Vec<Range<usize>>,
}

/// Reads the groups. Reports duplicate names, cases in two groups and patterns without a case.
/// `has_inputs`: the problem has more cases than the given ones.
pub(super) fn read(problem: &Section<'_>, cases: &[CaseSpec], has_inputs: bool) -> Vec<TestGroup> {
    let sections = problem.sections("group", "[[problem.group]]");
    let groups: Vec<Placed> = sections.into_iter().filter_map(read_group).collect();
    for (index, later) in groups.iter().enumerate() {
        for earlier in &groups[..index] {
            check_pair(problem, earlier, later, cases);
        }
        if !has_inputs {
            check_patterns(problem, later, cases);
        }
    }
    groups.into_iter().map(|placed| placed.group).collect()
}

fn read_group(section: Section<'_>) -> Option<Placed> {
    let span = section.span();
    let name = section.text("name");
    let weight = section.numeric::<Weight>("weight", "a weight such as 30, 0.5 or \"1/3\"");
    let all_or_nothing = section.boolean("all-or-nothing").is_some_and(|read| read.value);
    let seeds = section.parsed::<Seeds>("seeds");
    let texts = section.texts("cases");
    let (names, pattern_spans) = texts.iter().filter_map(|text| pattern(&section, text)).unzip();
    if name.is_none() {
        section.missing("name", "\"small\"");
    }
    if seeds.is_none() && texts.is_empty() {
        section.missing("cases", "[\"small-*\"]` or `seeds = \"1-10\"");
    }
    section.finish();
    let members = Members { names, seeds: seeds.map(|seeds| seeds.value) };
    let weight = weight.map(|weight| weight.value);
    let group = TestGroup { name: name?.value.to_owned(), weight, all_or_nothing, members };
    Some(Placed { group, span, pattern_spans })
}

fn pattern(section: &Section<'_>, text: &Located<&str>) -> Option<(Pattern, Range<usize>)> {
    match Pattern::new(text.value) {
        Ok(pattern) => Some((pattern, text.span.clone())),
        Err(error) => {
            let message = format!("`{}` is not a pattern of case names: {}", text.value, error.msg);
            section.complain(text.span.clone(), message, "expected names such as \"tiny\" or \"small-*\"");
            None
        }
    }
}

fn check_pair(problem: &Section<'_>, earlier: &Placed, later: &Placed, cases: &[CaseSpec]) {
    let (first, second) = (&earlier.group, &later.group);
    if first.name == second.name {
        let message = format!("there are two groups named `{}`", second.name);
        problem.complain(later.span.clone(), message, "give one of them another `name`");
    }
    let in_both = cases.iter().find(|case| first.members.have(case) && second.members.have(case));
    let case = in_both.map(|case| format!("the case `{}`", case.name));
    let shared = || first.members.seeds.as_ref()?.shared_with(second.members.seeds.as_ref()?);
    if let Some(what) = case.or_else(|| shared().map(|seed| format!("the seed {seed}"))) {
        let message = format!("{what} is in the groups `{}` and `{}`", first.name, second.name);
        problem.complain(later.span.clone(), message, "a case counts in one group: take it out of the other");
    }
}

fn check_patterns(problem: &Section<'_>, placed: &Placed, cases: &[CaseSpec]) {
    let patterns = placed.group.members.names.iter().zip(&placed.pattern_spans);
    for (pattern, span) in patterns.filter(|(pattern, _)| !cases.iter().any(|case| pattern.matches(&case.name.0))) {
        let message = format!("no case is named `{pattern}`");
        problem.complain(span.clone(), message, "name the problem's cases, as `judge show` lists them");
    }
}
