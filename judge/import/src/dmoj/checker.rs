//! The checkers and generators of DMOJ: comparisons, as arguments of `tokens`, and programs of the problem.

use crate::program::{self, Program};
use crate::text::{self, Text};
use crate::yaml::Mapping;
use crate::{Result, Sources, files};
use std::path::{Path, PathBuf};

/// The default number of decimals in which numbers must agree.
const PRECISION: f64 = 6.0;

/// Checkers that `tokens` cannot express, with a description.
const OTHERS: [(&str, &str); 7] = [
    ("easy", "compares which letters there are"),
    ("identical_with_pe", "gives a verdict of its own for white space"),
    ("linecount", "gives points for each line"),
    ("linematches", "gives points for each line"),
    ("rstripped", "compares lines without the white space at their ends"),
    ("sorted", "compares lines in any order"),
    ("unordered", "compares words in any order"),
];

/// The key of an interactor.
pub(super) const INTERACTIVE: &str = "interactive";

/// The arguments of an interactor of the type `default`.
const OF_DEFAULT: &str = "{input} {expected}";

/// How answers are checked.
#[derive(Debug)]
pub(super) enum Checker {
    /// By `tokens`, with these arguments.
    Tokens(String),
    /// By a program of the problem.
    Bridged(Bridged),
}

/// A checker or interactor with the protocol of testlib.
#[derive(Debug)]
pub(super) struct Bridged {
    role: &'static Role,
    pub(super) program: Program,
    /// Its arguments, if they differ from testlib's.
    words: Option<String>,
    /// Its limits, if the problem sets them.
    pub(super) limits: Vec<(String, String)>,
}

/// The role of a program.
#[derive(Debug)]
struct Role {
    article: &'static str,
    noun: &'static str,
    /// The key of the settings of such a program.
    place: &'static str,
    /// The placeholder for `{output_file}` in `args_format_string`.
    output: &'static str,
}

static CHECKER: Role = Role { article: "a", noun: "checker", place: "checker.args", output: "{answer}" };
static INTERACTOR: Role = Role { article: "an", noun: "interactor", place: INTERACTIVE, output: "{output}" };

impl Checker {
    /// Reads `checker`. Adds a line for each difference.
    pub(super) fn read(config: &Mapping, root: &Path, left: &mut Vec<String>) -> Result<Self> {
        if config.has(INTERACTIVE) {
            let Ok(settings) = config.mapping(INTERACTIVE) else {
                return Err(config.unsupported("an interactor in Python, which runs inside DMOJ's judge"));
            };
            if config.has("checker") {
                left.push("init.yml: `checker`: the interactor decides".to_owned());
            }
            return bridged(&INTERACTOR, config, &settings, root, left).map(Self::Bridged);
        }
        let none = config.mapping("")?;
        let (name, args) = match config.text("checker") {
            Ok(name) => (name.unwrap_or_else(|| "standard".to_owned()), none),
            Err(_) => {
                let checker = config.mapping("checker")?;
                (checker.required("name", "the name of a checker, such as `standard`")?, checker.mapping("args")?)
            }
        };
        if name == "bridged" {
            return bridged(&CHECKER, config, &args, root, left).map(Self::Bridged);
        }
        let flags = comparison(config, &name, &args)?;
        if name != "identical" {
            left.push(format!("init.yml: checker `{name}`: line breaks between tokens are not compared"));
        }
        not_used(&CHECKER, &args, &["precision", "error_mode", "pe_allowed"], left);
        Ok(Self::Tokens(flags))
    }

    /// Returns a description for people.
    pub(super) fn shown(&self, root: &Path) -> String {
        match self {
            Self::Tokens(arguments) => format!("the checker: tokens {arguments}"),
            Self::Bridged(Bridged { role, program, .. }) => {
                let source = program.source.strip_prefix(root).unwrap_or(&program.source);
                format!("the {}: {}", role.noun, source.display())
            }
        }
    }

