//! Facts about a problem, in words.

use judge_problem::{
    BestSource, CaseName, CaseSource, CaseSpec, CheckerChoice, CheckerProtocol, Direction, ExternalChecker,
    FileGenerator, GeneratorChoice, GeneratorParameter, GroupAggregate, MetricRule, Problem, Role, Rule, TOKENS,
    TestGroup, Weight, listed,
};

/// Returns the facts about a problem, each with its name, in the order in which they are shown.
pub fn facts(problem: &Problem) -> Vec<(&'static str, String)> {
    let (limits, built_in) = (&problem.limits, problem.checker.built_in());
    let seeds = match &problem.generator {
        Some(GeneratorChoice::BuiltIn { version, .. }) => {
            let count = built_in.map_or(0, |checker| checker.generators.len());
            let of = if count > 1 { format!(" of {count} (`generator-version`)") } else { String::new() };
            format!("made by the built-in generator, version {version}{of}: --seeds 1-100")
        }
        Some(GeneratorChoice::Command(command) | GeneratorChoice::Files(FileGenerator { command, .. })) => {
            format!("made by `{}`: --seeds 1-100", command.line)
        }
        Some(GeneratorChoice::Seed) => "made by the tester: --seeds 1-100".to_owned(),
        None if problem.cases.iter().any(|case| case.seed().is_some()) => "none: there is no generator".to_owned(),
        None => "none: its cases are files".to_owned(),
    };
    let lines = [
        ("title", problem.title.clone()),
        ("source", problem.source.clone()),
        ("format", problem.format.clone()),
        ("rules", built_in.map(|_| format!("judge show {} --rules", problem.id)).unwrap_or_default()),
        (problem.checker.role().name(), checker(problem)),
        ("answers", problem.checker.answers().map(|answers| answers.patterns.join(", ")).unwrap_or_default()),
        ("scoring", scoring(problem)),
        ("thresholds", thresholds(problem)),
        ("targets", targets(problem)),
        ("weights", weights(problem)),
        ("groups", test_groups(problem)),
        ("CPU limit", limits.cpu.to_string()),
        ("wall limit", limits.wall.to_string()),
        ("memory", limits.memory.to_string()),
        ("output", limits.output.to_string()),
        ("processes", limits.processes.to_string()),
        ("seeds", seeds),
        ("parameters", parameters(problem)),
        ("metrics", metrics(problem)),
        ("cases", case_names(problem)),
        ("solver", problem.default_solver.clone().unwrap_or_else(|| "none: name one with --solver".to_owned())),
    ];
    lines.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// Returns the parameters of the generator, as `--case` takes them.
fn parameters(problem: &Problem) -> String {
    let parameter = |parameter: &GeneratorParameter| format!("{}={}", parameter.name, parameter.range());
    problem.generator_parameters.iter().map(parameter).collect::<Vec<_>>().join(", ")
}

/// Returns the metrics, with the ones that a built-in checker counts.
fn metrics(problem: &Problem) -> String {
    let counted = problem.checker.built_in().map_or(&[][..], |checker| checker.metrics);
    let metric = |rule: &MetricRule| {
        let direction = rule.direction.map(|direction| format!(" ({})", direction.name())).unwrap_or_default();
        let known = counted.iter().find(|metric| rule.is_by_checker() && metric.name == rule.name);
        let meaning = match known {
            Some(metric) => format!(": {}", metric.meaning),
            None if rule.is_by_checker() => String::new(),
            None => ": by the solver".to_owned(),
        };
        format!("{}{direction}{meaning}", rule.name)
    };
    problem.metrics.iter().map(metric).collect::<Vec<_>>().join("\n")
}

/// Returns the checker, interactor or tester with its protocol.
fn checker(problem: &Problem) -> String {
    let of = |external: &ExternalChecker| match &external.protocol {
        CheckerProtocol::Judge => external.command.line.clone(),
        protocol => {
            let passes = match external.passes() {
                1 => String::new(),
                passes => format!(", {passes} passes"),
            };
            format!("{} (protocol {}{passes})", external.command.line, protocol.name())
        }
    };
    match &problem.checker {
        CheckerChoice::BuiltIn(checker) => checker.id.to_owned(),
        CheckerChoice::External(external) => match (&external.then, external.role) {
            (None, _) => of(external),
            (Some(checker), Role::Tester) => format!("{}; of answers alone the checker {}", of(external), of(checker)),
            (Some(checker), _) => format!("{}, then the checker {}", of(external), of(checker)),
        },
        CheckerChoice::Tokens(rules, _) => format!("{TOKENS} {rules}").trim_end().to_owned(),
    }
}

fn scoring(problem: &Problem) -> String {
    let meaning = match &problem.scoring {
        Rule::Sum => format!("the sum of the scores; {}", failure(problem)),
        Rule::Mean => format!("the mean score over all cases; {}", failure(problem)),
        Rule::Exact => "one point for each accepted case".to_owned(),
        Rule::Thresholds { .. } => {
            "points by the thresholds of each case; nine without points of their own earn 10 to 2, and 1 above 0"
                .to_owned()
        }
        Rule::Relative { scale } => format!("{scale} x {} on each case, averaged{}", quotient(problem), best(problem)),
        Rule::Rank { scale } | Rule::RankTopCoder { scale } => {
            format!("by place among the solvers of the run; {scale} points for the best")
        }
        Rule::Log => format!("the mean logarithm of {}{}", quotient(problem), best(problem)),
    };
    format!("{}, {}: {meaning}", problem.scoring, problem.direction.name())
}

fn failure(problem: &Problem) -> String {
    match &problem.failure {
        Some(score) => format!("a failed case counts as {score}; an accepted case counts as at least that"),
        None => "a solver with a failed case has none".to_owned(),
    }
}

fn quotient(problem: &Problem) -> &'static str {
    match problem.direction {
        Direction::Max => "score / best",
        Direction::Min => "best / score",
    }
}

