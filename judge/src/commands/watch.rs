//! `judge run --watch`: runs again when the source of a solver or the catalogue changes, and shows what changed in the results.

use judge_cli::RunArgs;
use judge_problem::{Exit, Verdict, counted, with_flags, without_flags};
use judge_report::{Style, TextTable, left, right};
use judge_session::running::{PARENT, WATCHED};
use judge_session::{Failure, GlobalArgs, Result, Snapshot, command_line, entrants, load, snapshot};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// How often the files are read. Polling works on every file system, and also finds changes by other machines.
const PERIOD: Duration = Duration::from_millis(200);

/// A run starts when nothing has changed for this long, because an editor or a build may write several files.
const QUIET: Duration = Duration::from_millis(300);

/// A cancelled run that takes longer ends at once.
const PATIENCE: Duration = Duration::from_secs(3);

/// The number of changed cases that are shown.
const SHOWN: usize = 20;

/// Runs again and again, until the user or an error ends it.
pub(super) fn watch(global: GlobalArgs<'_>, args: &RunArgs) -> Result<Exit> {
    let watched = watched(global, args)?;
    // The report has all cases without these flags.
    let words = without_flags(command_line::words(), &["--watch", "--reverse"], &["--sort", "--top"]);
    let words = with_flags(words, ["--json".to_owned(), "-".to_owned()]);
    let mut last: Option<Value> = None;
    loop {
        let seen = settled(&watched);
        if let Some(result) = Rerun::start(&words)?.result_unless(|| snapshot(&watched) != seen)? {
            show(last.as_ref(), &result)?;
            last = Some(result);
        }
        let there = seen.values().flatten().count();
        judge_report::note(&format!("watching {}; Ctrl-C ends", counted(there, "file")));
        while snapshot(&watched) == seen {
            sleep(PERIOD);
        }
    }
}

/// Returns the catalogue's file, and the files and folders that the solvers of the command line name.
fn watched(global: GlobalArgs<'_>, args: &RunArgs) -> Result<Vec<PathBuf>> {
    let catalogue = load::catalogue(global)?;
    let problem = load::problem(&catalogue, args.problem_id())?;
    let given_solvers = args.solvers();
    let own = problem.default_solver.iter().filter(|_| given_solvers.is_empty() && args.submissions.is_empty());
    // The catalogue's own solver starts from the folder of the catalogue.
    let own = own.map(|text| entrants::of_catalogue(text, &catalogue.folder));
    let solvers = given_solvers.iter().map(|text| entrants::of_catalogue(text, Path::new(""))).chain(own);
    let mut watched: Vec<PathBuf> = global.catalogue.map(Path::to_owned).into_iter().collect();
    watched.push(catalogue.folder.join("problems.toml"));
    for spec in solvers {
        let spec = spec?;
        watched.extend(spec.answers().map(Path::to_owned));
        let words = shell_words::split(&spec.text).unwrap_or_default();
        watched.extend([vec![spec.text], words].concat().into_iter().map(PathBuf::from));
    }
    watched.extend(args.submissions.iter().map(|pattern| match Path::new(pattern).parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }));
    // Missing files may appear later.
    Ok(watched)
}

/// Returns the state of the files once nothing changes for a while.
fn settled(watched: &[PathBuf]) -> Snapshot {
    loop {
        let seen = snapshot(watched);
        sleep(QUIET);
        if snapshot(watched) == seen {
            return seen;
        }
    }
}

/// A run of the same command, by another judge process, which ends with this one.
struct Rerun {
    child: Child,
    output: JoinHandle<Vec<u8>>,
}

