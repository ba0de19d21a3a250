//! Reads one `[[problem]]` of the catalogue: its cases, test groups, scoring and features.

use super::document::{Located, Section, instead, set};
use super::programs::Place;
use super::{programs, protocols};
use crate::case::{MAX_SEEDS, SeedRanges};
use crate::{
    BestOrigin, BestSource, CaseList, CaseName, CaseSource, CaseSpec, CheckerChoice, Direction, FeatureRule,
    GroupAggregate, InvalidText, KnownBest, Members, Problem, Rule, SealedChoice, Seeds, TestGroup, Thresholds, Weight,
    beginning, counted, is_feature_name, listed,
};
use checkers::Score;
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An input file and its answer file.
type NamedAnswer = (PathBuf, PathBuf);

/// Reads a problem. `None` if it has errors, which are reported.
pub(super) fn read_problem(section: Section<'_>, folder: &Path) -> Option<Problem> {
    let [title, source, format, default_solver] =
        ["title", "source", "format", "solver"].map(|key| section.string(key));
    let trusted = section.boolean("trusted").is_some_and(|trusted| trusted.value);
    let place = Place { folder, trusted };
    let mut checker = programs::checker(&section, place);
    let generator_parameters = programs::generator_parameters(&section, checker.as_ref());
    let generator = programs::generator(&section, checker.as_ref(), place, &generator_parameters);
    let viewer = programs::viewer(&section, place);
    let (limits, helper_limits) = programs::read_limits(&section, checker.as_ref(), generator.as_ref());
    let (id, mut file_lines) = (id(&section), file_lines(&section, folder));
    let (rule, direction, failure, best) = read_scoring(&section, folder, &mut file_lines);
    // A bad generator was reported, and so was a bad checker, which may bring a generator.
    let has_generator = generator.is_some() || checker.is_none() || section.has("generator-command");
    let (mut cases, places) = read_cases(&section, (folder, &mut file_lines), direction, &mut checker, has_generator);
    let inputs = protocols::file_patterns(&section, section.texts("inputs"), folder);
    let (features, metrics) = (read_features(&section), protocols::read_metrics(&section, checker.as_ref()));
    let (test_groups, group_lines) = read_test_groups(&section, &mut cases, !inputs.is_empty(), has_generator);
    let sealed = read_sealed(&section, has_generator);
    let verification = programs::read_verification(&section, place, has_generator);
    check_cases(&section, &rule, (&cases, &places));
    check_has_cases(&section, &cases, has_generator);
    section.finish();

    let (id, checker) = (id?, checker?);
    Some(Problem {
        title: title.unwrap_or_else(|| id.clone()),
        id,
        source: source.unwrap_or_default(),
        format: format.unwrap_or_default(),
        generator,
        generator_parameters,
        checker,
        limits,
        helper_limits,
        scoring: with_max_points(rule, &cases),
        cases,
        file_lines,
        group_lines,
        inputs,
        direction,
        failure,
        best,
        test_groups,
        features,
        metrics,
        default_solver,
        viewer,
        sealed,
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
    if Problem::is_id(value) {
        return Some(value.to_owned());
    }
    section.refuse(span, format!("bad id `{value}`"), "expected lower-case letters, digits, `-` and `_`")
}

/// The place of each listed case.
type CasePlaces = HashMap<CaseName, Range<usize>>;

/// The line that names each file or pattern of files.
type FileLines = HashMap<PathBuf, String>;

/// Returns the lines of the texts in `inputs`, `answers` and `solver`.
fn file_lines(section: &Section<'_>, folder: &Path) -> FileLines {
    let answers = section.one_or_more_texts("answers").unwrap_or_default();
    let named = section.texts("inputs").into_iter().chain(answers).chain(section.text("solver"));
    named.map(|text| (folder.join(text.value), section.line(&text.span))).collect()
}

/// Reads the cases that the problem lists, with their places. Adds the lines of their files, and passes their answer files
/// to the checker. Reports seeds without a generator.
fn read_cases(
    section: &Section<'_>,
    (folder, lines): (&Path, &mut FileLines),
    direction: Direction,
    checker: &mut Option<CheckerChoice>,
    has_generator: bool,
) -> (CaseList, CasePlaces) {
    let check_seeds = |span: &Range<usize>| {
        if !has_generator {
            let expected = "add `generator-command` to the problem, or name files: `inputs = [\"data/*.in\"]`";
            section.complain(span.clone(), programs::NO_CASES_FROM_SEEDS, expected);
        }
    };
    let mut cases = seeds(section);
    section.place("seeds").iter().for_each(check_seeds);
    let (mut named, mut places) = (Vec::new(), CasePlaces::new());
    for case in section.sections("case", "[[problem.case]]") {
        let span = case.span();
        if let Some(case) = read_case(case, folder, direction, &mut named, lines) {
            if case.seed().is_some() {
                check_seeds(&span);
            }
            places.insert(case.name.clone(), span);
            cases.push(case);
        }
    }
    if let Some(checker) = checker {
        checker.name_answers(named_answers(section, folder, named));
    }
    (cases, places)
}

/// The maximum number of characters of a list of seeds in a message.
const SHOWN_SEEDS: usize = 60;

fn seeds(section: &Section<'_>) -> CaseList {
    let mut cases = CaseList::default();
    let Some(Located { value, span }) = section.parsed::<Seeds>("seeds") else { return cases };
    let (once, repetitions) = value.without_repetitions();
    if repetitions > 0 {
        let expected = format!("name each seed once: \"{}\"", beginning(&once.to_string(), SHOWN_SEEDS));
        section.complain(span, format!("`seeds` repeats {}", counted(repetitions, "seed")), expected);
    }
    once.ranges().iter().for_each(|range| cases.push_seeds(range.clone()));
    cases
}

/// Adds cases for the seeds that only test groups name, each once.
fn add_seeds_of_groups(cases: &mut CaseList, groups: &[PlacedGroup<'_>]) {
    let mut known = SeedRanges::default();
    cases.iter().filter_map(|case| case.seed()).for_each(|seed| known.add(seed..=seed));
    let seeds = groups.iter().filter_map(|placed| placed.group.members.seeds.as_ref());
    seeds.flat_map(Seeds::ranges).flat_map(|range| known.add_new(range)).for_each(|new| cases.push_seeds(new));
}

/// Reads the name of a case or group.
fn name<'a>(section: &Section<'a>) -> Option<Located<&'a str>> {
    section.text("name").and_then(|name| match name.value {
        "" => section.bad_value("name", name.span, "expected a name, such as \"small-1\""),
        _ => Some(name),
    })
}

fn read_case(
    section: Section<'_>,
    folder: &Path,
    direction: Direction,
    answers: &mut Vec<Located<NamedAnswer>>,
    lines: &mut FileLines,
) -> Option<CaseSpec> {
    let name = name(&section);
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
        (None, Some(file)) => {
            lines.insert(folder.join(file.value), section.line(&file.span));
            Some(CaseSource::File(folder.join(file.value)))
        }
        (None, None) => {
            if !section.has("file") {
                section.missing("seed", "1` or `file = \"data/1.in\"");
            }
            None
        }
        (Some(_), Some(file)) => section.refuse(file.span, "a case has one input", "remove either `seed` or `file`"),
    };
    match (&source, answer) {
        (Some(CaseSource::File(path)), Some(answer)) => {
            let value = (path.clone(), folder.join(answer.value));
            lines.insert(value.1.clone(), section.line(&answer.span));
            answers.push(Located { value, span: answer.span });
        }
        (Some(CaseSource::Seed(_) | CaseSource::Made(_)), Some(answer)) => {
            section.complain(answer.span, "a case made from a seed has no answer file", "remove `answer`");
        }
        _ => {}
    }
    section.finish();
    let mut case = CaseSpec { thresholds, ..CaseSpec::from_source(source?) };
    set(&mut case.name, name.map(|name| CaseName::from(name.value)));
    case.best = best.map(|best| KnownBest { score: best.value, origin: BestOrigin::Problem });
    set(&mut case.weight, weight.map(|weight| weight.value));
    Some(case)
}

