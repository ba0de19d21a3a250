//! The languages of solvers on this machine, and the cache of compiled programs, as text and as JSON.

use crate::text::{Columns, Document, Field, Paint, Style, left, painted, whole};
use judge_problem::{Allowance, CacheSummary, LanguageStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

#[derive(Serialize, JsonSchema)]
pub(crate) struct LanguagesDocument<'a> {
    schema: u32,
    languages: Vec<LanguageRecord<'a>>,
}

/// A language, in the order in which they are tried.
#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct LanguageRecord<'a> {
    /// The name, as --language takes it.
    name: &'a str,
    /// The endings of its source files, without the point.
    extensions: &'a [String],
    /// The names of files that mark a folder of this language.
    files: &'a [String],
    /// Whether everything that it needs is installed.
    installed: bool,
    /// The programs that are missing; of those in one entry, one is enough.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    missing: &'a [String],
    /// The first line that its compiler or interpreter prints as its version.
    version: Option<&'a str>,
    /// The command that compiles here.
    compile: Option<&'a str>,
    /// The command that runs here.
    run: Option<&'a str>,
    /// The Debian package to install.
    package: Option<&'a str>,
    allowance: AllowanceRecord,
}

/// What its solvers may use beyond a problem's limits.
#[derive(Serialize, JsonSchema)]
struct AllowanceRecord {
    time_factor: f64,
    extra_memory_bytes: u64,
    extra_processes: u32,
}

impl Document for [LanguageStatus] {
    fn record(&self) -> impl Serialize {
        LanguagesDocument { schema: 1, languages: self.iter().map(record).collect() }
    }
}

fn record(status: &LanguageStatus) -> LanguageRecord<'_> {
    let language = &status.language;
    let Allowance { time_factor, extra_memory, extra_processes } = language.allowance;
    LanguageRecord {
        name: &language.name,
        extensions: &language.extensions,
        files: &language.files,
        installed: status.missing.is_empty(),
        missing: &status.missing,
        version: status.version.as_deref(),
        compile: status.compile.as_deref(),
        run: status.run.as_deref(),
        package: language.package.as_deref(),
        allowance: AllowanceRecord {
            time_factor: time_factor.as_number(),
            extra_memory_bytes: extra_memory.0,
            extra_processes,
        },
    }
}

/// Returns the languages as a table, with the missing programs.
pub fn languages_text(languages: &[LanguageStatus], style: Style) -> String {
    let mut columns = Columns::new();
    columns.add(left("language"), |status: &&LanguageStatus| Field::new(&status.language.name));
    columns.add(left("files").spare(2), |status| files(status));
    // The text names the package to install, so it is wrapped, not cut.
    columns.add(left("installed").wrapped(), |status| installed(status));
    columns.add(whole("command").spare(3), |status| command(status));
    columns.add(left("allowance").spare(1), |status| allowance(&status.language.allowance));
    columns.table(languages).text(style)
}

fn files(status: &LanguageStatus) -> String {
    let endings = status.language.extensions.iter().map(|ending| format!(".{ending}"));
    endings.chain(status.language.files.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn installed(status: &LanguageStatus) -> Field {
    match (&*status.missing, &status.version, &status.language.package) {
        ([], Some(version), _) => painted(version, Paint::Good),
        ([], None, _) => match &status.language.version {
            Some(version) => painted(&format!("yes, but `{version}` fails"), Paint::Bad),
            None => painted("yes", Paint::Good),
        },
        (_, _, Some(package)) => painted(&format!("no: apt-get install {package}"), Paint::Bad),
        (missing, _, None) => painted(&format!("no: there is no {}", missing.join(", no ")), Paint::Bad),
    }
}

fn command(status: &LanguageStatus) -> String {
    let first = |lines: &[String]| lines.first().cloned();
    let language = &status.language;
    let compile = status.compile.clone().or_else(|| first(&language.compile));
    let run = status.run.clone().or_else(|| first(&language.run));
    compile.or(run).unwrap_or_default()
}

fn allowance(allowance: &Allowance) -> String {
    let Allowance { time_factor, extra_memory, extra_processes } = allowance;
    let parts = [
        (*time_factor != Allowance::default().time_factor).then(|| format!("time x {time_factor}")),
        (extra_memory.0 > 0).then(|| format!("+{extra_memory}")),
        (*extra_processes > 0).then(|| format!("+{extra_processes} processes")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the content of the cache as a line.
pub fn cache_text(summary: &CacheSummary) -> String {
    let CacheSummary { folder, programs, bytes, bound } = summary;
    let programs = if *programs == 1 { "1 entry".to_owned() } else { format!("{programs} entries") };
    format!("{}: {programs}, {bytes} of at most {bound}", folder.display())
}