fn best(problem: &Problem) -> String {
    match &problem.best {
        BestSource::Known | BestSource::Ledger => "; the best of the run or known before".to_owned(),
        BestSource::Problem | BestSource::Run => "; the best of the run or known to the problem".to_owned(),
        BestSource::File(path) => format!("; the best of the run or known before, as in {}", path.display()),
    }
}

/// The number of cases that are named.
const CASES_SHOWN: usize = 12;

/// Returns the thresholds and their points, a line for each case with thresholds.
pub fn thresholds(problem: &Problem) -> String {
    let from = match problem.direction {
        Direction::Max => "from",
        Direction::Min => "up to",
    };
    let line = |case: &CaseSpec| {
        let thresholds = case.thresholds.as_ref()?;
        let steps = thresholds.steps.iter().map(|(score, points)| format!("{points} {from} {score}"));
        Some(format!("{}: {}", case.name, steps.collect::<Vec<_>>().join(", ")))
    };
    shortened(problem.cases.listed().filter_map(line), "\n")
}

/// Returns the best scores of the problem, if points are relative to them.
fn targets(problem: &Problem) -> String {
    let known = problem.cases.listed().filter(|_| problem.scoring.has_reference());
    shortened(known.filter_map(|case| Some(format!("{} {}", case.name, case.best.as_ref()?.score))), ", ")
}

fn shortened(mut all: impl Iterator<Item = String>, between: &str) -> String {
    let mut shown: Vec<String> = all.by_ref().take(CASES_SHOWN).collect();
    let more = all.count();
    shown.extend((more > 0).then(|| format!("… {more} more")));
    shown.join(between)
}

/// Returns the cases whose weight is not 1.
fn weights(problem: &Problem) -> String {
    let own = problem.cases.iter().filter(|case| case.weight != Weight::default());
    own.map(|case| format!("{}: {}", case.name, case.weight)).collect::<Vec<_>>().join(", ")
}

fn test_groups(problem: &Problem) -> String {
    let line = |group: &TestGroup| {
        let weight = group.weight.as_ref().map(|weight| format!(", weight {weight}")).unwrap_or_default();
        let aggregate = match group.aggregate {
            GroupAggregate::Sum => "",
            GroupAggregate::Min => ", by the worst case",
            GroupAggregate::AllOrNothing => ", all or nothing",
        };
        let needed: Vec<&str> = group.depends_on.iter().map(|&needed| &*problem.test_groups[needed].name).collect();
        let after = if needed.is_empty() { String::new() } else { format!(", depends on {}", listed(&needed, "and")) };
        format!("{}{weight}{aggregate}{after}: {}", group.name, group.members)
    };
    problem.test_groups.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the names of the cases, shortened if there are many.
fn case_names(problem: &Problem) -> String {
    let name = |case: CaseSpec| match case.source {
        CaseSource::Seed(seed) if case.name == CaseName::of_seed(seed) => case.name.to_string(),
        CaseSource::Seed(seed) => format!("{} (seed {seed})", case.name),
        CaseSource::Made(_) => case.name.to_string(),
        CaseSource::File(path) => format!("{} ({})", case.name, path.display()),
    };
    let mut names: Vec<_> = problem.cases.iter().take(CASES_SHOWN).map(name).collect();
    if problem.cases.len() > names.len() {
        names.push(format!("… {} in all", problem.cases.len()));
    }
    names.extend(problem.inputs.iter().cloned());
    names.join(", ")
}