/// Returns the answer files by input file. Reports input files with different answers.
fn named_answers(section: &Section<'_>, folder: &Path, named: Vec<Located<NamedAnswer>>) -> Vec<NamedAnswer> {
    let mut first = HashMap::new();
    for Located { value: (input, answer), span } in &named {
        let (known, known_span) = *first.entry(input).or_insert((answer, span));
        if known != answer {
            let shown = input.strip_prefix(folder).unwrap_or(input).display();
            let message = format!("two cases have the same `file` and different answers: {shown}");
            section.complain(known_span.clone(), message.clone(), "the answer of one case");
            let mend = "the answer of the other: give both the same `answer`, or copy the input to another file";
            section.complain(span.clone(), message, mend);
        }
    }
    named.into_iter().map(|located| located.value).collect()
}

/// Returns the checked thresholds of a case.
fn checked_thresholds(
    section: &Section<'_>,
    direction: Direction,
    thresholds: Option<Located<Vec<Score>>>,
    points: Option<Located<Vec<Score>>>,
) -> Option<Thresholds> {
    if let (false, Some(points)) = (section.has("thresholds"), &points) {
        section.complain(
            points.span.clone(),
            "points without `thresholds`",
            "add `thresholds`, the score for each of them",
        );
    }
    let Some(list) = thresholds else {
        // Bad ones were reported, and are not missing.
        return section.place("thresholds").map(|_| Thresholds::default());
    };
    if points.is_none() && section.has("threshold-points") {
        return Some(Thresholds::default());
    }
    Thresholds::new(direction, list.value, points.map(|points| points.value)).map_or_else(
        |error| {
            section.complain(list.span, "bad thresholds", error.to_string());
            Some(Thresholds::default())
        },
        Some,
    )
}

