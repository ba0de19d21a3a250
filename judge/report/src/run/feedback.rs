//! A page for the author of a solver, such as a student: verdicts, reasons and the rank. It shows tests only if it is given
//! them.

use crate::run::report::RunReport;
use crate::text::{
    Columns, Counts, Sheet, TextTable, first_lines, memory, milliseconds, or_nothing, right, verdict_of,
};
use judge_problem::{CheckerChoice, CheckerProtocol, JobId, Outcome, Role, Verdict, after_colon, counted};

/// The number of failed cases whose reasons and tests are on a page.
const REASONS: usize = 100;
const TESTS: usize = 20;

/// The number of lines, and of characters of a line, of a test that are on a page.
const LINES: usize = 40;
const WIDTH: usize = 200;

/// The files of a test: their names and texts.
pub type TestTexts = Vec<(&'static str, String)>;

/// Makes the page of a solver of a run. `test` returns the files of a test; without it, tests stay secret.
pub fn feedback(report: &RunReport<'_>, solver: usize, test: Option<&dyn Fn(JobId) -> TestTexts>) -> Sheet {
    let spec = &report.plan.solvers[solver].spec;
    let outcomes: Vec<(JobId, Option<Outcome>)> = report
        .outcomes
        .of_solver(solver)
        .enumerate()
        .map(|(case, outcome)| (JobId { case, solver }, outcome))
        .collect();
    let counts: Counts = outcomes.iter().map(|(_, outcome)| verdict_of(outcome.as_ref())).collect();
    let mut lines = vec![counts.to_string()];
    lines.extend(report.total(solver).map(|total| format!("{}: {total}", report.scored.rule)));
    lines.extend(place(report, solver));
    let failed = || outcomes.iter().filter_map(|(job, outcome)| Some((*job, outcome.as_ref()?)));
    let failed = || failed().filter(|(_, outcome)| !outcome.is_accepted() && outcome.verdict != Verdict::Skipped);
    lines.extend(failed().take(REASONS).map(|(job, outcome)| reason(report, job, outcome, test.is_some())));
    let more = failed().count().saturating_sub(REASONS);
    lines.extend((more > 0).then(|| format!("{more} more cases are not accepted")));
    let mut texts = compiler_output(failed().next());
    for (job, _) in failed().filter(|_| test.is_some()).take(TESTS) {
        let name = &report.plan.cases.at(job.case).name;
        let of_case = test.map(|test| test(job)).unwrap_or_default();
        let start = |text: String| first_lines(&text, LINES, WIDTH).join("\n");
        texts.extend(of_case.into_iter().map(|(what, text)| (format!("{name}: {what}"), start(text))));
    }
    let title = format!("{}: {}", report.plan.problem.title, spec.name);
    let sections = [("Cases", cases(report, &outcomes)), ("What the verdicts mean", key(&counts))];
    Sheet { texts, ..Sheet::new(title, lines, sections) }
}

/// Returns the rank of a solver; `None` for a single solver. The names of the others are not on its page.
fn place(report: &RunReport<'_>, solver: usize) -> Option<String> {
    let rank = report.scored.leaderboard.iter().find(|row| row.solver == solver)?.rank;
    let all = report.scored.leaderboard.len();
    (all > 1).then(|| format!("rank {rank} of {}", counted(all, "solver")))
}

fn reason(report: &RunReport<'_>, job: JobId, outcome: &Outcome, shows_tests: bool) -> String {
    let is_secret = !shows_tests
        && match outcome.verdict {
            Verdict::WrongAnswer => tells_tests(&report.plan.problem.checker),
            // The note may quote the output of the checker.
            verdict => verdict == Verdict::JudgeError,
        };
    let note = match (is_secret, outcome.broken.line) {
        (false, _) => outcome.note.lines().next().unwrap_or_default().to_owned(),
        (true, Some(line)) => format!("it differs from the expected answer at line {line}"),
        (true, None) => String::new(),
    };
    format!("{}: {}{}", report.plan.cases.at(job.case).name, outcome.verdict, after_colon(&note))
}

/// Returns whether the notes of a checker quote the expected answer.
fn tells_tests(checker: &CheckerChoice) -> bool {
    match checker {
        CheckerChoice::Tokens(..) => true,
        CheckerChoice::External(program) if program.role != Role::Tester => match program.protocol {
            CheckerProtocol::Testlib(_) | CheckerProtocol::Kattis(_) | CheckerProtocol::Regex(_) => true,
            CheckerProtocol::Judge => false,
        },
        CheckerChoice::BuiltIn(_) | CheckerChoice::External(_) => false,
    }
}

/// Returns the messages of the compiler about the solver's source.
fn compiler_output(first: Option<(JobId, &Outcome)>) -> Vec<(String, String)> {
    let compiled = first.filter(|(_, outcome)| outcome.verdict == Verdict::CompileError);
    compiled.map(|(_, outcome)| ("The compiler's messages".to_owned(), outcome.note.to_string())).into_iter().collect()
}

fn cases(report: &RunReport<'_>, outcomes: &[(JobId, Option<Outcome>)]) -> TextTable {
    let figure =
        |outcome: &Option<Outcome>, read: fn(&Outcome) -> Option<String>| or_nothing(outcome.as_ref().and_then(read));
    let mut columns = Columns::new();
    columns.add("case", |(job, _): &&(JobId, Option<Outcome>)| report.plan.cases.at(job.case).name);
    columns.add("verdict", |(_, outcome)| verdict_of(outcome.as_ref()));
    columns
        .add(right("score"), |(_, outcome)| figure(outcome, |outcome| outcome.score.as_ref().map(ToString::to_string)));
    columns.add(right("points"), |(job, _)| or_nothing(report.points_of_most(*job)));
    columns.add(right("CPU"), |(_, outcome)| figure(outcome, |outcome| outcome.cpu.map(milliseconds)));
    columns.add(right("memory"), |(_, outcome)| figure(outcome, |outcome| outcome.memory.map(memory)));
    columns.table(outcomes)
}

/// Returns the verdicts of the page with their meanings.
fn key(counts: &Counts) -> TextTable {
    let row = |(verdict, _): (Verdict, usize)| {
        vec![verdict.name().to_owned(), verdict.code().to_owned(), verdict.meaning().to_owned()]
    };
    TextTable::new(&["verdict", "short", "meaning"], 3, counts.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_a_compiler_are_complete() {
        let messages: String = (0..200).map(|number| format!("error {number}\n")).collect();
        let outcome = Outcome::without_run(Verdict::CompileError, messages.clone());
        let texts = compiler_output(Some((JobId { case: 0, solver: 0 }, &outcome)));
        assert_eq!(texts[0].1, messages);
    }
}
