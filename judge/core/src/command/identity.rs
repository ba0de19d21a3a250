//! The identities of a problem's checker and generator.

use super::answers::answer_files;
use super::place::named_file;
use crate::model::{
    CheckerChoice, CheckerIdentity, CheckerProtocol, CommandTemplate, Digest, ExternalChecker, FileGenerator, Game,
    GeneratorChoice, Problem,
};
use std::path::PathBuf;

/// Returns the identity of a checker. An external one has no version. A hash of the files that its command names takes
/// its place.
#[must_use]
pub fn checker_identity(checker: &CheckerChoice) -> CheckerIdentity {
    match checker {
        CheckerChoice::BuiltIn(checker) => {
            CheckerIdentity { name: checker.id().to_owned(), version: checker.version() }
        }
        CheckerChoice::Tokens(rules, answers) => {
            let files = contents(&answer_files(answers).0);
            let hash = Digest::of_parts(files.iter().map(Vec::as_slice));
            let name = format!("tokens {rules}");
            CheckerIdentity { name: format!("{} #{}", name.trim_end(), hash.short()), version: 1 }
        }
        CheckerChoice::External(external) | CheckerChoice::Interactor(external) => {
            CheckerIdentity { name: identity_of(external), version: 0 }
        }
        CheckerChoice::Tester(tester) => CheckerIdentity { name: identity_of(&tester.program), version: 0 },
    }
}

/// Returns the command, the protocol unless it is the judge's own, and a hash of all files that decide.
fn identity_of(external: &ExternalChecker) -> String {
    let mut files = named_files(&external.written());
    files.extend(contents(&answer_files(&external.answers).0));
    let protocol = match &external.protocol {
        CheckerProtocol::Judge => String::new(),
        CheckerProtocol::Kattis(kattis) => format!(" (kattis {})", kattis.arguments.join(" ")),
        CheckerProtocol::Regex(search) => {
            files.push(format!("{search:?}").into_bytes());
            " (regex)".to_owned()
        }
        CheckerProtocol::Testlib(_) => " (testlib)".to_owned(),
    };
    let then = external.then.as_ref().map(|then| format!(", then {}", identity_of(then))).unwrap_or_default();
    let hash = Digest::of_parts(files.iter().map(Vec::as_slice));
    format!("{}{} #{}{then}", external.written_line(), protocol.replace(" )", ")"), hash.short())
}

/// Returns whether a baseline with this text is of this checker in its current version. Baselines of earlier
/// versions of the judge hash the command along with the files.
#[must_use]
pub fn is_recorded_as(checker: &CheckerChoice, text: &str) -> bool {
    let earlier = || match checker {
        CheckerChoice::BuiltIn(_) | CheckerChoice::Tokens(..) | CheckerChoice::Tester(_) => None,
        CheckerChoice::External(external) | CheckerChoice::Interactor(external) => {
            let command = external.written();
            let files = named_files(&command);
            let parts = std::iter::once(command.line.as_bytes()).chain(files.iter().map(Vec::as_slice));
            Some(format!("{} {}", command.line, Digest::of_parts(parts).short()))
        }
    };
    text == checker_identity(checker).to_string() || earlier().is_some_and(|earlier| text == earlier)
}

/// Returns the contents of the files that a command names.
fn named_files(command: &CommandTemplate) -> Vec<Vec<u8>> {
    let words = shell_words::split(&command.line).unwrap_or_default();
    contents(&words.iter().map(|word| named_file(command, word)).collect::<Vec<_>>())
}

/// Returns the contents of those of these files that can be read.
fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    files.iter().filter_map(|file| std::fs::read(file).ok()).collect()
}

/// Returns what tells the generator of a problem, in its version, from others: of a command, the line with a hash of the files
/// that it names. Empty without a generator.
#[must_use]
pub fn generator_identity(problem: &Problem) -> String {
    let written = |command: &CommandTemplate, more: &[PathBuf]| {
        let line = problem.generator_source.as_ref().unwrap_or(&command.line).clone();
        let written = CommandTemplate { line, ..command.clone() };
        let files = [named_files(&written), contents(more)].concat();
        format!("{} #{}", written.line, Digest::of_parts(files.iter().map(Vec::as_slice)).short())
    };
    match &problem.generator {
        None => String::new(),
        Some(GeneratorChoice::BuiltIn { version, .. }) => format!("built in, version {version}"),
        Some(GeneratorChoice::Seed) => "the seed itself".to_owned(),
        Some(GeneratorChoice::Command(command)) => written(command, &[]),
        Some(GeneratorChoice::Files(FileGenerator { command, seeds })) => written(command, seeds.as_slice()),
    }
}

/// Returns the game of a problem, with the current version of its checker.
#[must_use]
pub fn game_of(problem: &Problem) -> Game {
    Game { problem: problem.id.clone(), checker: checker_identity(&problem.checker), direction: problem.direction }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AnswerFiles, CompiledNeeds, Testlib};
    use std::path::Path;

    fn external(folder: &Path, line: &str) -> CheckerChoice {
        let command = CommandTemplate {
            line: line.to_owned(),
            folder: folder.to_owned(),
            trusted: false,
            compiled: CompiledNeeds::default(),
        };
        CheckerChoice::External(speaking(command, CheckerProtocol::Judge))
    }

    fn speaking(command: CommandTemplate, protocol: CheckerProtocol) -> ExternalChecker {
        ExternalChecker { command, source_line: None, protocol, answers: AnswerFiles::default(), then: None }
    }

    #[test]
    fn another_protocol_and_other_answers_are_another_checker() {
        let folder = tempfile::tempdir().unwrap();
        let command = CommandTemplate {
            line: "./check".to_owned(),
            folder: folder.path().to_owned(),
            trusted: false,
            compiled: CompiledNeeds::default(),
        };
        let testlib = |answers| {
            let external = speaking(command.clone(), CheckerProtocol::Testlib(Testlib { xml: false }));
            checker_identity(&CheckerChoice::External(ExternalChecker { answers, ..external })).name
        };
        let answers =
            AnswerFiles { patterns: vec!["*.ans".to_owned()], folder: folder.path().to_owned(), named: Vec::new() };
        let without = testlib(AnswerFiles::default());
        assert!(without.starts_with("./check (testlib) #"), "{without}");
        assert_ne!(without, of(folder.path(), "./check").name);
        assert_eq!(without, testlib(answers.clone()), "there are none");
        std::fs::write(folder.path().join("1.ans"), "5").unwrap();
        let first = testlib(answers.clone());
        std::fs::write(folder.path().join("1.ans"), "6").unwrap();
        assert!(first != without && first != testlib(answers));
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
