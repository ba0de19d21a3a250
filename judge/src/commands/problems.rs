//! `judge list` and `judge show`.

use judge_problem::{CheckerChoice, Exit, Problem};
use judge_report::{Style, grid, left, right};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{load, problem_facts};

/// Lists the problems.
pub(super) fn list(catalogue: Given<'_>) -> Result<Exit, Failure> {
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
    judge_report::print(&table.text())?;
    judge_report::note("`judge show ID` shows the details of one; `judge run -p ID` runs its bundled solver");
    Ok(Exit::Success)
}

fn cases(problem: &Problem) -> String {
    let patterns = &problem.inputs;
    let listed = (!problem.cases.is_empty()).then(|| problem.cases.len().to_string());
    listed.into_iter().chain(patterns.iter().cloned()).collect::<Vec<_>>().join(" + ")
}

/// Shows a problem.
pub(super) fn show(catalogue: Given<'_>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let facts = problem_facts::facts(catalogue.find(id)?);
    let line = |(key, text): (&str, String)| format!("{key:<11} {}", text.replace('\n', "\n            "));
    judge_report::print(&format!("{id}\n{}", facts.into_iter().map(line).collect::<Vec<_>>().join("\n")))?;
    Ok(Exit::Success)
}

/// Shows the rules of a built-in game.
pub(super) fn rules(catalogue: Given<'_>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(id)?;
    let CheckerChoice::BuiltIn(checker) = &problem.checker else {
        let error = format!("the rules of `{id}` are not known: its checker is a command");
        return Err(Failure::usage(error).with_hint(format!("`judge show {id}` shows its format and its source")));
    };
    judge_report::print(checker.rules().trim_end())?;
    let thresholds = problem_facts::thresholds(problem);
    if !thresholds.is_empty() {
        judge_report::print(&format!("\n## Points of this catalogue's cases\n\n{thresholds}"))?;
    }
    Ok(Exit::Success)
}
