//! The surroundings of a program in the sandbox: its environment, and the files that it may see.

use judge_problem::{BASE_ENVIRONMENT, Program};
use judge_sandbox::Visible;
use std::ffi::{OsStr, OsString};

/// Returns the files that a program needs to see, read-only.
pub fn visible(program: &Program) -> impl Iterator<Item = Visible> {
    let paths = program.visible.iter().chain(&program.runtime.visible);
    paths.map(|path| Visible { path: path.clone(), writable: false })
}

/// Returns the environment of a program: the common one, its language's, and the user's variables. The last value of a
/// variable counts.
pub fn environment<'a>(
    program: &Program,
    asked: impl IntoIterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let base = BASE_ENVIRONMENT.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
    let mut variables: Vec<_> = base.collect();
    for folder in program.runtime.search.iter().rev() {
        let path = &mut variables[0].1;
        *path = [folder.as_os_str(), path].join(OsStr::new(":"));
    }
    let of_language = program.environment.iter().map(|(key, value)| (key, value));
    for (key, value) in of_language.chain(asked.into_iter().map(|(key, value)| (key, value))) {
        variables.retain(|(known, _)| known != OsStr::new(key));
        variables.push((key.into(), value.into()));
    }
    variables
}
