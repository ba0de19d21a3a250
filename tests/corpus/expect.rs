//! The corpus's table: how each program is started, which verdicts are allowed, and which conditions must hold.

use std::time::Duration;

/// One program of the corpus.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) limits: Limits,
    /// As the table has them: `OK`, `TLE`, …
    pub(crate) allowed: Vec<String>,
    pub(crate) demands: Vec<Demand>,
}

/// The program's limits, and its standard input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    pub(crate) cpu_ms: u64,
    pub(crate) wall_ms: u64,
    pub(crate) memory_mib: u64,
    pub(crate) output_kib: u64,
    pub(crate) processes: u64,
    pub(crate) stdin_mib: u64,
}

/// The conditions that must hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Demand {
    /// The judge answers within this time.
    Answer(Duration),
    /// The judge's own peak memory stays below this many MiB.
    OwnMemory(u64),
    /// The disk that is used stays below this many MiB.
    Disk(u64),
    /// The machine's available memory does not fall by more than the limit and some.
    HostMemory,
    /// A second judge is not held up.
    HostResponsive,
    /// A figure of the report is not less than this.
    AtLeast(Figure, f64),
    /// A figure of the report is not more than this.
    AtMost(Figure, f64),
    /// A figure of the report is this.
    Exactly(Figure, f64),
    /// Looked at after every program, whether it is demanded or not.
    Always,
}

/// A figure of the judge's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    Code,
    Signal,
    /// In MiB.
    Peak,
    /// In milliseconds.
    Cpu,
    /// In milliseconds.
    Wall,
}

impl Row {
    /// The program's limit on elapsed time: the table's value if this limit may end the program, otherwise more, so
    /// that a busy machine does not end it.
    pub(crate) fn wall(&self) -> Duration {
        let may_end_it = self.allowed.iter().any(|verdict| verdict == "ILE");
        Duration::from_millis(self.limits.wall_ms) * if may_end_it { 1 } else { 4 }
    }

    /// Whether other programs would disturb the check.
    pub(crate) fn is_about_the_machine(&self) -> bool {
        self.demands.iter().any(|demand| matches!(demand, Demand::HostMemory | Demand::Disk(_)))
    }
}

/// Reads the table. `Err` says which line cannot be read.
pub(crate) fn rows(table: &str) -> Result<Vec<Row>, String> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let rows: Vec<Row> = lines.map(|line| row(line).ok_or_else(|| line.to_owned())).collect::<Result<_, _>>()?;
    if rows.is_empty() { Err("no programs".to_owned()) } else { Ok(rows) }
}

fn row(line: &str) -> Option<Row> {
    let [name, limits_text, allowed, demands, ..] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some(Row {
        name: name.to_owned(),
        limits: limits(limits_text)?,
        allowed: allowed.split('|').map(str::to_owned).collect(),
        demands: demands.split(',').map(demand).collect::<Option<_>>()?,
    })
}

fn limits(text: &str) -> Option<Limits> {
    let mut limits = Limits::default();
    for word in text.split(' ') {
        let (key, value) = word.split_once('=')?;
        let place = match (key, value) {
            ("stdin", "-") | ("stack_mb", "0") => continue,
            ("stdin", _) => {
                limits.stdin_mib = value.strip_suffix('M')?.parse().ok()?;
                continue;
            }
            ("cpu_ms", _) => &mut limits.cpu_ms,
            ("wall_ms", _) => &mut limits.wall_ms,
            ("mem_mb", _) => &mut limits.memory_mib,
            ("out_kb", _) => &mut limits.output_kib,
            ("pids", _) => &mut limits.processes,
            _ => return None,
        };
        *place = value.parse().ok()?;
    }
    Some(limits)
}

fn demand(text: &str) -> Option<Demand> {
    const ALWAYS: [&str; 11] = [
        "noproc",
        "noesc",
        "canary",
        "nonet",
        "judge_alive",
        "bystander_alive",
        "ipc_clean",
        "shm_clean",
        "cleanup",
        "nocore",
        "judge_binary",
    ];
    let number = |prefix: &str| text.strip_prefix(prefix)?.parse::<f64>().ok();
    let figures = [
        ("code", Figure::Code),
        ("sig", Figure::Signal),
        ("peak", Figure::Peak),
        ("cpu", Figure::Cpu),
        ("wall", Figure::Wall),
    ];
    for (name, figure) in figures {
        let bound = |sign: &str| number(&format!("{name}{sign}"));
        let least = bound(">=").map(|value| Demand::AtLeast(figure, value));
        let most = bound("<=").map(|value| Demand::AtMost(figure, value));
        let exact = bound("=").map(|value| Demand::Exactly(figure, value));
        if let Some(demand) = least.or(most).or(exact) {
            return Some(demand);
        }
    }
    match text {
        "hostmem" => Some(Demand::HostMemory),
        "host_responsive" => Some(Demand::HostResponsive),
        _ if ALWAYS.contains(&text) => Some(Demand::Always),
        _ => number("ans<")
            .map(|seconds| Demand::Answer(Duration::from_secs_f64(seconds)))
            .or_else(|| number("rss<").map(|mib| Demand::OwnMemory(mib as u64)))
            .or_else(|| number("disk<").map(|mib| Demand::Disk(mib as u64))),
    }
}
