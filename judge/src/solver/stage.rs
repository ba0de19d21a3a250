//! Files that only root can reach: in the sandbox a solver that root starts is another user, and gets copies of them.

use super::Toolbox;
use crate::model::Invocation;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the invocation with every file that other users cannot reach replaced by a copy in the toolbox. For
/// everybody but root it is the same: the solver is the user's own.
pub(super) fn stage(invocation: Invocation, toolbox: &mut Toolbox) -> Invocation {
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

/// Whether everybody may read this file, and pass through all folders on the way to it where that is how it is reached.
pub(super) fn is_open(path: &Path, on_foot: bool) -> bool {
    let allows =
        |mode: u32, meta: io::Result<Metadata>| meta.is_ok_and(|meta| meta.permissions().mode() & mode == mode);
    let runs = path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
    let wanted = if runs { 0o005 } else { 0o004 };
    let passes = || path.ancestors().skip(1).all(|folder| allows(0o001, folder.metadata()));
    allows(wanted, path.metadata()) && (!on_foot || passes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_open_when_everybody_can_reach_and_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let file = folder.path().join("bot");
        std::fs::write(&file, "").unwrap();
        for (folder_mode, file_mode, shown, on_foot) in [
            (0o755, 0o644, true, true),
            (0o755, 0o755, true, true),
            (0o711, 0o644, true, true),
            (0o700, 0o755, true, false),
            (0o755, 0o600, false, false),
            (0o755, 0o744, false, false),
        ] {
            set(folder.path(), folder_mode);
            set(&file, file_mode);
            let open = [false, true].map(|on_foot| is_open(&file, on_foot));
            assert_eq!(open, [shown, on_foot], "{folder_mode:o} {file_mode:o}");
        }
    }
}
