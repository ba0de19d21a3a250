//! The journal from the user's view: killed judges, interrupted runs, changed solvers, and uses of past runs.

use crate::support::{Folder, of_cases};
use judge_journal::Journal;
use judge_problem::{RunChoice, RunState, StoredCase, StoredRun, Verdict};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A problem whose answers are their own scores.
const ECHO: &str = r#"
[[problem]]
id = "echo"
generator-command = "echo {seed}"
checker-command = "./check {input} {answer}"
seeds = "1-3"
"#;

fn echo() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", ECHO);
    folder.script("check", "cat \"$2\"");
    folder
}

fn last_run(folder: &Path) -> StoredRun {
    newest_run(folder).expect("there is a run in the journal")
}

/// `None` while there is no run, or not even a journal.
fn newest_run(folder: &Path) -> Option<StoredRun> {
    let journal = Journal::open_to_read(&folder.join(".judge")).unwrap()?;
    let run = journal.choose(RunChoice::Last).ok()?;
    Some(journal.stored_run(run).unwrap())
}

fn history(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let said = folder.judge(&[&["history", "--json", "-"], arguments].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    document["runs"].as_array().unwrap().clone()
}

/// A judge whose lines are read as they arrive.
struct Watched {
    child: Child,
    lines: Arc<AtomicUsize>,
    reader: JoinHandle<()>,
}

impl Watched {
    fn start(mut command: Command) -> Self {
        let mut child = command.args(["--jsonl", "-"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = Arc::new(AtomicUsize::new(0));
        let (stdout, count) = (BufReader::new(child.stdout.take().unwrap()), lines.clone());
        let reader = std::thread::spawn(move || {
            for line in stdout.split(b'\n').map_while(Result::ok) {
                // An incomplete line of a killed judge does not count.
                if line.ends_with(b"}") {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        Self { child, lines, reader }
    }

    /// How many cases the judge has shown.
    fn shown(&self) -> usize {
        self.lines.load(Ordering::SeqCst)
    }

    /// Kills the judge, and returns how many cases it has shown.
    fn kill(mut self) -> usize {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.reader.join().unwrap();
        self.lines.load(Ordering::SeqCst)
    }
}

/// Random moments. A failed test prints the seed.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Self(now.as_nanos() as u64 | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// All that is the solver's doing: times and memory differ from run to run.
fn results(run: &StoredRun) -> Vec<(String, Verdict, Option<String>)> {
    let result = |case: StoredCase| {
        let outcome = &case.results[0].as_ref().unwrap().outcome;
        (case.spec.name.to_string(), outcome.verdict, outcome.score.as_ref().map(ToString::to_string))
    };
    run.cases.iter().map(result).collect()
}

#[test]
fn a_killed_judge_loses_no_shown_case() {
    const CASES: usize = 300;
    let seeds = format!("1-{CASES}");
    let run = |solver| ["run", "-p", "columns", "-s", solver, "--seeds", &seeds, "--jobs", "2"];
    let folder = Folder::new();
    // Right on boards of even height, wrong on the others.
    folder.script("bot", "sleep 0.01; read w h; echo 1; echo $((w * (h % 2) + 1)) 0");
    folder.script("fast", "read w h; echo 1; echo $((w * (h % 2) + 1)) 0");
    assert_eq!(folder.judge(&run("./fast")).code, Some(1));
    let expected = results(&last_run(folder.path()));
    let run = run("./bot");

    let mut chance = Chance::new();
    let seed = chance.0;
    let mut recorded = 0;
    for kill in 0..20 {
        let judge = Watched::start(folder.command(&[&run[..], &["--resume"]].concat()));
        let (goal, deadline) = (recorded + chance.below(10) as usize, Instant::now() + Duration::from_secs(60));
        while judge.shown() <= goal && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(chance.below(20_000)));
        let shown = judge.kill();
        let stored = last_run(folder.path());
        recorded = stored.cases.len();
        assert!(shown > goal && recorded < CASES, "kill {kill} of seed {seed}: {shown} shown, {recorded} recorded");
        assert!(recorded >= shown, "kill {kill} of seed {seed}: {shown} shown, only {recorded} recorded");
        assert_eq!((stored.id.0, stored.state), (2, RunState::Killed), "kill {kill} of seed {seed}");
    }
    let said = folder.judge(&[&run[..], &["--resume"]].concat());
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stderr.contains(&format!("continuing run 2: {recorded} case")), "{}", said.stderr);
    let resumed = last_run(folder.path());
    assert_eq!((resumed.id.0, resumed.state), (2, RunState::Complete));
    assert_eq!(results(&resumed), expected, "seed {seed}");
    let check = folder.judge(&["check", "--run", "2"]);
    assert_eq!(check.code, Some(0), "{}", check.stdout);
    assert!(check.stdout.contains(&format!("{CASES} answers as recorded")), "{}", check.stdout);
}

#[test]
fn an_interrupted_run_can_be_resumed() {
    let folder = echo();
    folder.script("slow", "read seed; sleep 0.1; echo $seed");
    let run = ["run", "-p", "echo", "-s", "./slow", "--seeds", "1-20", "--jobs", "1"];
    let mut command = folder.command(&run);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline && newest_run(folder.path()).is_none_or(|run| run.cases.is_empty()) {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let said: crate::support::Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    let resume = "continue with: judge run -p echo -s ./slow --seeds 1-20 --jobs 1 --resume";
    assert!(said.stderr.contains(resume), "{}", said.stderr);
    let rows = history(&folder, &[]);
    assert_eq!((&rows[0]["state"], rows[0].get("total")), (&Value::from("interrupted"), None));
    assert!(rows[0]["done"].as_u64().unwrap() >= 1);

    folder.script("check", "cat \"$2\" # as before, but another checker");
    let other = folder.judge(&["run", "-p", "echo", "-s", "./slow", "--seeds", "1-20", "--resume", "--fail-fast"]);
    assert!(other.stderr.contains("no interrupted run of this command was found"), "{}", other.stderr);
    assert!(other.stderr.contains("checker: ./check {input} {answer} #"), "{}", other.stderr);
    folder.script("check", "cat \"$2\"");
    let resumed = folder.judge(&[&run[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(resumed.stderr.contains("continuing run 1"), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("sum 210"), "{}", resumed.stdout);
    assert_eq!(history(&folder, &[]).last().unwrap()["total"], 210);
}

#[test]
fn results_are_reused_only_when_unchanged() {
    let folder = echo();
    folder.script("clock", "date +%s%N");
    let scores = |more: &[&str]| {
        let (code, report) = folder.json(&[&["run", "-p", "echo", "-s", "./clock"], more].concat());
        assert_eq!(code, Some(0));
        of_cases(&report, "score").into_iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let first = scores(&[]);
    assert_ne!(scores(&[]), first, "without --reuse everything is run");
    let second = scores(&["--reuse"]);
    assert_eq!(scores(&["--reuse"]), second);
    assert_ne!(scores(&["--reuse", "--memory", "200MiB"]), second, "another limit");
    assert_ne!(scores(&["--reuse", "--env", "A=1"]), second, "another environment");
    assert_eq!(scores(&["--reuse", "--seeds", "2"]), second[1..2], "one of the cases");
    folder.script("clock", "date +%s%N # changed");
    assert_ne!(scores(&["--reuse"]), second, "another program");
    let third = scores(&["--reuse"]);
    folder.write("problems.toml", ECHO.replace("echo {seed}", "echo 0{seed}"));
    assert_ne!(scores(&["--reuse"]), third, "other inputs");
}

#[test]
fn without_a_journal_the_run_goes_on() {
    let folder = Folder::new();
    folder.script("bot", "echo 0");
    let run = ["run", "-p", "columns", "-s", "./bot", "--seeds", "1"];
    assert_eq!(folder.judge(&[&run[..], &["--no-journal"]].concat()).code, Some(0));
    assert!(!folder.path().join(".judge").exists());
    let none = folder.judge(&["history"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("there is no journal in"), "{}", none.stderr);

    folder.write(".judge", "in the way");
    let said = folder.judge(&run);
    assert_eq!(said.code, Some(0));
    assert!(said.stdout.contains("1 accepted"));
    assert!(
        said.stderr.contains("warning: this run is not recorded: cannot use the journal's folder"),
        "{}",
        said.stderr
    );

    std::fs::remove_file(folder.path().join(".judge")).unwrap();
    folder.write(".judge/journal.db", "these are not the bytes of a database, ".repeat(50));
    let said = folder.judge(&run);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("not recorded: cannot open the journal"), "{}", said.stderr);
    assert!(said.stderr.contains("not a database"), "{}", said.stderr);

    std::fs::remove_file(folder.path().join(".judge/journal.db")).unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", folder.path().join(".judge/run-1.lock")).unwrap();
    let said = folder.judge(&run);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("not recorded") && said.stderr.contains("No space left"), "{}", said.stderr);
    assert!(said.stdout.contains("1 accepted"));
}

#[test]
fn two_judges_at_once_share_a_journal() {
    let folder = Folder::new();
    folder.script("bot", "echo 0");
    let run = ["run", "-p", "columns", "-s", "./bot", "--seeds", "1-40", "--jobs", "1"];
    let judges: Vec<_> =
        (0..2).map(|_| folder.command(&run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()).collect();
    for judge in judges {
        let said: crate::support::Said = judge.wait_with_output().unwrap().into();
        assert_eq!((said.code, said.stderr.contains("warning: this run")), (Some(0), false), "{}", said.stderr);
    }
    let rows = history(&folder, &[]);
    assert_eq!(rows.iter().map(|row| row["accepted"].as_u64().unwrap()).collect::<Vec<_>>(), [40, 40]);
}

#[test]
fn a_new_checker_rechecks_stored_answers() {
    let folder = echo();
    folder.script("bot", "cat");
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "./bot"]).code, Some(0));
    let same = folder.judge(&["check", "--run", "last"]);
    assert_eq!(same.code, Some(0), "{}", same.stdout);
    assert!(same.stdout.contains("3 answers as recorded, 0 differ"), "{}", same.stdout);
    folder.script("check", "read n < \"$2\"; if [ $n = 2 ]; then echo 'two is bad'; exit 1; fi; echo $n");
    let differs = folder.judge(&["check", "--run", "1"]);
    assert_eq!(differs.code, Some(1));
    assert!(differs.stdout.contains("2 answers as recorded, 1 differ"), "{}", differs.stdout);
    assert!(differs.stdout.contains("accepted 2") && differs.stdout.contains("rejected: two is bad"));
    folder.write("problems.toml", format!("[journal]\nkeep-answers = \"0 B\"\n{ECHO}"));
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "./bot", "--seeds", "1"]).code, Some(0));
    let gone = folder.judge(&["check", "--run", "last"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stdout.contains("its answer is no longer stored"), "{}", gone.stdout);
}

#[test]
fn past_runs_are_listed_shown_rescored_and_forgotten() {
    let folder = echo();
    folder.script("bot", "cat");
    folder.script("double", "read n; echo $((n * 2))");
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "bot=./bot"]).code, Some(0));
    // The order of the cases makes no difference.
    let both = ["run", "-p", "echo", "-s", "bot=./double", "-s", "other=./bot", "--seeds", "3,2,1"];
    assert_eq!(folder.judge(&both).code, Some(0));
    let rows = history(&folder, &["--solver", "bot"]);
    assert_eq!((&rows[0]["total"], &rows[0]["change"], rows.len()), (&Value::from(12), &Value::from(6), 2));
    assert_eq!(history(&folder, &["-p", "echo", "-n", "1"]).len(), 1);
    assert!(folder.judge(&["history"]).stdout.contains("+6"));

    let shown = folder.judge(&["history", "show", "2"]).stdout;
    for part in ["run 2", "judge run -p echo -s 'bot=./double' -s 'other=./bot'", "complete, 3 of 3 cases", "seed-3"] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
    let (code, report) = folder.json(&["rescore", "2", "--score", "relative"]);
    assert_eq!(code, Some(0));
    let totals: Vec<_> = report["solvers"].as_array().unwrap().iter().map(|solver| &solver["total"]).collect();
    assert_eq!(totals, [1_000_000, 500_000]);
    let alone = |best| {
        let (_, report) = folder.json(&["rescore", "1", "--score", "relative", "--best", best]);
        report["solvers"][0]["total"].clone()
    };
    assert_eq!(folder.judge(&["best", "-p", "echo", "--export", "best.json"]).code, Some(0));
    assert_eq!([alone("none"), alone("ledger"), alone("best.json")], [1_000_000, 500_000, 500_000]);
    let unknown = folder.judge(&["rescore", "2", "--score", "relativ"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `relative`?"), "{}", unknown.stderr);
    assert_eq!(folder.judge(&["rescore", "2", "--score", "thresholds"]).code, Some(2));

    assert_eq!(folder.judge(&["history", "rm", "1"]).code, Some(0));
    assert_eq!(folder.judge(&["history", "show", "1"]).code, Some(2));
    assert_eq!(history(&folder, &[]).len(), 2);
}

/// The rows of the history, oldest first, as group, cases, failures, total and change.
fn figures(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let keys = ["group", "planned", "failed", "total", "change"];
    let row = |row: &Value| keys.map(|key| text(&row[key])).join(" ");
    history(folder, arguments).iter().rev().map(row).collect()
}

#[test]
fn past_runs_are_filtered_by_features() {
    let folder = echo();
    // The feature is newer than the runs: today's catalogue is applied to the recorded inputs.
    folder.script("bot", "cat");
    folder.script("better", "read n; [ $n = 5 ] && exit 1; echo $((n * n))");
    for solver in ["bot=./bot", "bot=./better"] {
        folder.judge(&["run", "-p", "echo", "-s", solver, "--seeds", "1-5"]);
    }
    folder.judge(&["run", "-p", "echo", "-s", "bot=./better", "--seeds", "4,3,2,1"]);
    let feature = "[problem.features]\nodd = '(?m)[13579]$'\nn = '^\\d+'\n";
    folder.write("problems.toml", format!("{ECHO}{feature}"));
    let small = figures(&folder, &["--where", "n<=4"]);
    assert_eq!(small, ["null 4 0 10 null", "null 4 0 30 20", "null 4 0 30 0"]);
    // The last run lacks seed 5, so its change over all cases is unknown.
    assert_eq!(figures(&folder, &["--where", "n>=1"])[1..], ["null 5 1 30 15", "null 4 0 30 null"]);
    assert_eq!(figures(&folder, &["--group-by", "odd", "-n", "1"]).len(), 1);
    let groups = figures(&folder, &["--group-by", "odd", "--where", "n<=2"]);
    assert_eq!(groups[2..4], ["no odd 1 0 4 2", "odd=1 1 0 1 0"]);
    assert!(folder.judge(&["history", "--group-by", "odd"]).stdout.contains("odd=5"));

    for command in [&["history", "show", "2"][..], &["rescore", "2"]] {
        let (_, report) = folder.json(&[command, &["--where", "n>3", "--group-by", "n"]].concat());
        assert_eq!(report["cases"].as_array().unwrap().len(), 2, "{report}");
        assert_eq!(report["solvers"][0]["total"], 16);
        let groups: Vec<_> = report["groups"].as_array().unwrap().iter().map(|group| &group["accepted"]).collect();
        assert_eq!(groups, [1, 0]);
        let nothing = folder.judge(&[command, &["--where", "n>5"]].concat());
        assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(2), ""), "{}", nothing.stderr);
        assert!(nothing.stderr.contains("`n>5` holds for none of the 5 cases of run 2"), "{}", nothing.stderr);
    }
    for command in [&["history"][..], &["history", "show", "2"], &["rescore", "2"]] {
        let slip = folder.judge(&[command, &["--group-by", "od"]].concat());
        assert_eq!(slip.code, Some(2));
        assert!(slip.stderr.contains("did you mean `odd`?"), "{}", slip.stderr);
    }
}

#[test]
fn a_changed_input_keeps_its_old_description() {
    let folder = echo();
    folder.script("bot", "cat");
    folder.write("problems.toml", format!("{ECHO}[problem.features]\nn = '^\\d+'\n"));
    folder.write("a.in", "1\n");
    folder.write("b.in", "2\n");
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "./bot", "--inputs", "*.in"]).code, Some(0));
    folder.write("a.in", "3\n");
    let said = folder.judge(&["history", "--where", "n>=1", "--json", "-"]);
    assert!(!said.stderr.contains("unknown"), "{}", said.stderr);
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&document["runs"][0]["planned"], &document["runs"][0]["total"]), (&Value::from(2), &Value::from(3)));
    let now = folder.judge(&["history", "--where", "n>=2", "--json", "-"]);
    let document: Value = serde_json::from_str(&now.stdout).unwrap();
    assert_eq!((&document["runs"][0]["planned"], &document["runs"][0]["total"]), (&Value::from(1), &Value::from(2)));
}

