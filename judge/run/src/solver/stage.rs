//! Copies of files that only root can reach: in the sandbox a solver that root starts is another user.

use super::toolbox::Toolbox;
use crate::program::is_open;
use judge_problem::Invocation;
use std::path::PathBuf;

/// Returns the invocation with every file that other users cannot reach replaced by a copy in the toolbox. For
/// other users than root nothing changes: the solver runs as the user.
pub(super) fn stage(invocation: Invocation, toolbox: &Toolbox) -> Invocation {
    if !rustix::process::geteuid().is_root() {
        return invocation;
    }
    let Invocation::Program(mut program) = invocation else { return invocation };
    let on_foot = toolbox.on_foot;
    let private: Vec<_> =
        program.visible.iter().filter(|path| path.is_file() && !is_open(path, on_foot)).cloned().collect();
    for original in private {
        let copy = match toolbox.copy(&original) {
            Ok(copy) => copy,
            Err(error) => return Invocation::CannotStart(format!("cannot copy {}: {error}", original.display())),
        };
        let moved = |path: &mut PathBuf| {
            if *path == original {
                path.clone_from(&copy);
            }
        };
        moved(&mut program.path);
        program.visible.iter_mut().for_each(moved);
        program
            .argv
            .iter_mut()
            .filter(|word| **word == *original)
            .for_each(|word| *word = copy.clone().into_os_string());
    }
    Invocation::Program(program)
}
