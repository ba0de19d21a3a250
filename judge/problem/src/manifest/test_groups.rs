//! Reads the `[[problem.group]]` tables of a problem.

use super::section::{Located, Section};
use super::suggest::instead;
use crate::model::{CaseList, GroupAggregate, Members, Seeds, TestGroup, Weight};
use glob::Pattern;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

/// A group, its place, the place of each of its patterns, and the names of the groups that it depends on.
struct Placed<'a> {
    group: TestGroup,
    span: Range<usize>,
    pattern_spans: Vec<Range<usize>>,
    needed: Vec<Located<&'a str>>,
}

/// Reads the groups. Reports duplicate names, cases in two groups and patterns without a case.
/// `has_inputs`: the problem has more cases than the given ones.
pub(super) fn read(problem: &Section<'_>, cases: &CaseList, has_inputs: bool) -> Vec<TestGroup> {
    let sections = problem.sections("group", "[[problem.group]]");
    let mut groups: Vec<Placed<'_>> = sections.into_iter().filter_map(read_group).collect();
    for (index, later) in groups.iter().enumerate() {
        for earlier in &groups[..index] {
            check_pair(problem, earlier, later, cases);
        }
        if !has_inputs {
            check_patterns(problem, later, cases);
        }
    }
    resolve_dependencies(problem, &mut groups);
    check_circles(problem, &groups);
    groups.into_iter().map(|placed| placed.group).collect()
}

fn read_group(section: Section<'_>) -> Option<Placed<'_>> {
    let span = section.span();
    let name = section.text("name");
    let weight = section.numeric::<Weight>("weight", "a weight such as 30, 0.5 or \"1/3\"");
    let aggregate = aggregate(&section);
    let needed = section.texts("depends-on");
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
    let group = TestGroup { name: name?.value.to_owned(), weight, aggregate, depends_on: Vec::new(), members };
    Some(Placed { group, span, pattern_spans, needed })
}

fn aggregate(section: &Section<'_>) -> GroupAggregate {
    let named = section.text("aggregate");
    let whole = section.boolean("all-or-nothing");
    if let (Some(_), Some(whole)) = (&named, &whole) {
        let message = "`aggregate` says what the group counts as";
        section.complain(
            whole.span.clone(),
            message,
            "remove `all-or-nothing`, or write aggregate = \"all-or-nothing\"",
        );
    }
    let Some(Located { value, span }) = named else {
        return match whole {
            Some(Located { value: true, .. }) => GroupAggregate::AllOrNothing,
            _ => GroupAggregate::Sum,
        };
    };
    value.parse().unwrap_or_else(|()| {
        let names = GroupAggregate::ALL.map(GroupAggregate::name);
        section.complain(span, format!("there is no aggregate `{value}` of a group"), instead(value, &names));
        GroupAggregate::Sum
    })
}

/// Finds the groups that each depends on. Reports unknown names, and those that are named twice.
fn resolve_dependencies(problem: &Section<'_>, groups: &mut [Placed<'_>]) {
    let names: Vec<String> = groups.iter().map(|placed| placed.group.name.clone()).collect();
    for (own, placed) in groups.iter_mut().enumerate() {
        let others: Vec<&str> =
            names.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, name)| &**name).collect();
        for Located { value, span } in &placed.needed {
            match names.iter().position(|name| name == value) {
                None if others.is_empty() => {
                    let message = format!("there is no group `{value}` to depend on");
                    problem.complain(span.clone(), message, "remove it: there is only this group");
                }
                None => {
                    let message = format!("there is no group `{value}` to depend on");
                    problem.complain(span.clone(), message, instead(value, &others));
                }
                Some(needed) if placed.group.depends_on.contains(&needed) => {
                    problem.complain(span.clone(), format!("`{value}` is named twice"), "name each group once");
                }
                Some(needed) => placed.group.depends_on.push(needed),
            }
        }
    }
}

/// Reports groups that depend on themselves, each circle once.
fn check_circles(problem: &Section<'_>, groups: &[Placed<'_>]) {
    for (own, placed) in groups.iter().enumerate() {
        let Some(circle) = circle(groups, own) else { continue };
        // The first of a circle tells of it.
        if circle.iter().all(|&member| own <= member) {
            let names = circle.iter().chain([&own]).map(|&member| format!("`{}`", groups[member].group.name));
            let message = format!("a group depends on itself: {}", names.collect::<Vec<_>>().join(" → "));
            let next = &groups[*circle.get(1).unwrap_or(&own)].group.name;
            let name = placed.needed.iter().find(|name| name.value == *next);
            let span = name.map_or(placed.span.clone(), |name| name.span.clone());
            problem.complain(span, message, "remove one of these from `depends-on`");
        }
    }
}

/// Returns the shortest way from a group through those that it depends on back to it.
fn circle(groups: &[Placed<'_>], start: usize) -> Option<Vec<usize>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = HashSet::new();
    while let Some(way) = ways.pop_front() {
        for &needed in &groups[*way.last()?].group.depends_on {
            if needed == start {
                return Some(way);
            }
            if seen.insert(needed) {
                ways.push_back(way.iter().copied().chain([needed]).collect());
            }
        }
    }
    None
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

fn check_pair(problem: &Section<'_>, earlier: &Placed<'_>, later: &Placed<'_>, cases: &CaseList) {
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

fn check_patterns(problem: &Section<'_>, placed: &Placed<'_>, cases: &CaseList) {
    let patterns = placed.group.members.names.iter().zip(&placed.pattern_spans);
    for (pattern, span) in patterns.filter(|(pattern, _)| !cases.iter().any(|case| pattern.matches(&case.name.0))) {
        let message = format!("no case is named `{pattern}`");
        problem.complain(span.clone(), message, "name the problem's cases, as `judge show` lists them");
    }
}
