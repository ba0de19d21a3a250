//! The identities of a problem's checker and generator.

use super::setter::named_file;
use crate::matching::{answer_files, real};
use crate::program::{is_in_journal, sources_in};
use judge_problem::{
    CheckerChoice, CheckerIdentity, CheckerProtocol, CommandTemplate, Digest, ExternalChecker, FileGenerator, Game,
    GeneratorChoice, Problem, map_on_all_cores,
};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The maximal number of files of a command that are read, and the maximal number of bytes of each that are searched
/// for names of other files.
const MAX_FILES_READ: usize = 100;
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest line with modules, in bytes. A longer one is not written by a person.
const MAX_IMPORT_BYTES: usize = 1000;

/// Returns the identity of a checker. An external checker has no version. Its identity contains a hash of the files
/// that its command names, and of the files that those name.
pub fn checker_identity(checker: &CheckerChoice) -> CheckerIdentity {
    let (name, version) = match checker {
        CheckerChoice::BuiltIn(checker) => (checker.id.to_owned(), checker.version),
        CheckerChoice::Tokens(rules, answers) => {
            let name = format!("tokens {rules}");
            let answers = Digest::of_parts(contents(&answer_files(answers).0));
            (format!("{} #{}", name.trim_end(), answers.short()), 1)
        }
        CheckerChoice::External(external) => (identity_of(external), 0),
    };
    CheckerIdentity { name, version }
}

/// Returns the beginning of a hash of a command's files, of the settings of its language, and of more parts.
fn hash(command: &CommandTemplate, more: Vec<Vec<u8>>) -> String {
    let language = command.language.iter().map(|settings| settings.clone().into_bytes());
    let parts: Vec<_> = contents(&named_paths(command)).into_iter().chain(language).chain(more).collect();
    Digest::of_parts(&parts).short()
}

/// Returns the command, its protocol if that is not the judge's own, and a hash of all files that matter.
fn identity_of(external: &ExternalChecker) -> String {
    let mut files = contents(&answer_files(&external.answers).0);
    let protocol = match &external.protocol {
        CheckerProtocol::Judge => String::new(),
        CheckerProtocol::Kattis(kattis) => {
            let passes = (kattis.passes > 1).then(|| format!("in {} passes", kattis.passes));
            let arguments = kattis.arguments.iter().map(String::as_str).chain(passes.as_deref());
            format!(" ({})", std::iter::once("kattis").chain(arguments).collect::<Vec<_>>().join(" "))
        }
        CheckerProtocol::Regex(search) => {
            files.push(format!("{search:?}").into_bytes());
            " (regex)".to_owned()
        }
        CheckerProtocol::Testlib(_) => " (testlib)".to_owned(),
    };
    let then = external.follower().map(|then| format!(", then {}", identity_of(then))).unwrap_or_default();
    format!("{}{protocol} #{}{then}", external.command.written_line(), hash(&external.command, files))
}

/// Returns the files that the command of an external checker names, and the files that those name.
pub fn checker_files(checker: &CheckerChoice) -> Vec<PathBuf> {
    let programs = std::iter::successors(checker.program(), |program| program.follower());
    programs.flat_map(|program| named_paths(&program.command)).collect()
}

/// Returns the files that a command names, and the files that those name.
fn named_paths(command: &CommandTemplate) -> Vec<PathBuf> {
    let words = shell_words::split(command.written_line()).unwrap_or_default();
    // `sh -c 'python3 gen.py {seed}'` has a command inside a word.
    let inner = words.iter().filter(|word| word.contains(char::is_whitespace)).flat_map(|word| word.split_whitespace());
    let named: Vec<_> = words.iter().map(String::as_str).chain(inner).map(|word| named_file(command, word)).collect();
    let folder = named.first().filter(|_| command.language.is_some());
    let sources = folder.and_then(|folder| sources_in(folder).ok()).unwrap_or_default();
    // A trusted command may write to its folder, so the files there do not identify its version.
    let mut files = if command.trusted { named } else { with_referenced_files(&command.folder, named) };
    files.extend(sources);
    files
}

