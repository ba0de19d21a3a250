//! `judge list` and `judge show`.

use crate::model::{
    BestSource, CaseSource, CheckerChoice, CheckerProtocol, Direction, Exit, ExternalChecker, GeneratorChoice, Problem,
    Rule, TOKENS, TestGroup, Weight,
};
use crate::report::{self, Style, grid, left, right};
use crate::workflow::failure::Failure;
use crate::workflow::load;
use std::path::Path;

/// Lists the problems.
pub(super) fn list(catalogue: Option<&Path>) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let columns = [
        left("problem"),
        left("title").spare(1),
        left("scoring").spare(2),
        right("CPU").spare(3),
        right("memory").spare(4),
        right("cases").shrinking(),
    ];
    let mut table = grid(columns, Style::of_stdout());
    for problem in catalogue.problems() {
        let Problem { id, title, scoring, limits, .. } = problem;
        let cases = cases(problem);
        let row =
            [id.clone(), title.clone(), scoring.to_string(), limits.cpu.to_string(), limits.memory.to_string(), cases];
        table.add_row(row);
    }
    report::print(&table.text())?;
    report::note("`judge show ID` shows the details of one; `judge run -p ID` runs its bundled solver");
    Ok(Exit::Success)
}

fn cases(problem: &Problem) -> String {
    let patterns = &problem.inputs;
    let listed = (!problem.cases.is_empty()).then(|| problem.cases.len().to_string());
    listed.into_iter().chain(patterns.iter().cloned()).collect::<Vec<_>>().join(" + ")
}

/// Shows a problem.
pub(super) fn show(catalogue: Option<&Path>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(id)?;
    let limits = &problem.limits;
    let seeds = match &problem.generator {
        Some(GeneratorChoice::BuiltIn { version, .. }) => {
            format!("made by the built-in generator, version {version}{}: --seeds 1-100", of_versions(problem))
        }
        Some(GeneratorChoice::Command(line)) => format!("made by `{line}`: --seeds 1-100"),
        None => "none: its cases are files".to_owned(),
    };
    let lines = [
        ("title", problem.title.clone()),
        ("source", problem.source.clone()),
        ("format", problem.format.clone()),
        ("rules", rules_hint(problem)),
        (if problem.checker.is_interactive() { "interactor" } else { "checker" }, checker(problem)),
        ("answers", answers(problem)),
        ("scoring", scoring(problem)),
        ("weights", weights(problem)),
        ("groups", test_groups(problem)),
        ("CPU limit", limits.cpu.to_string()),
        ("wall limit", limits.wall.to_string()),
        ("memory", limits.memory.to_string()),
        ("output", limits.output.to_string()),
        ("processes", limits.processes.to_string()),
        ("seeds", seeds),
        ("cases", case_names(problem)),
        ("solver", problem.default_solver.clone().unwrap_or_else(|| "none: name one with --solver".to_owned())),
    ];
    let shown = lines.iter().filter(|(_, text)| !text.is_empty());
    let text: Vec<_> = shown.map(|(key, text)| format!("{key:<11} {}", text.replace('\n', "\n            "))).collect();
    report::print(&format!("{}\n{}", problem.id, text.join("\n")))?;
    Ok(Exit::Success)
}

/// Shows the rules of a built-in game.
pub(super) fn rules(catalogue: Option<&Path>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(id)?;
    let CheckerChoice::BuiltIn(checker) = &problem.checker else {
        let error = format!("the rules of `{id}` are not known: its checker is a command");
        return Err(Failure::usage(error).with_hint(format!("`judge show {id}` shows its format and its source")));
    };
    report::print(checker.rules().trim_end())?;
    Ok(Exit::Success)
}

/// Returns the checker or interactor with its protocol.
fn checker(problem: &Problem) -> String {
    let of = |external: &ExternalChecker| match &external.protocol {
        CheckerProtocol::Judge => external.command.line.clone(),
        CheckerProtocol::Kattis(kattis) if kattis.passes > 1 => {
            format!("{} (protocol kattis, {} passes)", external.command.line, kattis.passes)
        }
        protocol => format!("{} (protocol {})", external.command.line, protocol.name()),
    };
    match &problem.checker {
        CheckerChoice::BuiltIn(checker) => checker.id().to_owned(),
        CheckerChoice::External(external) => of(external),
        CheckerChoice::Interactor(external) => match &external.then {
            Some(then) => format!("{}, then the checker {}", of(external), of(then)),
            None => of(external),
        },
        CheckerChoice::Tokens(rules, _) => format!("{TOKENS} {rules}").trim_end().to_owned(),
    }
}

/// Returns where the answer files are.
fn answers(problem: &Problem) -> String {
    problem.checker.answers().map(|answers| answers.patterns.join(", ")).unwrap_or_default()
}

fn rules_hint(problem: &Problem) -> String {
    match &problem.checker {
        CheckerChoice::BuiltIn(_) => format!("judge show {} --rules", problem.id),
        CheckerChoice::External(_) | CheckerChoice::Interactor(_) | CheckerChoice::Tokens(..) => String::new(),
    }
}

/// Returns the number of the generator's versions, if there is more than one.
fn of_versions(problem: &Problem) -> String {
    match &problem.checker {
        CheckerChoice::BuiltIn(checker) if checker.generators().len() > 1 => {
            format!(" of {} (`generator-version`)", checker.generators().len())
        }
        _ => String::new(),
    }
}

fn scoring(problem: &Problem) -> String {
    let meaning = match &problem.scoring {
        Rule::Sum => format!("the sum of the scores; {}", failure(problem)),
        Rule::Mean => format!("the mean score over all cases; {}", failure(problem)),
        Rule::Exact => "one point for each accepted case".to_owned(),
        Rule::Thresholds => {
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
        BestSource::Run => String::new(),
        BestSource::Ledger => "; the best of the run or of `judge best`".to_owned(),
        BestSource::File(path) => format!("; the best of the run or in {}", path.display()),
    }
}

/// Returns the cases whose weight is not 1.
fn weights(problem: &Problem) -> String {
    let own = problem.cases.iter().filter(|case| case.weight != Weight::default());
    own.map(|case| format!("{}: {}", case.name, case.weight)).collect::<Vec<_>>().join(", ")
}

fn test_groups(problem: &Problem) -> String {
    let line = |group: &TestGroup| {
        let weight = group.weight.as_ref().map(|weight| format!(", weight {weight}")).unwrap_or_default();
        let whole = if group.all_or_nothing { ", all or nothing" } else { "" };
        format!("{}{weight}{whole}: {}", group.name, group.members)
    };
    problem.test_groups.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the names of the cases, shortened if there are many.
fn case_names(problem: &Problem) -> String {
    let name = |case: &crate::model::CaseSpec| match &case.source {
        CaseSource::Seed(seed) if case.name == crate::model::CaseName::of_seed(*seed) => case.name.to_string(),
        CaseSource::Seed(seed) => format!("{} (seed {seed})", case.name),
        CaseSource::File(path) => format!("{} ({})", case.name, path.display()),
    };
    let mut names: Vec<_> = problem.cases.iter().take(12).map(name).collect();
    if problem.cases.len() > names.len() {
        names.push(format!("… {} in all", problem.cases.len()));
    }
    names.extend(problem.inputs.iter().cloned());
    names.join(", ")
}
