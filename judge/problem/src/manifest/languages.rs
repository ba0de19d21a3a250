//! Reads the `[language.NAME]` tables of a catalogue, of the user's own file, and of the judge.

use super::builtin::BUILT_IN_LANGUAGES;
use super::document::{ManifestError, read_document};
use super::placeholders;
use super::section::{Located, Section};
use crate::model::{Bytes, LanguageTable, Languages, TimeFactor};
use std::sync::OnceLock;

/// How a table is written.
const TITLE: &str = "[language.NAME]";

/// What stands for something in the commands that compile.
const COMPILE: [&str; 4] = ["source", "sources", "out", "stem"];

/// What stands for something in the commands that run. Each of the first names the solver.
const RUN: [&str; 8] = ["program", "source", "class", "out", "stem", "memory-mb", "heap-mb", "young-mb"];
const NAMING: usize = 4;

/// What stands for something in the variables of a program.
const ENVIRONMENT: [&str; 3] = ["memory-mb", "heap-mb", "young-mb"];

/// What stands for something in the command that prints a version.
const VERSION: [&str; 1] = ["tool"];

/// The most that a language may be allowed beyond a problem's limits.
const MOST_MEMORY: Bytes = Bytes(4 << 30);
const MOST_PROCESSES: u32 = 256;

/// Returns the languages that are part of the program.
///
/// # Panics
/// Never, as long as the project's own tests pass.
#[must_use]
pub fn built_in() -> &'static Languages {
    static LANGUAGES: OnceLock<Languages> = OnceLock::new();
    let read = || match read_languages("languages.toml (built in)", BUILT_IN_LANGUAGES, &Languages::default()) {
        Ok(tables) => Languages::default().with(&tables),
        Err(error) => panic!("{error}"),
    };
    LANGUAGES.get_or_init(read)
}

/// Reads a file of languages. `file` is its name in messages; tables of `known` languages need not be complete.
///
/// # Errors
/// Every error in it, at once.
pub fn read_languages(file: &str, text: &str, known: &Languages) -> Result<Vec<LanguageTable>, ManifestError> {
    read_document("the languages", file, text, |root| {
        let tables = read(&root, || known);
        root.finish();
        tables
    })
}

/// Reads the tables under the key `language`, in the order of the file. The `known` languages are asked for if there are any.
pub(super) fn read<'a>(root: &Section<'_>, known: impl FnOnce() -> &'a Languages) -> Vec<LanguageTable> {
    let Some(all) = root.section("language", "[language.NAME]") else { return Vec::new() };
    let known = known();
    let mut sections = all.named_sections(TITLE);
    sections.sort_by_key(|(name, _)| name.span.start);
    sections.into_iter().map(|(name, section)| read_table(&name, section, known)).collect()
}

fn read_table(name: &Located<&str>, section: Section<'_>, known: &Languages) -> LanguageTable {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+#_-".contains(c);
    if name.value.is_empty() || !name.value.chars().all(fits) {
        let expected = "expected lower-case letters, digits, `+`, `#`, `-` and `_`";
        section.complain(name.span.clone(), format!("bad name of a language `{}`", name.value), expected);
    }
    let table = LanguageTable {
        name: name.value.to_owned(),
        extensions: names(&section, "extensions", "an ending without its point, such as \"cpp\"", |c| c != '.'),
        files: names(&section, "files", "the name of a file, such as \"Cargo.toml\"", |_| true),
        compile: commands(&section, "compile", &COMPILE),
        run: run(&section),
        needs: names(&section, "needs", "the name of a program, such as \"make\"", |_| true),
        version: command(&section, "version", &VERSION),
        environment: environment(&section),
        time_factor: section.numeric::<TimeFactor>("time-factor", "a number from 1 to 100").map(|read| read.value),
        extra_memory: at_most(&section, "extra-memory", section.parsed::<Bytes>("extra-memory"), &MOST_MEMORY),
        extra_processes: {
            let read = section.integer::<u32>("extra-processes", "a whole number of processes");
            at_most(&section, "extra-processes", read, &MOST_PROCESSES)
        },
        package: section.text("package").map(|read| read.value.to_owned()),
    };
    if known.find(name.value).is_none() {
        if table.run.is_none() {
            section.missing("run", "\"{program}\"` or `run = \"interpreter {source}\"");
        }
        let runs_compiled = |line: &String| line.contains("{program}") || line.contains("{class}");
        if table.compile.is_none() && table.run.iter().flatten().any(runs_compiled) {
            section.missing("compile", "\"compiler -o {out}/main {source}\"");
        }
        if table.extensions.is_none() && table.files.is_none() {
            section.missing("extensions", "[\"xyz\"]` or `files = [\"build.xyz\"]");
        }
    }
    section.finish();
    table
}

