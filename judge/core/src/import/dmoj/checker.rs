//! The checkers of DMOJ: comparisons, as arguments of `tokens`, and programs of the problem's own.

use super::sources;
use crate::import::error::ImportError;
use crate::import::program::{self, Program, Refusal};
use crate::import::text::Text;
use crate::import::yaml::Mapping;
use std::path::Path;

/// Decimals that numbers must agree in where the problem does not say it.
const PRECISION: f64 = 6.0;

/// The folder of the checker's files beside the `problems.toml`.
const FOLDER: &str = "checker";

/// Checkers that are no comparison of `tokens`, and what they do.
const OTHERS: [(&str, &str); 7] = [
    ("easy", "compares which letters there are"),
    ("identical_with_pe", "gives a verdict of its own for white space"),
    ("linecount", "gives points for each line"),
    ("linematches", "gives points for each line"),
    ("rstripped", "compares lines without the white space at their ends"),
    ("sorted", "compares lines in any order"),
    ("unordered", "compares words in any order"),
];

/// Words of `args_format_string`, and what stands for them in a command.
const PLACES: [(&str, &str); 3] =
    [("{input_file}", "{input}"), ("{output_file}", "{answer}"), ("{answer_file}", "{expected}")];

/// How answers are checked.
#[derive(Debug)]
pub(super) enum Checker {
    /// By `tokens`, with these arguments.
    Tokens(String),
    /// By a program of the problem.
    Bridged(Bridged),
}

/// A program that checks, under the protocol of testlib.
#[derive(Debug)]
pub(super) struct Bridged {
    pub(super) program: Program,
    /// The words behind it, where they are not those of testlib.
    words: Option<String>,
    /// `checker-wall` and `checker-memory`, where the problem has them.
    pub(super) limits: Vec<(&'static str, String)>,
}

impl Checker {
    /// Reads `checker`. Lines say in what it differs.
    pub(super) fn read(config: &Mapping, root: &Path, left: &mut Vec<String>) -> Result<Self, ImportError> {
        let none = config.mapping("")?;
        let (name, args) = match config.text("checker") {
            Ok(name) => (name.unwrap_or_else(|| "standard".to_owned()), none),
            Err(_) => {
                let checker = config.mapping("checker")?;
                (checker.required("name", "the name of a checker, such as `standard`")?, checker.mapping("args")?)
            }
        };
        if name == "bridged" {
            return bridged(config, &args, root, left).map(Self::Bridged);
        }
        let flags = comparison(config, &name, &args)?;
        if name != "identical" {
            left.push(format!("init.yml: checker `{name}`: that tokens stand in the same lines is not compared"));
        }
        not_used(&args, &["precision", "error_mode", "pe_allowed"], left);
        Ok(Self::Tokens(flags))
    }

    /// Returns whether every byte counts.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Tokens(arguments) if arguments.contains("space_change_sensitive"))
    }

    /// Returns what it is, for a reader.
    pub(super) fn shown(&self, root: &Path) -> String {
        match self {
            Self::Tokens(arguments) => format!("tokens {arguments}"),
            Self::Bridged(Bridged { program, .. }) => {
                program.source.strip_prefix(root).unwrap_or(&program.source).display().to_string()
            }
        }
    }

    pub(super) fn write(&self, text: &mut Text) {
        match self {
            Self::Tokens(arguments) => {
                text.text("checker", "tokens").text("checker-arguments", arguments);
            }
            Self::Bridged(Bridged { program, words, .. }) => {
                let command = match words {
                    Some(words) => format!("{} {words}", program.command),
                    None => program.command.clone(),
                };
                text.text("checker-command", &command);
                if program.compiled.is_some() {
                    text.because("compiled from the sources beside it: `judge import` again after a change");
                }
                text.text("checker-protocol", "testlib");
            }
        }
    }
}

/// Returns the arguments of `tokens`.
fn comparison(config: &Mapping, name: &str, args: &Mapping) -> Result<String, ImportError> {
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

fn tolerance(config: &Mapping, mode: Option<&str>) -> Result<&'static str, ImportError> {
    match mode {
        None | Some("default") => Ok("float_tolerance"),
        Some("absolute") => Ok("float_absolute_tolerance"),
        Some("relative") => Ok("float_relative_tolerance"),
        Some(other) => {
            Err(config.wrong("checker", format!("error_mode `{other}`"), "`default`, `absolute` or `relative`"))
        }
    }
}

/// Reads a checker that is a program.
fn bridged(config: &Mapping, args: &Mapping, root: &Path, left: &mut Vec<String>) -> Result<Bridged, ImportError> {
    match args.text("type")?.as_deref() {
        Some("testlib") => {}
        None | Some("default") => left.push(
            "init.yml: `checker.args.type`: exit codes other than 0 and 1 are errors there, and have the meaning of testlib's \
             here"
                .to_owned(),
        ),
        Some(other @ ("coci" | "peg")) => {
            let what = format!("a checker of the type `{other}`, which gives points in its own way");
            return Err(config.unsupported(what));
        }
        Some(other) => {
            return Err(args.wrong("type", format!("checker type `{other}`"), "`default` or `testlib`"));
        }
    }
    sources::check(args, "a checker")?;
    let files = sources::read(args, "files", root)?;
    let refused = |refusal| match refusal {
        Refusal::Unsupported(_, why) => config.unsupported(format!("a checker {why}")),
        Refusal::Unreadable(error) => error,
    };
    let program = program::of_files(root, &files[0], files.clone(), FOLDER, "the checker").map_err(refused)?;
    if program::gives_points(&program.files) {
        return Err(config.unsupported("a checker that gives points of its own"));
    }
    let words = args
        .text("args_format_string")?
        .map(|words| PLACES.iter().fold(words, |words, (theirs, ours)| words.replace(theirs, ours)));
    let mut limits = Vec::new();
    if let Some(seconds) = args.number("time_limit")? {
        limits.push(("checker-wall", format!("{seconds}s")));
    }
    if let Some(kibibytes) = args.number("memory_limit")? {
        limits.push(("checker-memory", format!("{kibibytes} KiB")));
    }
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
    not_used(args, &known, left);
    Ok(Bridged { program, words, limits })
}

fn not_used(args: &Mapping, known: &[&str], left: &mut Vec<String>) {
    let others = args.keys().filter(|key| !known.contains(key));
    left.extend(others.map(|key| format!("init.yml: `checker.args.{key}` is not used")));
}
