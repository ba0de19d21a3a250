//! `judge check --run`: rechecks the stored answers of a past run with the current checker.

use judge_journal::Journal;
use judge_problem::{Bytes, Exit, Outcome, Ruling, RunChoice, StoredCase, StoredOutcome, Verdict};
use judge_report::{Style, grid, left};
use judge_run::cases::{Inputs, PreparedCase, ProblemChecker};
use judge_session::answer::{refuse_interactive, too_long};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{entrants, load, programs, recorder, stored_case};

/// The result of rechecking an answer.
enum Recheck {
    /// The current checker decides as recorded.
    Same,
    /// It decides otherwise: the recorded decision, and the current one.
    Differs(String, String),
    /// The answer cannot be checked: why.
    Impossible(String),
    /// The solver gave no answer.
    NoAnswer,
}

/// The number of answers by result.
#[derive(Default)]
struct Tally {
    same: usize,
    differ: usize,
    impossible: usize,
}

/// Rechecks every stored answer of a run. Each kept to the limit of the run; `limit` replaces that limit.
pub(in crate::commands) fn check_run(
    catalogue: Given<'_>,
    id: Option<&str>,
    choice: RunChoice,
    limit: Option<Bytes>,
) -> Result<Exit, Failure> {
    let mut catalogue = load::catalogue(catalogue)?;
    let journal = recorder::look(&catalogue)?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    let _programs = programs::compile(&mut catalogue, Some(&run.problem))?;
    let problem = catalogue.find(&run.problem)?;
    id.map_or(Ok(()), |id| entrants::check_problem(&run, id))?;
    refuse_interactive(problem)?;
    let rechecker =
        Rechecker { journal: &journal, inputs: Inputs::of(problem), checker: ProblemChecker::of(problem), limit };

    let columns = [left("case"), left("solver").spare(1), left("recorded").wrapped(), left("today").wrapped()];
    let mut table = grid(columns, Style::of_stdout());
    let mut tally = Tally::default();
    for case in run.cases.iter() {
        let prepared = rechecker.prepare(&case);
        for (entrant, stored) in run.entrants.iter().zip(&case.results) {
            let Some(stored) = stored else { continue };
            let row =
                |recorded: String, today: String| [case.spec.name.to_string(), entrant.name.clone(), recorded, today];
            match rechecker.recheck(&prepared, stored)? {
                Recheck::Same => tally.same += 1,
                Recheck::NoAnswer => {}
                Recheck::Differs(recorded, today) => {
                    tally.differ += 1;
                    table.add_row(row(recorded, today));
                }
                Recheck::Impossible(why) => {
                    tally.impossible += 1;
                    table.add_row(row(recorded(stored), format!("cannot be checked: {why}")));
                }
            }
        }
    }
    if !table.is_empty() {
        judge_report::print(&table.text())?;
    }
    let Tally { same, differ, impossible } = tally;
    judge_report::print(&format!(
        "run {}: {same} answers as recorded, {differ} differ, {impossible} cannot be checked",
        run.id
    ))?;
    Ok(if differ + impossible == 0 { Exit::Success } else { Exit::NotAccepted })
}

/// What the answers of a run are rechecked with.
struct Rechecker<'a> {
    journal: &'a Journal,
    inputs: Inputs,
    checker: ProblemChecker,
    limit: Option<Bytes>,
}

impl Rechecker<'_> {
    /// Makes and reads the input again. Fails if it is not the recorded one.
    fn prepare(&self, case: &StoredCase) -> Result<PreparedCase, String> {
        let input = stored_case::input(&self.inputs, case)?;
        self.checker.prepare(&input, Some(&case.spec.source)).map_err(|error| error.to_string())
    }

    fn recheck(&self, prepared: &Result<PreparedCase, String>, stored: &StoredOutcome) -> Result<Recheck, Failure> {
        let verdict = stored.outcome.verdict;
        let Some(answer) = stored.answer.map(|id| self.journal.answer(id)).transpose()?.flatten() else {
            let answered = matches!(verdict, Verdict::Accepted | Verdict::WrongAnswer);
            let dropped = || Recheck::Impossible("its answer is no longer stored".to_owned());
            return Ok(if answered { dropped() } else { Recheck::NoAnswer });
        };
        let case = match prepared {
            Ok(case) => case,
            Err(why) => return Ok(Recheck::Impossible(why.clone())),
        };
        let ruling = match self.limit {
            Some(limit) if answer.len() as u64 > limit.0 => Ok(too_long(limit)),
            _ => case.check(&answer),
        };
        Ok(match ruling {
            Ok(ruling) if is_as_recorded(&ruling, &stored.outcome) => Recheck::Same,
            Ok(ruling) => Recheck::Differs(recorded(stored), today(&ruling)),
            Err(error) => Recheck::Impossible(error.to_string()),
        })
    }
}

/// A rejection is the same decision whatever its reason: a checker may word it anew.
fn is_as_recorded(ruling: &Ruling, outcome: &Outcome) -> bool {
    match ruling {
        Ruling::Accepted(score) => outcome.score.as_ref() == Some(score),
        Ruling::Rejected(_) => outcome.verdict == Verdict::WrongAnswer,
    }
}

fn today(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Rejected(rejection) if !rejection.broken.has_place() => format!("rejected: {rejection}"),
        ruling => ruling.to_string(),
    }
}

fn recorded(stored: &StoredOutcome) -> String {
    match &stored.outcome.score {
        Some(score) => format!("accepted {score}"),
        None => format!("{}: {}", stored.outcome.verdict, stored.outcome.note),
    }
}