/// Adds the files that scripts and sources import, include, start or read, if they are in the folder of the command or
/// beside the script. If a file is named in another way, a change is noticed only through changed inputs.
fn with_referenced_files(folder: &Path, named: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut next: VecDeque<PathBuf> = named.into();
    while let Some(file) = next.pop_front() {
        if !file.is_file() || files.contains(&file) || files.len() == MAX_FILES_READ {
            continue;
        }
        let own = file.parent().unwrap_or(folder).to_owned();
        let ending = file.extension().and_then(OsStr::to_str).unwrap_or("py").to_owned();
        let text = std::fs::read(&file).ok().filter(|content| content.len() <= MAX_TEXT_BYTES);
        let text = text.and_then(|content| String::from_utf8(content).ok()).unwrap_or_default();
        files.push(file);
        for name in names_in(&text, &ending) {
            next.extend([&own, folder].map(|folder| folder.join(&name)));
        }
    }
    files
}

/// Returns words of a script that may name files: relative paths with a dot or a slash, and modules. A module has the
/// ending of the script. In Python it may also be a package, or a part of the first package of its line.
fn names_in(text: &str, ending: &str) -> Vec<PathBuf> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let mut names = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let names_modules =
            ["import ", "from "].iter().any(|start| line.starts_with(start)) || line.contains("require");
        let is_import = line.len() <= MAX_IMPORT_BYTES && names_modules;
        let mut package = PathBuf::new();
        for word in line.split(|c| !is_part(c)).filter(|word| !word.is_empty() && !word.starts_with('/')) {
            if word.contains(['.', '/']) {
                names.push(word.into());
            }
            if !is_import || matches!(word, "import" | "from") {
                continue;
            }
            let module = if word.contains('/') { word.to_owned() } else { word.trim_matches('.').replace('.', "/") };
            let file = format!("{module}.{ending}");
            names.extend([package.join(&file), file.into()]);
            names.extend(Path::new(&module).ancestors().map(|folder| folder.join("__init__.py")));
            if package.as_os_str().is_empty() {
                package = module.into();
            }
        }
    }
    names
}

/// Returns the contents of the files that can be read.
fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    // A device such as `/dev/zero` has no end, and no program sees a journal.
    let counts = |file: &&PathBuf| file.is_file() && !is_in_journal(&real(file));
    let read = |number: usize| std::fs::read(Some(&files[number]).filter(counts)?).ok();
    map_on_all_cores(files.len(), read).into_iter().flatten().collect()
}