    pub(super) fn write(&self, text: &mut Text) {
        match self {
            Self::Tokens(arguments) => {
                text.text("checker", "tokens").text("checker-arguments", arguments);
            }
            Self::Bridged(Bridged { role, program, words, .. }) => {
                let command = match words {
                    Some(words) => format!("{} {words}", program.command),
                    None => program.command.clone(),
                };
                text.command(&format!("{}-command", role.noun), &command, program.compiled.is_some());
                text.text("checker-protocol", "testlib");
            }
        }
    }
}

/// Returns the arguments of `tokens`.
fn comparison(config: &Mapping, name: &str, args: &Mapping) -> Result<String> {
    let precision = args.number("precision")?.unwrap_or(PRECISION).trunc();
    Ok(match name {
        "standard" => "case_sensitive".to_owned(),
        "identical" => "case_sensitive space_change_sensitive".to_owned(),
        "floats" => {
            let mode = args.text("error_mode")?;
            format!("case_sensitive {} 1e-{precision}", tolerance(config, mode.as_deref())?)
        }
        "floatsabs" => format!("case_sensitive float_absolute_tolerance 1e-{precision}"),
        "floatsrel" => format!("case_sensitive float_relative_tolerance 1e-{precision}"),
        own if own.contains('.') => {
            return Err(config.unsupported(format!("the checker `{own}`, which runs inside DMOJ's judge")));
        }
        other => {
            if let Some((_, does)) = OTHERS.iter().find(|(known, _)| *known == other) {
                return Err(config.unsupported(format!("the checker `{other}`, which {does}")));
            }
            let expected = "`standard`, `identical`, `floats`, `floatsabs`, `floatsrel` or `bridged`";
            return Err(config.wrong("checker", format!("checker `{other}`"), expected));
        }
    })
}

fn tolerance(config: &Mapping, mode: Option<&str>) -> Result<&'static str> {
    match mode {
        None | Some("default") => Ok("float_tolerance"),
        Some("absolute") => Ok("float_absolute_tolerance"),
        Some("relative") => Ok("float_relative_tolerance"),
        Some(other) => {
            Err(config.wrong("checker", format!("error_mode `{other}`"), "`default`, `absolute` or `relative`"))
        }
    }
}

/// Reads a checker or an interactor that is a program.
fn bridged(
    role: &'static Role,
    config: &Mapping,
    settings: &Mapping,
    root: &Path,
    left: &mut Vec<String>,
) -> Result<Bridged> {
    let what = &format!("{} {}", role.article, role.noun);
    let is_default = is_default(role, config, settings, left)?;
    check_sources(settings, what)?;
    let files = read_sources(settings, "files", root)?;
    let whole = format!("the {}", role.noun);
    let program = program::of_files(root, &files[0], files.clone(), role.noun, &whole)
        .map_err(|(_, why)| config.unsupported(format!("{what} {why}")))?;
    if program::gives_points(&program.files) {
        return Err(config.unsupported(format!("{what} that gives points of its own")));
    }
    let place = |words: String| {
        let words = words.replace("{input_file}", "{input}").replace("{output_file}", role.output);
        words.replace("{answer_file}", "{expected}")
    };
    let of_default = (is_default && role.place == INTERACTIVE).then(|| OF_DEFAULT.to_owned());
    let words = settings.text("args_format_string")?.map(place).or(of_default);
    let mut limits = Vec::new();
    limits.extend(settings.limit("time_limit", "s")?.map(|time| (format!("{}-wall", role.noun), time)));
    limits.extend(settings.limit("memory_limit", " KiB")?.map(|memory| ("checker-memory".to_owned(), memory)));
    let known = [
        "files",
        "lang",
        "type",
        "flags",
        "args_format_string",
        "time_limit",
        "memory_limit",
        "compiler_time_limit",
        "feedback",
        "cached",
    ];
    not_used(role, settings, &known, left);
    Ok(Bridged { role, program, words, limits })
}