#[test]
fn the_best_scores_travel_with_their_origin() {
    let (mine, theirs) = (echo(), echo());
    mine.script("bot", "read n; if [ $n = 2 ]; then echo 9; else echo $n; fi");
    theirs.script("rival", "read n; echo $((n + 4))");
    assert_eq!(mine.judge(&["run", "-p", "echo", "-s", "./bot"]).code, Some(0));
    assert_eq!(theirs.judge(&["run", "-p", "echo", "-s", "./rival"]).code, Some(0));
    let sent = theirs.path().join("best.json").display().to_string();
    assert_eq!(theirs.judge(&["best", "-p", "echo", "--export", &sent]).code, Some(0));
    let said = mine.judge(&["best", "-p", "echo", "--import", &sent, "--json", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("imported 2 better scores"), "{}", said.stderr);
    let best: Value = serde_json::from_str(&said.stdout).unwrap();
    let rows: Vec<_> =
        best["best"].as_array().unwrap().iter().map(|row| (&row["case"], &row["score"], &row["solver"])).collect();
    let row = |case: &str, score: i64, solver: &str| (Value::from(case), Value::from(score), Value::from(solver));
    let expected = [row("seed-1", 5, "rival"), row("seed-2", 9, "bot"), row("seed-3", 7, "rival")];
    assert_eq!(rows, expected.iter().map(|(case, score, solver)| (case, score, solver)).collect::<Vec<_>>());

    mine.write("other.json", std::fs::read_to_string(&sent).unwrap().replace("\"echo\"", "\"ocho\""));
    let refused = mine.judge(&["best", "-p", "echo", "--import", "other.json"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("they cannot be compared"), "{}", refused.stderr);
    for (broken, expected) in [
        ("{", "EOF"),
        ("[]", "expected an object as `judge best --export` writes it"),
        ("{\"checker\": []}", "expected an object with the name and the version of the checker"),
    ] {
        mine.write("broken.json", broken);
        let refused = mine.judge(&["best", "-p", "echo", "--import", "broken.json"]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

/// Runs sixty cases, changes the journal once some are recorded, and returns the judge's output.
fn disturbed(folder: &Folder, disturb: &dyn Fn(&Path)) -> std::process::Output {
    folder.script("slow", "read seed; sleep 0.05; echo $seed");
    let mut judge = folder.command(&["run", "-p", "echo", "-s", "./slow", "--seeds", "1-60", "--jobs", "1"]);
    let judge = judge.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while newest_run(folder.path()).is_none_or(|run| run.cases.len() < 3) {
        std::thread::sleep(Duration::from_millis(10));
    }
    disturb(folder.path());
    judge.wait_with_output().unwrap()
}

#[test]
fn a_journal_lost_mid_run_is_written_anew() {
    let remove = |folder: &Path| std::fs::remove_dir_all(folder.join(".judge")).unwrap();
    let rename = |folder: &Path| std::fs::rename(folder.join(".judge"), folder.join("away")).unwrap();
    for disturb in [&remove as &dyn Fn(&Path), &rename] {
        let folder = echo();
        let said = disturbed(&folder, disturb);
        let stderr = String::from_utf8(said.stderr).unwrap();
        assert_eq!((said.status.code(), stderr.matches("warning: ").count()), (Some(3), 1), "{stderr}");
        assert!(stderr.contains("removed, moved or replaced"), "{stderr}");
        let run = last_run(folder.path());
        assert_eq!((run.state, run.cases.len()), (RunState::Complete, 60));
    }
}

#[test]
fn a_damaged_journal_says_what_is_left() {
    let folder = echo();
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "cat"]).code, Some(0));
    let file = folder.path().join(".judge/journal.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute("UPDATE run SET case_count = -1", []).unwrap();
    drop(connection);
    for arguments in [&["history"][..], &["history", "show", "1"]] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(3), "{}", said.stderr);
        assert!(said.stderr.contains("the journal is damaged: "), "{}", said.stderr);
        assert!(said.stderr.contains("1 run and 3 results of it can still be read"), "{}", said.stderr);
        assert!(said.stderr.contains("mv ") && said.stderr.contains(".judge-damaged"), "{}", said.stderr);
        assert!(!said.stderr.contains("disk") && !said.stderr.contains("--resume"), "{}", said.stderr);
    }
}

#[test]
fn each_run_is_removed_once() {
    let folder = echo();
    folder.script("bot", "cat");
    for _ in 0..3 {
        assert_eq!(folder.judge(&["run", "-s", "./bot", "--seeds", "1"]).code, Some(0));
    }
    let said = folder.judge(&["history", "rm", "3", "last", "last"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let left: Vec<u64> = history(&folder, &[]).iter().map(|row| row["run"].as_u64().unwrap()).collect();
    assert_eq!(left, [2, 1]);
}

#[test]
fn saved_answers_have_folders_of_their_own() {
    let folder = echo();
    folder.write("problems.toml", format!("[journal]\nkeep-answers = \"0 B\"\n{ECHO}"));
    folder.script("d/bot.sh", "cat");
    folder.script("d_bot.sh", "cat");
    let run = ["run", "-s", "sh d/bot.sh", "-s", "sh d_bot.sh"];
    assert_eq!(folder.judge(&[&run[..], &["--save-answers", "out"]].concat()).code, Some(0));
    let solvers: Vec<_> = folder.path().join("out").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(solvers.len() == 2 && solvers.iter().all(|solver| solver.join("seed-3.out").exists()), "{solvers:?}");
    let said = folder.judge(&[&run[..], &["--save-answers", "again", "--reuse"]].concat());
    assert!(said.stderr.contains("the journal no longer has 6 answers"), "{}", said.stderr);
    assert!(said.stderr.contains("reused from earlier runs, with their times: 6 results"), "{}", said.stderr);
}

#[test]
fn reports_count_the_reused_results() {
    let folder = echo();
    folder.script("bot.sh", "cat");
    folder.script("copy.sh", "cat -");
    for command in [&["run", "-s", "./bot.sh"][..], &["compare", "./bot.sh", "./copy.sh"]] {
        let (_, first) = folder.json(command);
        assert_eq!(first.get("reused"), None);
        let reports = ["--reuse", "--html", "r.html", "--markdown", "r.md"];
        let count = folder.json(&[command, &reports].concat()).1["reused"].as_u64().unwrap();
        let line = format!("reused from earlier runs, with their times: {count} result");
        for file in ["r.html", "r.md"] {
            assert!(std::fs::read_to_string(folder.path().join(file)).unwrap().contains(&line), "{file}: {line}");
        }
    }
}