/// Reports duplicate case names, and cases without the thresholds that the scoring rule needs.
fn check_cases(section: &Section<'_>, rule: &Rule, (cases, places): (&CaseList, &CasePlaces)) {
    let place = |name: &CaseName| places.get(name).cloned().unwrap_or_else(|| section.span());
    for name in cases.duplicate_names() {
        let of_seeds = name.seed().filter(|_| section.has("seeds"));
        let out = of_seeds.map(|seed| format!(", or take {seed} out of `seeds`")).unwrap_or_default();
        section.complain(
            place(&name),
            format!("two cases are named `{name}`"),
            format!("give each its own `name`{out}"),
        );
    }
    if rule.needs_thresholds() {
        for case in cases.iter().filter(|case| case.thresholds.is_none()) {
            let message = format!("the case `{}` has no thresholds, and the scoring rule needs them", case.name);
            section.complain_after(place(&case.name), message, "add `thresholds = […]` to its [[problem.case]]");
        }
    }
}

/// Reports a problem without cases.
fn check_has_cases(section: &Section<'_>, cases: &CaseList, has_generator: bool) {
    // Bad ones were reported, and are not missing.
    let has_some = section.has("seeds")
        || !section.is_empty("case")
        || !section.is_empty("inputs")
        || has_generator && section.has_inner("group", "seeds");
    if cases.is_empty() && !has_some {
        section.complain_after(
            section.span(),
            "the problem has no cases",
            "add `seeds = \"1-10\"`, `inputs = [\"data/*.in\"]` or [[problem.case]]",
        );
    }
}

/// Returns the rule with the most points that any case earns by its thresholds.
fn with_max_points(rule: Rule, cases: &CaseList) -> Rule {
    let first_steps = cases.listed().filter_map(|case| case.thresholds.as_ref()?.steps.first());
    match first_steps.map(|(_, points)| points.to_rational()).max() {
        Some(max) if max.is_positive() => rule.with_max_points(max),
        _ => rule,
    }
}

/// A group with the places of itself and its patterns, and the names of the groups that it depends on.
struct PlacedGroup<'a> {
    group: TestGroup,
    span: Range<usize>,
    pattern_spans: Vec<Range<usize>>,
    needed: Vec<Located<&'a str>>,
}