impl Rerun {
    fn start(words: &[String]) -> Result<Self> {
        let executable = std::env::current_exe().map_err(Failure::fault)?;
        let mut child = Command::new(executable)
            .args(words)
            .env(PARENT, std::process::id().to_string())
            .env(WATCHED, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(Failure::fault)?;
        let mut stdout = child.stdout.take();
        let read = move || {
            let mut bytes = Vec::new();
            // Unreadable output is not a report.
            let _ = stdout.as_mut().map(|stdout| stdout.read_to_end(&mut bytes));
            bytes
        };
        Ok(Self { child, output: spawn(read) })
    }

    /// Returns the report of the run. `None` if it has none, or is cancelled because `is_outdated`.
    fn result_unless(mut self, is_outdated: impl Fn() -> bool) -> Result<Option<Value>> {
        while self.child.try_wait().map_err(Failure::fault)?.is_none() {
            if is_outdated() {
                self.cancel()?;
                return Ok(None);
            }
            sleep(PERIOD / 4);
        }
        let output = self.output.join().unwrap_or_default();
        Ok(serde_json::from_slice(&output).ok())
    }

    /// Interrupts the run by ending its standard input, and if this takes long by a signal.
    fn cancel(&mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let started = Instant::now();
        let mut is_pressed = false;
        while self.child.try_wait().map_err(Failure::fault)?.is_none() {
            if started.elapsed() > PATIENCE && !is_pressed {
                is_pressed = kill_process(Pid::from_child(&self.child), Signal::INT).is_ok();
            }
            sleep(PERIOD / 10);
        }
        Ok(())
    }
}

/// Shows the totals, and the cases whose verdict or score changed, on one screen.
fn show(last: Option<&Value>, result: &Value) -> Result<()> {
    if std::io::stdout().is_terminal() {
        // `print` would escape it.
        judge_report::print_bytes(b"\x1b[H\x1b[2J")?;
    }
    judge_report::print(&shown(last, result, Style::of_stdout()))?;
    Ok(())
}

fn shown(last: Option<&Value>, result: &Value, style: Style) -> String {
    let mut lines: Vec<String> = list(result, "solvers").map(|solver| totals(last, solver)).collect();
    lines.extend(compiler_messages(result));
    let before: BTreeMap<(&str, &str), String> =
        last.into_iter().flat_map(|last| list(last, "cases")).map(|case| (key(case), outcome(case))).collect();
    let mut changed = Vec::new();
    for case in list(result, "cases") {
        let (now, was) = (outcome(case), before.get(&key(case)).map_or("–", String::as_str));
        let is_failed = case["verdict"] != "accepted";
        // At first, only failures are news.
        if (last.is_some() && now != was) || (last.is_none() && is_failed) {
            changed.push([key(case).0.to_owned(), key(case).1.to_owned(), was.to_owned(), now]);
        }
    }
    let left_out = changed.len().saturating_sub(SHOWN);
    let mut table = TextTable::of([left("case"), left("solver"), right("before"), right("now")]);
    changed.iter().take(SHOWN).for_each(|row| table.add_row(row));
    if !table.is_empty() {
        lines.push(table.text(style));
    } else if last.is_some() {
        lines.push("no case changed".to_owned());
    }
    lines.extend((left_out > 0).then(|| format!("{} changed", counted(left_out, "more case"))));
    lines.join("\n")
}

/// Returns the compiler's message for each solver that does not compile.
fn compiler_messages(result: &Value) -> impl Iterator<Item = String> {
    let mut seen = BTreeSet::new();
    let broken = list(result, "cases").filter(|case| case["verdict"] == Verdict::CompileError.name());
    broken.filter(move |case| seen.insert(key(case).1)).map(|case| text(&case["note"]).to_owned())
}

fn totals(last: Option<&Value>, solver: &Value) -> String {
    let total = |solver: &Value| solver.get("total").map_or_else(|| "–".to_owned(), Value::to_string);
    let before = last.and_then(|last| list(last, "solvers").find(|other| other["name"] == solver["name"]));
    let before = before.map(|before| format!(" ({} before)", total(before))).unwrap_or_default();
    let verdicts = solver["verdicts"].as_object().into_iter().flatten();
    let verdicts: Vec<String> = verdicts.map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("{}: {}; total {}{before}", text(&solver["name"]), verdicts.join(", "), total(solver))
}

fn list<'a>(report: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    report[key].as_array().into_iter().flatten()
}

fn key(case: &Value) -> (&str, &str) {
    (text(&case["case"]), text(&case["solver"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the score of a case, or else its verdict.
fn outcome(case: &Value) -> String {
    case.get("score").map_or_else(|| text(&case["verdict"]).to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(total: i64, cases: &[(&str, Option<i64>)]) -> Value {
        let case = |(name, score): &(&str, Option<i64>)| match score {
            Some(score) => json!({"case": name, "solver": "bot", "verdict": "accepted", "score": score}),
            None => json!({"case": name, "solver": "bot", "verdict": "wrong-answer"}),
        };
        let solvers = json!([{"name": "bot", "total": total, "verdicts": {"accepted": cases.len()}}]);
        json!({"solvers": solvers, "cases": cases.iter().map(case).collect::<Vec<_>>()})
    }

    #[test]
    fn only_what_changed_is_shown() {
        let first = report(7, &[("a", Some(3)), ("b", None), ("c", Some(4))]);
        let said = shown(None, &first, Style::PLAIN);
        assert!(
            said.starts_with("bot: 3 accepted; total 7\n") && said.contains(" b ") && !said.contains(" a "),
            "{said}"
        );
        let second = report(9, &[("a", Some(5)), ("b", None), ("c", Some(4))]);
        let said = shown(Some(&first), &second, Style::PLAIN);
        assert!(said.starts_with("bot: 3 accepted; total 9 (7 before)\n"), "{said}");
        assert!(said.lines().last().unwrap_or_default().split_whitespace().eq(["a", "bot", "3", "5"]), "{said}");
        assert!(shown(Some(&second), &second, Style::PLAIN).ends_with("no case changed"));
        let mut broken = first.clone();
        for case in broken["cases"].as_array_mut().unwrap() {
            case["verdict"] = "compile-error".into();
            case["note"] = "bot.c:1: expected `;`".into();
        }
        assert_eq!(shown(None, &broken, Style::PLAIN).matches("bot.c:1: expected `;`").count(), 1);
    }

    #[test]
    fn files_are_seen_to_change_and_what_builds_write_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let watched = [folder.path().to_owned()];
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/bot.py", "1");
        let seen = snapshot(&watched);
        write("target/bot", "x");
        write(".git/index", "x");
        assert_eq!(snapshot(&watched), seen);
        write("src/bot.py", "22");
        assert_ne!(snapshot(&watched), seen);
    }
}
