//! Commands and all that they say, with what differs from run to run redacted.

use crate::support::Folder;
use regex::Regex;
use std::fmt::Write;

/// What is redacted, in this order, and by what. The tier is that of the machine, and its gaps are lines of their own.
const REDACTED: [(&str, &str); 15] = [
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "YYYY-MM-DD hh:mm"),
    (r"CPU time +[+−].*", "CPU time  [EFFECT]"),
    (r"(?m)(^| +)\d+(\.\d+)? (ns|us|µs|ms|s|min|h)\b", "$1[TIME]"),
    (r"\b\d+\.\d+ [KMG]iB\b", "[MEMORY]"),
    (r"(?m)^sandbox tier \w+, .*\n", ""),
    (r"sandbox tier (root|delegated|userns|bare)", "sandbox tier [TIER]"),
    (r"\b[0-9a-f]{10,64}\b", "[HASH]"),
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

/// A folder, and what was said in it so far.
pub(crate) struct Transcript {
    pub(crate) folder: Folder,
    text: String,
    redacted: Vec<(Regex, &'static str)>,
    host: String,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        let redacted = REDACTED.map(|(pattern, by)| (Regex::new(pattern).unwrap(), by)).to_vec();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
        Self { folder: Folder::new(), text: String::new(), redacted, host }
    }

    /// Runs the judge, and notes what it was asked, what it said, and how it ended.
    pub(crate) fn judge(&mut self, arguments: &[&str]) {
        let output = self.folder.command(arguments).env_remove("COLUMNS").output().unwrap();
        let quoted: Vec<_> = ["judge"].iter().chain(arguments).map(|argument| quoted(argument)).collect();
        writeln!(self.text, "$ {}", quoted.join(" ")).unwrap();
        for stream in [output.stdout, output.stderr] {
            let said = String::from_utf8(stream).unwrap();
            self.text.push_str(&self.redact(&said));
        }
        writeln!(self.text, "[exit code {}]\n", output.status.code().unwrap()).unwrap();
    }

    /// Everything that was said.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn redact(&self, said: &str) -> String {
        let mut text = said.replace(self.folder.path().to_str().unwrap(), "[FOLDER]");
        for (pattern, by) in &self.redacted {
            text = pattern.replace_all(&text, *by).into_owned();
        }
        let host = Regex::new(&format!(" {} ", regex::escape(&self.host))).unwrap();
        text = host.replace_all(&text, " [HOST] ").into_owned();
        // The columns are as wide as what was redacted.
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