/// Reads the groups. If a problem with a generator names no seeds, the seeds of its groups become its cases. Reports
/// duplicate names, cases in two groups, seeds without a generator, and patterns without a case. `has_inputs`: the
/// problem has more cases than `cases`. The second result has the line of each group.
fn read_test_groups(
    problem: &Section<'_>,
    cases: &mut CaseList,
    has_inputs: bool,
    has_generator: bool,
) -> (Vec<TestGroup>, Vec<String>) {
    let sections = problem.sections("group", "[[problem.group]]");
    let mut groups: Vec<PlacedGroup<'_>> = sections.into_iter().filter_map(read_group).collect();
    if problem.place("seeds").is_none() && has_generator {
        add_seeds_of_groups(cases, &groups);
    }
    for placed in groups.iter().filter(|placed| !has_generator && placed.group.members.seeds.is_some()) {
        problem.complain(placed.span.clone(), programs::NO_CASES_FROM_SEEDS, programs::CASES_INSTEAD_OF_SEEDS);
    }
    check_names(problem, &groups);
    check_shared_cases(problem, &groups, cases);
    // Without any case, an error was reported that says why.
    if !has_inputs && !cases.is_empty() {
        groups.iter().for_each(|placed| check_patterns(problem, placed, cases));
    }
    resolve_dependencies(problem, &mut groups);
    check_circles(problem, &groups);
    groups.into_iter().map(|placed| (placed.group, problem.line(&placed.span))).unzip()
}

fn read_group(section: Section<'_>) -> Option<PlacedGroup<'_>> {
    let span = section.span();
    let name = name(&section);
    let weight = section.numeric::<Weight>("weight", "a weight such as 30, 0.5 or \"1/3\"");
    let aggregate = aggregate(&section);
    let needed = section.texts("depends-on");
    let seeds = section.parsed::<Seeds>("seeds");
    let texts = section.texts("cases");
    let patterns = texts.iter().filter_map(|text| Some((programs::pattern(&section, text)?, text.span.clone())));
    let (names, pattern_spans) = patterns.unzip();
    section.missing("name", "\"small\"");
    if !section.has("seeds") && texts.is_empty() {
        section.missing("cases", "[\"small-*\"]` or `seeds = \"1-10\"");
    }
    section.finish();
    let members = Members { names, seeds: seeds.map(|seeds| seeds.value) };
    let weight = weight.map(|weight| weight.value);
    let group = TestGroup { name: name?.value.to_owned(), weight, aggregate, depends_on: Vec::new(), members };
    Some(PlacedGroup { group, span, pattern_spans, needed })
}

fn aggregate(section: &Section<'_>) -> GroupAggregate {
    let named = section.text("aggregate");
    let whole = section.boolean("all-or-nothing");
    if let (Some(_), Some(whole)) = (&named, &whole) {
        let message = "`aggregate` already says how the group counts";
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
    GroupAggregate::from_name(value).unwrap_or_else(|| {
        let names = GroupAggregate::ALL.map(GroupAggregate::name);
        section.complain(span, format!("there is no aggregate `{value}` of a group"), instead(value, &names));
        GroupAggregate::Sum
    })
}

/// Resolves the dependencies. Reports unknown and duplicate names.
fn resolve_dependencies(problem: &Section<'_>, groups: &mut [PlacedGroup<'_>]) {
    let names: Vec<String> = groups.iter().map(|placed| placed.group.name.clone()).collect();
    for (own, placed) in groups.iter_mut().enumerate() {
        let others: Vec<&str> =
            names.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, name)| &**name).collect();
        for Located { value, span } in &placed.needed {
            match names.iter().position(|name| name == value) {
                None => {
                    let alone = others.is_empty().then(|| "remove it: there is only this group".to_owned());
                    let expected = alone.unwrap_or_else(|| instead(value, &others));
                    problem.complain(span.clone(), format!("there is no group `{value}` to depend on"), expected);
                }
                Some(needed) if placed.group.depends_on.contains(&needed) => {
                    problem.complain(span.clone(), format!("`{value}` is named twice"), "name each group once");
                }
                Some(needed) => placed.group.depends_on.push(needed),
            }
        }
    }
}

