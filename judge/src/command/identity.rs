//! The identity of a problem's checker.

use crate::model::{CheckerChoice, CheckerIdentity, CommandTemplate, Digest, ExternalChecker, Game, Problem};

/// Returns the identity of a checker. An external one has no version. A hash of the files that its command names takes
/// its place.
#[must_use]
pub fn checker_identity(checker: &CheckerChoice) -> CheckerIdentity {
    match checker {
        CheckerChoice::BuiltIn(checker) => {
            CheckerIdentity { name: checker.id().to_owned(), version: checker.version() }
        }
        CheckerChoice::External(external) | CheckerChoice::Interactor(external) => {
            let files = named_files(&external.command);
            let hash = Digest::of_parts(files.iter().map(Vec::as_slice));
            CheckerIdentity { name: format!("{} #{}", external.command.line, hash.short()), version: 0 }
        }
    }
}

/// Returns whether a baseline with this text is of this checker in its current version. Baselines of earlier
/// versions of the judge hash the command along with the files.
#[must_use]
pub fn is_recorded_as(checker: &CheckerChoice, text: &str) -> bool {
    let earlier = || match checker {
        CheckerChoice::BuiltIn(_) => None,
        CheckerChoice::External(ExternalChecker { command, .. })
        | CheckerChoice::Interactor(ExternalChecker { command, .. }) => {
            let files = named_files(command);
            let parts = std::iter::once(command.line.as_bytes()).chain(files.iter().map(Vec::as_slice));
            Some(format!("{} {}", command.line, Digest::of_parts(parts).short()))
        }
    };
    text == checker_identity(checker).to_string() || earlier().is_some_and(|earlier| text == earlier)
}

/// Returns the contents of the files that a command names.
fn named_files(command: &CommandTemplate) -> Vec<Vec<u8>> {
    let words = shell_words::split(&command.line).unwrap_or_default();
    words.iter().filter_map(|word| std::fs::read(command.folder.join(word)).ok()).collect()
}

/// Returns the game of a problem, with the current version of its checker.
#[must_use]
pub fn game_of(problem: &Problem) -> Game {
    Game { problem: problem.id.clone(), checker: checker_identity(&problem.checker), direction: problem.direction }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CheckerProtocol;
    use std::path::Path;

    fn external(folder: &Path, line: &str) -> CheckerChoice {
        let command = CommandTemplate { line: line.to_owned(), folder: folder.to_owned() };
        CheckerChoice::External(ExternalChecker { command, protocol: CheckerProtocol::Judge })
    }

    fn of(folder: &Path, line: &str) -> CheckerIdentity {
        checker_identity(&external(folder, line))
    }

    #[test]
    fn the_files_that_a_command_names_are_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("check.py");
        std::fs::write(&file, "print(1)").unwrap();
        let first = of(folder.path(), "python3 check.py {input}");
        assert_eq!(first, of(folder.path(), "python3 check.py {input}"));
        assert!(first.name.starts_with("python3 check.py {input} #"), "{first}");
        assert_eq!((first.version, first.to_string()), (0, first.name.clone()));
        assert_ne!(first, of(folder.path(), "python3 check.py {answer}"), "another command");
        std::fs::write(&file, "print(2)").unwrap();
        assert_ne!(first, of(folder.path(), "python3 check.py {input}"), "another content");
    }

    #[test]
    fn a_baseline_of_an_earlier_version_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("check.py"), "print(1)").unwrap();
        let line = "python3 check.py";
        let checker = external(folder.path(), line);
        let written = |line: &str, content: &str| {
            let parts = [line.as_bytes(), content.as_bytes()];
            format!("{line} {}", Digest::of_parts(parts).short())
        };
        assert!(is_recorded_as(&checker, &of(folder.path(), line).to_string()));
        assert!(is_recorded_as(&checker, &written(line, "print(1)")));
        assert!(!is_recorded_as(&checker, &written(line, "print(2)")));
        assert!(!is_recorded_as(&checker, line));
        let built_in = CheckerChoice::BuiltIn(checkers::all()[0]);
        assert!(is_recorded_as(&built_in, &checker_identity(&built_in).to_string()));
        assert!(!is_recorded_as(&built_in, "other 1"));
    }

    #[test]
    fn a_built_in_checker_has_a_version() {
        let checker = checkers::all()[0];
        let identity = checker_identity(&CheckerChoice::BuiltIn(checker));
        assert_eq!((&*identity.name, identity.version), (checker.id(), checker.version()));
    }
}
