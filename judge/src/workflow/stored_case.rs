//! A case of a recorded run: found by its name, and its input, made or read again.

use super::failure::Failure;
use crate::cases::Inputs;
use crate::model::{Digest, StoredCase, StoredRun};

/// Returns the case of this name.
pub(crate) fn find<'a>(run: &'a StoredRun, name: &str) -> Result<&'a StoredCase, Failure> {
    run.cases.iter().find(|case| *case.spec.name.0 == *name).ok_or_else(|| {
        let hint = format!("`judge history show {} --all` lists its cases", run.id);
        Failure::usage(format!("run {} has no finished case `{name}`", run.id)).with_hint(hint)
    })
}

/// Returns the place of the solver of this name; without a name, of the only solver.
pub(crate) fn find_entrant(run: &StoredRun, name: Option<&str>) -> Result<usize, Failure> {
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

/// Returns the input of a recorded case. Fails, with the reason, if it is not the recorded one.
pub(crate) fn input(inputs: &Inputs, case: &StoredCase) -> Result<Vec<u8>, String> {
    let input = inputs.load(&case.spec).map_err(|error| error.to_string())?;
    if case.input != Some(Digest::of(&input)) {
        return Err("the case's input has changed".to_owned());
    }
    Ok(input)
}