/// Reports cycles of dependencies, each once.
fn check_circles(problem: &Section<'_>, groups: &[PlacedGroup<'_>]) {
    for (own, placed) in groups.iter().enumerate() {
        let Some(circle) = circle(groups, own) else { continue };
        // The first group of a cycle reports it.
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

/// Returns the shortest cycle of dependencies through a group.
fn circle(groups: &[PlacedGroup<'_>], start: usize) -> Option<Vec<usize>> {
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

/// Reports groups with the same name.
fn check_names(problem: &Section<'_>, groups: &[PlacedGroup<'_>]) {
    let mut names = HashSet::new();
    for PlacedGroup { group, span, .. } in groups {
        if !names.insert(&*group.name) {
            let message = format!("there are two groups named `{}`", group.name);
            problem.complain(span.clone(), message, "give one of them another `name`");
        }
    }
}

/// Reports cases in two groups: one for each pair of groups.
fn check_shared_cases(problem: &Section<'_>, groups: &[PlacedGroup<'_>], cases: &CaseList) {
    let members = |index: usize| &groups[index].group.members;
    let mut shared = BTreeMap::new();
    for later in 0..groups.len() {
        for earlier in 0..later {
            let seed = members(earlier).seeds.as_ref().zip(members(later).seeds.as_ref());
            if let Some(seed) = seed.and_then(|(one, other)| one.shared_with(other)) {
                shared.insert((later, earlier), format!("the seed {seed}"));
            }
        }
    }
    // A problem may have millions of cases. Their names matter only to patterns.
    let has_patterns = groups.iter().any(|placed| !placed.group.members.names.is_empty());
    for case in has_patterns.then(|| cases.iter()).into_iter().flatten() {
        let of_case: Vec<usize> = (0..groups.len()).filter(|index| members(*index).have(&case)).collect();
        for (count, later) in of_case.iter().enumerate() {
            for earlier in &of_case[..count] {
                shared.entry((*later, *earlier)).or_insert_with(|| format!("the case `{}`", case.name));
            }
        }
    }
    for ((later, earlier), what) in shared {
        let [first, second] = [earlier, later].map(|index| &groups[index].group.name);
        let message = format!("{what} is in the groups `{first}` and `{second}`");
        problem.complain(groups[later].span.clone(), message, "a case counts in one group: take it out of the other");
    }
}

fn check_patterns(problem: &Section<'_>, placed: &PlacedGroup<'_>, cases: &CaseList) {
    let patterns = placed.group.members.names.iter().zip(&placed.pattern_spans);
    for (pattern, span) in patterns.filter(|(pattern, _)| !cases.iter().any(|case| pattern.matches(&case.name.0))) {
        let message = format!("no case is named `{pattern}`");
        problem.complain_after(span.clone(), message, "name the problem's cases, as `judge show` lists them");
    }
}

/// Reads how a problem is scored: its rule, which scores are good, the score of a failed case, and the source of its best
/// scores. A missing key has its default.
fn read_scoring(
    problem: &Section<'_>,
    folder: &Path,
    lines: &mut FileLines,
) -> (Rule, Direction, Option<Score>, BestSource) {
    let default = Direction::Max;
    let Some(section) = problem.section("scoring", "[problem.scoring]") else {
        let failure = default.failure_by_default();
        return (Rule::Sum, default, failure, BestSource::Known);
    };
    let rule = scaled(&section, scoring_rule(&section).unwrap_or(Rule::Sum));
    let direction = direction(&section).unwrap_or(default);
    let failure = failure(&section, &rule).or_else(|| direction.failure_by_default());
    let best = section.text("best").map_or(BestSource::Known, |best| {
        lines.insert(folder.join(best.value), section.line(&best.span));
        BestSource::new(Path::new(best.value), folder)
    });
    for key in ["thresholds", "threshold-points"] {
        section.misplaced(key, "each case has its own: write it in a [[problem.case]], beside `seed` or `file`");
    }
    section.finish();
    (rule, direction, failure, best)
}

fn scoring_rule(section: &Section<'_>) -> Option<Rule> {
    let Located { value, span } = section.text("rule")?;
    let expected = || format!("expected one of: {}", Rule::names().join(", "));
    value.parse().map_or_else(|error: InvalidText| section.refuse(span, error.to_string(), expected()), Some)
}

fn direction(section: &Section<'_>) -> Option<Direction> {
    let Located { value, span } = section.text("direction")?;
    let unknown = || section.refuse(span, format!("unknown direction `{value}`"), "expected \"max\" or \"min\"");
    Direction::from_name(value).or_else(unknown)
}

fn scaled(section: &Section<'_>, rule: Rule) -> Rule {
    let expected = "a whole number from 1: the points of the best on a case";
    let Some(Located { value, span }) = section.integer::<BigInt>("scale", expected) else { return rule };
    if !rule.has_scale() {
        let message = format!("the rule `{rule}` has no scale");
        let scaled = listed(&Rule::names_of(Rule::has_scale), "or");
        section.complain(span, message, format!("remove `scale`, or take the rule {scaled}"));
    } else if !value.is_positive() {
        section.complain(span, "the best would have no points", format!("expected {expected}"));
    } else {
        return rule.with_scale(value);
    }
    rule
}

fn failure(section: &Section<'_>, rule: &Rule) -> Option<Score> {
    let Located { value, span } = section.numeric("failure", "a number: the score that a failed case counts as")?;
    if !rule.counts_raw_scores() {
        let message = format!("under the rule `{rule}`, a failed case always has no points");
        let raw = listed(&Rule::names_of(Rule::counts_raw_scores), "or");
        section.complain(span, message, format!("remove `failure`, or take the rule {raw}"));
    }
    Some(value)
}

/// Reads the features of a problem.
fn read_features(problem: &Section<'_>) -> Vec<FeatureRule> {
    let Some(section) = problem.section("features", "[problem.features]") else { return Vec::new() };
    section.entries().into_iter().filter_map(|(name, pattern)| feature_rule(&section, name, pattern)).collect()
}

/// Reads how many cases are sealed. They are made from seeds, so the problem needs a generator.
fn read_sealed(problem: &Section<'_>, has_generator: bool) -> Option<SealedChoice> {
    let section = problem.section("sealed", "[problem.sealed]")?;
    let default = SealedChoice::default();
    let queries = section.integer::<NonZeroU32>("queries", "a whole number from 1: how often a total may be asked for");
    let seeds = section.section("seeds", "seeds = { count = 100 }");
    let count = seeds.and_then(|seeds| {
        let count = seeds.integer::<NonZeroU32>("count", "a whole number from 2: how many seeds are drawn");
        seeds.finish();
        count
    });
    if let Some(Located { value, span }) = &count {
        if value.get() < 2 {
            section.complain(span.clone(), "one case has no standard error", "write at least 2");
        } else if u64::from(value.get()) > MAX_SEEDS {
            let message = format!("at most {MAX_SEEDS} seeds can be run at once");
            section.complain(span.clone(), message, "write a smaller count");
        }
    }
    if !has_generator {
        let expected = "add `generator-command` to the problem";
        section.complain_after(section.span(), "sealed cases are made from seeds", expected);
    }
    section.finish();
    Some(SealedChoice {
        count: count.map_or(default.count, |count| count.value.get()),
        queries: queries.map_or(default.queries, |queries| queries.value.get()),
    })
}

fn feature_rule(section: &Section<'_>, name: Located<&str>, pattern: Located<&str>) -> Option<FeatureRule> {
    if !is_feature_name(name.value) {
        let expected = "expected a letter, then letters, digits and `_`";
        return section.refuse(name.span, format!("bad feature name `{}`", name.value), expected);
    }
    let bad = || format!("bad regular expression of `{}`", name.value);
    let pattern = protocols::checked_regex(section, pattern, bad)?;
    Some(FeatureRule { name: name.value.to_owned(), pattern })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolName;
    use crate::manifest::catalogue::{CATALOGUE_SCHEMA, Catalogue};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn document(path: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
    }

    #[test]
    fn the_schema_names_the_rules_of_the_table() {
        let schema: Value = serde_json::from_str(CATALOGUE_SCHEMA).unwrap();
        let scoring = &schema["$defs"]["scoring"];
        let scaled = Rule::names_of(Rule::has_scale);
        assert_eq!(scoring["properties"]["rule"]["enum"], json!(Rule::names()), "`rule` in problems.schema.json");
        let rules = |key: &str| {
            let terms = scoring["allOf"].as_array().unwrap().iter();
            let mut of_key = terms.filter(|term| term["if"]["required"] == json!([key]));
            of_key.next().unwrap()["then"]["properties"]["rule"]["enum"].clone()
        };
        assert_eq!(rules("scale"), json!(scaled), "the rules with `scale` in problems.schema.json");
        let raw = Rule::names_of(Rule::counts_raw_scores);
        assert_eq!(rules("failure"), json!(raw), "the rules with `failure` in problems.schema.json");
        let description = scoring["properties"]["scale"]["description"].as_str().unwrap();
        assert!(description.contains(&format!("the rules {}; ", listed(&scaled, "and"))), "{description}");
    }

    #[test]
    fn the_schema_has_the_keys_that_are_read() {
        let schema: Value = serde_json::from_str(CATALOGUE_SCHEMA).unwrap();
        let problem = "/$defs/problem/properties/";
        for (table, place) in [
            ("", "/properties"),
            ("[[problem]]", "/$defs/problem/properties"),
            ("[problem.limits]", "/$defs/limits/properties"),
            ("[problem.scoring]", "/$defs/scoring/properties"),
            ("[problem.sealed]", &format!("{problem}sealed/properties")),
            ("[problem.metrics.x]", &format!("{problem}metrics/additionalProperties/anyOf/1/properties")),
            ("[[problem.group]]", "/$defs/group/properties"),
            ("[[problem.expect]]", "/$defs/expect/properties"),
            ("[[problem.case]]", "/$defs/case/properties"),
            ("[journal]", "/$defs/journal/properties"),
            ("[engine]", "/$defs/engine/properties"),
            ("[engine.slurm]", "/$defs/engine/properties/slurm/properties"),
            ("[language.x]", "/$defs/language/properties"),
        ] {
            let in_problem = table.starts_with("[problem.") || table.starts_with("[[problem.");
            let text = format!("{}{table}\n\"?\" = 1\n", if in_problem { "[[problem]]\n" } else { "" });
            let complaints = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err().complaints;
            let unknown = complaints.iter().find(|complaint| complaint.message.starts_with("unknown key `?`")).unwrap();
            let read: BTreeSet<_> = unknown.expected.trim_start_matches("expected one of: ").split(", ").collect();
            let listed: BTreeSet<_> =
                schema.pointer(place).unwrap().as_object().unwrap().keys().map(|key| &**key).collect();
            // Keys that belong elsewhere are read to say so.
            let read: BTreeSet<_> = read
                .into_iter()
                .filter(|key| !(table == "[problem.scoring]" && key.starts_with("threshold")))
                .collect();
            assert_eq!(read, listed, "{table}");
        }
    }

    /// Returns the first words of the rows of a table in this text.
    fn rows(text: &str) -> Vec<&str> {
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        rows.map(|(name, _)| name).collect()
    }

    #[test]
    fn schema_and_documentation_name_the_protocols() {
        let schema: Value = serde_json::from_str(CATALOGUE_SCHEMA).unwrap();
        let names = ProtocolName::ALL.map(ProtocolName::name);
        let of_schema = &schema["$defs"]["problem"]["properties"]["checker-protocol"]["enum"];
        assert_eq!(*of_schema, json!(names), "`checker-protocol` in problems.schema.json");
        let page = document("docs/protocols.md");
        assert_eq!(rows(page.split("\n## ").next().unwrap()), names, "the table of docs/protocols.md");
        let metrics = page.split("\n## ").find(|section| section.starts_with("Metrics")).unwrap();
        assert!(names.iter().all(|name| metrics.contains(&format!("`{name}`"))), "{metrics}");
    }

    #[test]
    fn the_documentation_names_the_rules_of_the_table() {
        let table = document("docs/scoring.md");
        assert_eq!(rows(table.split("\n## ").nth(1).unwrap()), Rule::names(), "the table of docs/scoring.md");
        let listed = format!("# {}\n", Rule::names().join(", "));
        assert!(document("docs/problems.md").contains(&listed), "docs/problems.md does not list {listed}");
    }
}