/// Returns the identity of a problem's generator with its version. For a command, it is the command line with a hash of
/// the files that it names, directly or indirectly. Empty without a generator.
pub fn generator_identity(problem: &Problem) -> String {
    let written = |command: &CommandTemplate, seeds: &[PathBuf]| {
        format!("{} #{}", command.written_line(), hash(command, contents(seeds)))
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
pub fn game_of(problem: &Problem) -> Game {
    Game { problem: problem.id.clone(), checker: checker_identity(&problem.checker), direction: problem.direction }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{AnswerFiles, Kattis, Role, Testlib};

    fn external(folder: &Path, line: &str) -> CheckerChoice {
        let command = CommandTemplate {
            line: line.to_owned(),
            folder: folder.to_owned(),
            trusted: false,
            ..CommandTemplate::default()
        };
        CheckerChoice::External(speaking(command, CheckerProtocol::Judge))
    }

    fn speaking(command: CommandTemplate, protocol: CheckerProtocol) -> ExternalChecker {
        ExternalChecker { role: Role::Checker, command, protocol, answers: AnswerFiles::default(), then: None }
    }

    #[test]
    fn another_protocol_and_other_answers_are_another_checker() {
        let folder = tempfile::tempdir().unwrap();
        let command = CommandTemplate {
            line: "./check".to_owned(),
            folder: folder.path().to_owned(),
            trusted: false,
            ..CommandTemplate::default()
        };
        let kattis = |passes| {
            let protocol = CheckerProtocol::Kattis(Kattis { arguments: vec!["a".to_owned()], passes });
            checker_identity(&CheckerChoice::External(speaking(command.clone(), protocol))).name
        };
        assert!(
            kattis(1).starts_with("./check (kattis a) #") && kattis(3).starts_with("./check (kattis a in 3 passes) #")
        );
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
    fn files_that_a_script_names_are_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("gen/gen.sh", "#!/bin/sh\npython3 gen/make.py $1 < ./gen/data.txt\n");
        write("gen/make.py", "from lib import shape\nimport tables.large as t\nprint(shape)\n");
        write("gen/lib.py", "shape = 1\nfrom tables import small\n    from .near import x\nimport whole");
        write("gen/tables/__init__.py", "x = 1");
        write("gen/tables/small.py", "x = 1");
        write("gen/near.py", "x = 1");
        write("gen/whole/__init__.py", "x = 1");
        write("gen/tables/large.py", "x = 1");
        write("gen/data.txt", "1 2 3");
        write("other.py", "nothing to do with it");
        for line in ["sh gen/gen.sh", "sh -c 'exec gen/gen.sh 1'", "env A=1 ./gen/gen.sh"] {
            let now = || of(folder.path(), line);
            for (name, text) in [
                ("gen/gen.sh", "#!/bin/sh\n: ; python3 gen/make.py $1 < ./gen/data.txt\n"),
                ("gen/make.py", "from lib import shape\nimport tables.large as t\nprint(shape, 2)\n"),
                ("gen/lib.py", "shape = 2"),
                ("gen/tables/__init__.py", "x = 2"),
                ("gen/tables/large.py", "x = 2"),
                ("gen/tables/small.py", "x = 2"),
                ("gen/near.py", "x = 2"),
                ("gen/whole/__init__.py", "x = 2"),
                ("gen/data.txt", "1 2 4"),
            ] {
                let before = now();
                let old = std::fs::read_to_string(folder.path().join(name)).unwrap();
                write(name, text);
                assert_ne!(now(), before, "{line}: {name}");
                write(name, &old);
                assert_eq!(now(), before, "{line}: {name}");
            }
            let before = now();
            write("other.py", line);
            assert_eq!(now(), before, "{line}");
        }
    }

    #[test]
    fn a_source_has_its_files_and_its_language() {
        let folder = tempfile::tempdir().unwrap();
        let of = |language: Option<&str>| {
            let CheckerChoice::External(mut checker) = external(folder.path(), "check/ {answer}") else {
                unreachable!()
            };
            checker.command.language = language.map(str::to_owned);
            checker_identity(&CheckerChoice::External(checker))
        };
        for name in ["check/main.cpp", "check/in/shape.h", "check/target/main.o"] {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let before = of(Some("c++ -O2"));
            std::fs::write(file, "1").unwrap();
            assert_eq!(before == of(Some("c++ -O2")), name.contains("target"), "{name}");
        }
        assert!(of(Some("c++ -O2")) != of(Some("c++ -O3")) && of(None) != of(Some("c++ -O3")));
    }

    #[test]
    fn a_module_has_the_ending_of_the_script() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for (script, text, module) in [
            ("check.js", "const rules = require('./rules')", "rules.js"),
            ("check.ts", "import { rules } from './typed'", "typed.ts"),
            ("check.rb", "require_relative 'ruled'", "ruled.rb"),
            ("check.lua", "local rules = require(\"moon\")", "moon.lua"),
        ] {
            write(script, text);
            let now = || of(folder.path(), &format!("run {script}"));
            let before = now();
            write(module, "1");
            assert_ne!(now(), before, "{script}");
        }
    }

    #[test]
    fn a_built_in_checker_has_a_version() {
        let checker = checkers::all()[0];
        let identity = checker_identity(&CheckerChoice::BuiltIn(checker));
        assert_eq!((&*identity.name, identity.version), (checker.id, checker.version));
    }
}