/// Returns whether a program has the type `default` instead of `testlib`. Other types are rejected.
fn is_default(role: &'static Role, config: &Mapping, settings: &Mapping, left: &mut Vec<String>) -> Result<bool> {
    match settings.text("type")?.as_deref() {
        Some("testlib") => Ok(false),
        None | Some("default") => {
            let codes = "exit codes other than 0 and 1 are errors there, and have the meaning of testlib's here";
            left.push(format!("init.yml: `{}.type`: {codes}", role.place));
            Ok(true)
        }
        Some(other @ ("coci" | "peg")) => {
            let what = format!("{} {} of the type `{other}`", role.article, role.noun);
            Err(config.unsupported(format!("{what}, which gives points in its own way")))
        }
        Some(other) => {
            let found = format!("{} type `{other}`", role.noun);
            Err(settings.wrong("type", found, "`default` or `testlib`"))
        }
    }
}

fn not_used(role: &'static Role, settings: &Mapping, known: &[&str], left: &mut Vec<String>) {
    let others = settings.keys().filter(|key| !known.contains(key));
    left.extend(others.map(|key| format!("init.yml: `{}.{key}` is not used", role.place)));
}

/// The key in all tables.
pub(super) const KEY: &str = "generator";

/// A generator.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) sources: Sources,
    /// Its default arguments.
    pub(super) arguments: Vec<String>,
}

impl Generator {
    /// Reads `generator`. `None` if there is none.
    pub(super) fn read(config: &Mapping, root: &Path, left: &mut Vec<String>) -> Result<Option<Self>> {
        if !config.has(KEY) {
            return Ok(None);
        }
        let (files, arguments) = match config.words(KEY) {
            Ok(_) => (read_sources(config, KEY, root)?, Vec::new()),
            Err(_) => {
                let own = config.mapping(KEY)?;
                check_sources(&own, "a generator")?;
                let limits = ["time_limit", "memory_limit"].into_iter().filter(|key| own.has(key));
                left.extend(limits.map(|key| {
                    format!(
                        "init.yml: `{KEY}.{key}`: generators run once, at import, with the limits of all generators"
                    )
                }));
                (read_sources(&own, "source", root)?, own.words("args")?.unwrap_or_default())
            }
        };
        if !text::is_known(&files[0]) {
            return Err(config.unsupported("a generator in no language of `judge languages`"));
        }
        let named = |file: &std::path::PathBuf| (file.clone(), file.strip_prefix(root).unwrap_or(file).to_owned());
        let files = files.iter().map(named).collect();
        Ok(Some(Self { sources: Sources { what: "the generator".to_owned(), files, main: None }, arguments }))
    }
}

/// Rejects a program with settings other than how to compile and run it.
fn check_sources(settings: &Mapping, what: &str) -> Result<()> {
    if settings.words("flags")?.is_some_and(|flags| !flags.is_empty()) {
        return Err(settings.unsupported(format!("{what} that is compiled with `flags`")));
    }
    let language = ["lang", "language"].map(|key| settings.text(key)).into_iter().collect::<Result<Vec<_>, _>>()?;
    if language.iter().flatten().any(|name| name == "PY2") {
        return Err(settings.unsupported(format!("{what} in Python 2")));
    }
    Ok(())
}

/// Returns the files of a program. There is at least one.
fn read_sources(settings: &Mapping, key: &str, root: &Path) -> Result<Vec<PathBuf>> {
    let names = settings.words(key)?.unwrap_or_default();
    if names.is_empty() {
        return Err(settings.wrong(key, format!("there is no `{key}`"), "the name of a source"));
    }
    let find = |name: &String| {
        let path = root.join(name);
        if !path.is_file() {
            return Err(settings.wrong(key, format!("there is no file `{name}`"), "a source beside init.yml"));
        }
        files::check_link(root, &path)?;
        Ok(path)
    };
    names.iter().map(find).collect()
}
