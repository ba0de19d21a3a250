//! The languages of source files: how they are compiled and run.

use std::path::Path;

/// A language of source files.
pub(super) struct Language {
    /// The endings of its files.
    endings: &'static [&'static str],
    /// Its compilers, of which the first installed one is used; empty for interpreted languages. `{source}` and `{out}`
    /// are replaced; `{out}` is an empty folder for the compiled files.
    pub(super) compilers: &'static [&'static str],
    /// How the program is run.
    pub(super) run: &'static str,
}

const LANGUAGES: [Language; 10] = [
    Language { endings: &["rs"], compilers: &["rustc --edition 2024 -O -o {out}/main {source}"], run: "{out}/main" },
    Language {
        endings: &["cpp", "cc", "cxx"],
        compilers: &["g++ -O2 -std=c++20 -o {out}/main {source}", "clang++ -O2 -std=c++20 -o {out}/main {source}"],
        run: "{out}/main",
    },
    Language {
        endings: &["c"],
        compilers: &["gcc -O2 -o {out}/main {source} -lm", "clang -O2 -o {out}/main {source} -lm"],
        run: "{out}/main",
    },
    Language { endings: &["go"], compilers: &["go build -o {out}/main {source}"], run: "{out}/main" },
    Language {
        endings: &["java"],
        compilers: &["javac -d {out} {source}"],
        run: "java -XX:+UseSerialGC -XX:TieredStopAtLevel=4 -cp {out} {stem}",
    },
    Language { endings: &["py"], compilers: &[], run: "python3 {source}" },
    Language { endings: &["js", "mjs"], compilers: &[], run: "node {source}" },
    Language { endings: &["sh"], compilers: &[], run: "sh {source}" },
    Language { endings: &["rb"], compilers: &[], run: "ruby {source}" },
    Language { endings: &["pl"], compilers: &[], run: "perl {source}" },
];

/// Returns the endings of all source files, as they are listed in messages: `.rs, .cpp, …`.
pub(super) fn endings() -> String {
    let all = LANGUAGES.iter().flat_map(|language| language.endings);
    all.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}

/// Returns the language of a source file, by its ending.
pub(super) fn of(source: &Path) -> Option<&'static Language> {
    let ending = source.extension()?.to_str()?;
    LANGUAGES.iter().find(|language| language.endings.contains(&ending))
}
