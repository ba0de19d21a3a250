//! A case of a recorded run: found by its name, and its input, made or read again.

use super::failure::Failure;
use judge_problem::{Digest, Problem, RunId, StoredCase, StoredRun, Verdict};
use judge_run::cases::Inputs;

/// Returns the case of this name.
pub fn find(run: &StoredRun, name: &str) -> Result<StoredCase, Failure> {
    let place = run.cases.specs().place_of(name);
    place.map(|place| run.cases.at(place)).ok_or_else(|| {
        let hint = format!("`judge history show {} --all` lists its cases", run.id);
        Failure::usage(format!("run {} has no finished case `{name}`", run.id)).with_hint(hint)
    })
}

/// Returns the place of the solver of this name; without a name, of the only solver.
pub fn find_entrant(run: &StoredRun, name: Option<&str>) -> Result<usize, Failure> {
    let all = || run.entrants.iter().map(|entrant| entrant.name.as_str()).collect::<Vec<_>>().join(", ");
    let fail = |what: String| Err(Failure::usage(what).with_hint(format!("name one with --solver: {}", all())));
    match name {
        None if run.entrants.len() == 1 => Ok(0),
        None => fail(format!("run {} has {} solvers", run.id, run.entrants.len())),
        Some(name) => match run.entrants.iter().position(|entrant| entrant.name == name) {
            Some(place) => Ok(place),
            None => fail(format!("run {} has no solver `{name}`", run.id)),
        },
    }
}

/// Returns the error for a result whose answer is not stored.
pub fn no_answer(run: RunId, player: &str, case: &StoredCase, verdict: Verdict) -> Failure {
    Failure::usage(format!("run {run} has no stored answer of `{player}` to {} ({verdict})", case.spec.name))
}

/// Returns the input of a recorded case of a run, to be shown.
pub fn shown_input(problem: &Problem, run: RunId, case: &StoredCase) -> Result<Vec<u8>, Failure> {
    input(&Inputs::of(problem), case)
        .map_err(|why| Failure::usage(format!("{} of run {run} cannot be shown: {why}", case.spec.name)))
}

/// Returns the input of a recorded case. Fails, with the reason, if it is not the recorded one.
pub fn input(inputs: &Inputs, case: &StoredCase) -> Result<Vec<u8>, String> {
    let input = inputs.load(&case.spec).map_err(|error| error.to_string())?;
    if case.input != Some(Digest::of(&input)) {
        return Err("the case's input has changed".to_owned());
    }
    Ok(input)
}