fn at_most<T: PartialOrd + Clone + std::fmt::Display>(
    section: &Section<'_>,
    key: &str,
    read: Option<Located<T>>,
    most: &T,
) -> Option<T> {
    let Located { value, span } = read?;
    if value > *most {
        section.complain(span, format!("bad value of `{key}` in {TITLE}"), format!("expected at most {most}"));
    }
    Some(value)
}

/// Reads an array of plain names, of the characters that `fits` allows.
fn names(section: &Section<'_>, key: &'static str, is: &str, fits: fn(char) -> bool) -> Option<Vec<String>> {
    let read = section.one_or_more_texts(key)?;
    for Located { value, span } in &read {
        let is_plain = |c: char| !c.is_whitespace() && c != '/' && fits(c);
        if value.is_empty() || !value.chars().all(is_plain) {
            section.complain(span.clone(), format!("bad value of `{key}` in {TITLE}"), format!("expected {is}"));
        }
    }
    Some(read.into_iter().map(|name| name.value.to_owned()).collect())
}

/// Reads a command and its alternatives.
fn commands(section: &Section<'_>, key: &'static str, placeholders: &[&str]) -> Option<Vec<String>> {
    let read = section.one_or_more_texts(key)?;
    for command in &read {
        check_command(section, key, command, placeholders);
    }
    Some(read.into_iter().map(|command| command.value.to_owned()).collect())
}

fn command(section: &Section<'_>, key: &'static str, placeholders: &[&str]) -> Option<String> {
    let read = section.text(key)?;
    check_command(section, key, &read, placeholders);
    Some(read.value.to_owned())
}

/// Reports what is wrong with a command, and returns whether nothing is.
fn check_command(section: &Section<'_>, key: &str, command: &Located<&str>, placeholders: &[&str]) -> bool {
    if shell_words::split(command.value).is_ok_and(|words| !words.is_empty()) {
        return placeholders::check(section, key, command, placeholders);
    }
    let message = format!("bad value of `{key}` in {TITLE}");
    section.complain(command.span.clone(), message, "expected a command line whose quotes match");
    false
}

/// Reads the commands that run a solver: each must say which.
fn run(section: &Section<'_>) -> Option<Vec<String>> {
    let read = section.one_or_more_texts("run")?;
    for command in &read {
        let names_it = RUN[..NAMING].iter().any(|name| command.value.contains(&format!("{{{name}}}")));
        if check_command(section, "run", command, &RUN) && !names_it {
            let expected = "add `{program}`, what was compiled, or `{source}`, the source itself";
            section.complain(command.span.clone(), "the command does not run the solver", expected);
        }
    }
    Some(read.into_iter().map(|command| command.value.to_owned()).collect())
}

