//! Commands and their whole output, with parts that differ from run to run redacted: one case for each command.

use crate::support::Folder;
use regex::{Captures, Regex};
use snapbox::{Assert, Data};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The redacted patterns, in this order, and their replacements. The tier depends on the machine, and its gaps are
/// separate lines.
const REDACTED: [(&str, &str); 14] = [
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "YYYY-MM-DD hh:mm"),
    (r"CPU time +[+−].*", "CPU time  [EFFECT]"),
    (r"(?m)(^| +)\d+(\.\d+)? (ns|us|µs|ms|s|min|h)\b", "$1[TIME]"),
    (r"\b\d+\.\d+ [KMG]iB\b", "[MEMORY]"),
    (r"(?m)^sandbox tier \w+, .*\n", ""),
    (r"sandbox tier (root|delegated|userns|bare)", "sandbox tier [TIER]"),
    (r"\bjudge( +)\d+\.\d+\.\d+\b", "judge$1[VERSION]"),
    (r"(?m)^machine .*$", "machine [MACHINE]"),
    // How busy the machine is.
    (r"(?m)(; | {2,})noisy$", ""),
    (r" noisy; ", " "),
    (r"(?m)^.* timings are noisy .*\n", ""),
    (r"(?m)^.* runs waited for a core.*\n", ""),
    (r"(?m)^\d+ of \d+ cores free: other judges run here; .*\n", ""),
    (r"(?m) +$", ""),
];

/// Hashes, and numbers with many digits, which are not hashes.
const HEXADECIMAL: &str = r"\b[0-9a-f]{10,64}\b";

/// A folder, and its output so far.
pub(crate) struct Transcript {
    pub(crate) folder: Folder,
    cases: Vec<Case>,
    redacted: Vec<(Regex, &'static str)>,
    host: String,
}

/// One command and its output. The command names the case.
struct Case {
    name: String,
    text: String,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        let redacted = REDACTED.map(|(pattern, by)| (Regex::new(pattern).unwrap(), by)).to_vec();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
        Self { folder: Folder::new(), cases: Vec::new(), redacted, host }
    }

    /// Runs the judge, and records its arguments, its output, and its end.
    pub(crate) fn judge(&mut self, arguments: &[&str]) {
        let output = self.folder.command(arguments).env_remove("COLUMNS").output().unwrap();
        let quoted: Vec<_> = ["judge"].iter().chain(arguments).map(|argument| quoted(argument)).collect();
        let mut text = format!("$ {}\n", quoted.join(" "));
        for stream in [output.stdout, output.stderr] {
            let said = String::from_utf8(stream).unwrap();
            text.push_str(&self.redact(&said));
        }
        writeln!(text, "[exit code {}]", output.status.code().unwrap()).unwrap();
        self.cases.push(Case { name: name_of(arguments), text });
    }

    /// Compares each case with its file in this folder, and names all that differ. Every file must have a case.
    pub(crate) fn assert_reads_as_before(self, kind: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/reports/snapshots").join(kind);
        let assert = Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
        let mut files = BTreeSet::new();
        let mut different = String::new();
        for Case { name, text } in self.cases {
            let file = folder.join(format!("{name}.txt"));
            assert!(files.insert(file.clone()), "{kind}: two cases are called {name}");
            if let Err(difference) =
                assert.try_eq(Some(&name), Data::text(text).raw(), Data::read_from(&file, None).raw())
            {
                writeln!(different, "{kind}/{name}:\n{difference}").unwrap();
            }
        }
        let is_without_case = |file: &PathBuf| !files.contains(file);
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let left: Vec<PathBuf> = entries.filter(is_without_case).collect();
        assert!(different.is_empty() && left.is_empty(), "{different}files without a case: {left:?}");
    }

    fn redact(&self, said: &str) -> String {
        let mut text = said.replace(self.folder.path().to_str().unwrap(), "[FOLDER]");
        for (pattern, by) in &self.redacted {
            text = pattern.replace_all(&text, *by).into_owned();
        }
        let hexadecimal = Regex::new(HEXADECIMAL).unwrap();
        let hash = |found: &Captures<'_>| {
            let is_number = found[0].bytes().all(|byte| byte.is_ascii_digit());
            if is_number { found[0].to_owned() } else { "[HASH]".to_owned() }
        };
        text = hexadecimal.replace_all(&text, hash).into_owned();
        let host = Regex::new(&format!(" {} ", regex::escape(&self.host))).unwrap();
        text = host.replace_all(&text, " [HOST] ").into_owned();
        // The widths of columns depend on the redacted text.
        let has_other_widths =
            ["[TIME]", "[MEMORY]", "[HOST]", "[EFFECT]", "[MACHINE]"].iter().any(|by| text.contains(by));
        if has_other_widths {
            text = Regex::new("(?m)([^ \n]) {2,}").unwrap().replace_all(&text, "$1  ").into_owned();
            text = Regex::new("─+").unwrap().replace_all(&text, "─").into_owned();
        }
        text
    }
}

fn quoted(argument: &str) -> String {
    let is_plain = argument.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,{}".contains(c));
    if is_plain { argument.to_owned() } else { format!("'{argument}'") }
}

/// Words of letters and digits, such as `run-p-columns-seeds-9-1`.
fn name_of(arguments: &[&str]) -> String {
    let command_line = arguments.join(" ");
    let words: Vec<&str> =
        command_line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join("-") }
}