fn environment(section: &Section<'_>) -> Option<Vec<(String, String)>> {
    let table = section.section("environment", "[language.NAME.environment]")?;
    let variable = |entry: super::section::Entry<'_>| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if entry.key.value.is_empty() || !entry.key.value.chars().all(is_name) {
            let message = format!("bad name of a variable `{}`", entry.key.value);
            table.complain(entry.key.span, message, "expected letters, digits and `_`");
        }
        placeholders::check(&table, "environment", &entry.text, &ENVIRONMENT);
        (entry.key.value.to_owned(), entry.text.value.to_owned())
    };
    Some(table.entries().into_iter().map(variable).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Allowance;

    fn errors(text: &str) -> Vec<String> {
        let read = read_languages("l.toml", text, built_in());
        let complaints = read.unwrap_err().complaints;
        complaints.iter().map(|complaint| complaint.render("l.toml", text)).collect()
    }

    #[test]
    fn the_built_in_languages_are_complete() {
        let languages = built_in();
        assert!(languages.iter().count() > 20);
        for language in languages.iter() {
            assert!(!language.run.is_empty(), "{}", language.name);
            assert!(!language.extensions.is_empty() || !language.files.is_empty(), "{}", language.name);
        }
        assert!(languages.endings().starts_with(".rs, .cpp, .cc"), "{}", languages.endings());
        for ending in ["py", "kt", "ts", "cs", "hs", "ml", "php", "lua", "pas", "zig", "sh", "pl", "rb", "java"] {
            assert!(languages.of_ending(ending).next().is_some(), "{ending}");
        }
    }

    #[test]
    fn a_table_may_change_a_field_alone() {
        let text = "[language.cpp]\ntime-factor = 1.5\nextra-memory = \"64 MiB\"\nextra-processes = 4\n";
        let tables = read_languages("l.toml", text, built_in()).unwrap();
        let languages = built_in().clone().with(&tables);
        let (own, plain) = (languages.find("cpp").unwrap(), built_in().find("cpp").unwrap().clone());
        let time_factor = "1.5".parse().unwrap();
        assert_eq!(own.allowance, Allowance { time_factor, extra_memory: Bytes(64 << 20), extra_processes: 4 });
        assert_eq!((&own.compile, &own.run), (&plain.compile, &plain.run));
    }

    #[test]
    fn what_is_wrong_is_shown_with_its_place() {
        for (text, place, message) in [
            ("[language.cpp]\ncompiler = \"g++\"", "l.toml:2:1", "did you mean `compile`?"),
            ("[language.cpp]\ncompile = \"g++ {sorce}\"", "l.toml:2:16", "did you mean `{source}`?"),
            ("[language.cpp]\ncompile = [\"g++ 'x\"]", "l.toml:2:12", "quotes match"),
            ("[language.cpp]\nrun = \"main\"", "l.toml:2:7", "add `{program}`"),
            ("[language.cpp]\nrun = 7", "l.toml:2:7", "expected a text, or an array of texts"),
            ("[language.cpp]\nextensions = [\".cpp\"]", "l.toml:2:15", "without its point"),
            ("[language.cpp]\ntime-factor = 0.5", "l.toml:2:15", "from 1 to 100"),
            ("[language.cpp]\nextra-memory = \"5 GiB\"", "l.toml:2:16", "at most 4 GiB"),
            ("[language.cpp]\nextra-processes = 257", "l.toml:2:19", "at most 256"),
            ("[language.cpp.environment]\n\"A=\" = \"1\"", "l.toml:2:1", "expected letters"),
            ("[language.cpp.environment]\nA = \"{memory}\"", "l.toml:2:6", "did you mean `{memory-mb}`?"),
            ("[language.\"C++ 20\"]\nrun = \"{program}\"", "l.toml:1:11", "expected lower-case letters"),
            ("language = 1", "l.toml:1:12", "a table, written [language.NAME]"),
            ("[language]\ncpp = 1", "l.toml:2:7", "a table, written [language.NAME]"),
            ("[languages.cpp]\n", "l.toml:1:2", "did you mean `language`?"),
        ] {
            let errors = errors(text);
            assert!(errors[0].contains(&format!("{place}\n")) && errors[0].contains(message), "{text}: {}", errors[0]);
        }
        let errors_of_new = errors("[language.new]\nextensions = [\"new\"]\nrun = \"{program}\"");
        assert!(errors_of_new[0].contains("has no `compile`"), "{errors_of_new:?}");
        let errors = errors("[language.new]\npackage = \"new\"");
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("has no `run`") && errors[1].contains("has no `extensions`"), "{errors:?}");
    }
}
