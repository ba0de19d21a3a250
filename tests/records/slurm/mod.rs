//! Runs on a cluster with Slurm, from the user's view: their results equal those of a run on one machine, whatever
//! happens to nodes, tasks and the judge, and no files or processes are left.

mod cluster;
mod detached;
mod mixed;

use crate::support::{Folder, Said};
use cluster::{Cluster, wait, workers};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A problem whose answers are their own scores, on seeds and files.
const ECHO: &str = r#"
[[problem]]
id = "echo"
generator-command = "echo {seed}"
checker-command = "./check {input} {answer}"
seeds = "1-3"
inputs = ["data/*.in"]
limits = { cpu = "1s" }
"#;

/// The number of cases of a run that is disturbed in the middle.
const CASES: usize = 40;

/// A user of the cluster, with their own folder.
struct User<'a> {
    cluster: &'a Cluster,
    folder: Folder,
}

impl<'a> User<'a> {
    fn new(cluster: &'a Cluster) -> Self {
        let folder = Folder::new();
        folder.write("problems.toml", ECHO);
        folder.script("check", "cat \"$2\"");
        folder.write("data/large.in", "1000000000000000000000\n");
        folder.script("bot", "read n; [ $n = 2 ] && exit 3; echo $n");
        folder.script("slow", "sleep 0.4; cat");
        folder.script("plain", "cat");
        folder.script("better", "sleep 0.1; read n; echo $((n + 1))");
        Self { cluster, folder }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.folder.command(words);
        command.env("SLURM_CONF", self.cluster.conf());
        command
    }

    fn judge(&self, words: &[&str]) -> Said {
        self.command(words).output().unwrap().into()
    }

    fn json(&self, words: &[&str]) -> Value {
        let said = self.judge(&[words, &["--json", "-"]].concat());
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}\n{}\n{}", said.stdout, said.stderr))
    }

    /// Starts a run of slow cases on the cluster, and returns when some are finished.
    fn start(&self, more: &[&str]) -> Running<'_> {
        let _ = std::fs::remove_file(self.folder.path().join("lines"));
        let seeds = format!("1-{CASES}");
        let words = ["run", "-p", "echo", "-s", "./slow", "--seeds", &seeds, "--on", "slurm", "--jsonl", "lines"];
        let mut command = self.command(&[&words[..], more].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait("the first results", || self.lines() > 3);
        Running { user: self, child }
    }

    /// How many results were written as they came.
    fn lines(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("lines")).unwrap_or_default().lines().count()
    }

    /// Fails unless the newest run has every case once, with its score, and no files or processes are left.
    fn check_whole(&self) {
        let run = self.json(&["history", "show", "last"]);
        let found: Vec<_> = results(&run).into_iter().map(|(case, verdict, score, _)| (case, verdict, score)).collect();
        let expected = |seed: usize| (format!("seed-{seed}"), "accepted".to_owned(), seed.to_string());
        assert_eq!(found, (1..=CASES).map(expected).collect::<Vec<_>>());
        assert_eq!(run["interrupted"], false, "{run}");
        self.cluster.check_nothing_is_left(self.folder.path());
    }
}

/// A judge that follows its run.
struct Running<'a> {
    user: &'a User<'a>,
    child: Child,
}

impl Running<'_> {
    /// Waits for the end. Returns the exit code and the output.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    /// The id of the job, and the numbers of its running tasks.
    fn job(&self) -> (String, Vec<String>) {
        let rows = self.user.cluster.tasks(self.user.folder.path(), "running");
        let rows: Vec<_> = rows.iter().filter_map(|row| row.split_once(' ')).collect();
        (rows[0].0.to_owned(), rows.iter().map(|row| row.1.to_owned()).collect())
    }
}

/// The parts that are the same in every run: case, verdict, score and note.
fn results(report: &Value) -> Vec<(String, String, String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let result =
        |case: &Value| (text(&case["case"]), text(&case["verdict"]), text(&case["score"]), text(&case["note"]));
    report["cases"].as_array().unwrap_or_else(|| panic!("{report}")).iter().map(result).collect()
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
#[ignore = "long: a cluster of two nodes"]
fn a_cluster_plays_runs_and_loses_nothing() {
    let Some(cluster) = Cluster::start(4) else { return };
    let together = [
        a_run_finds_what_a_local_run_finds,
        a_comparison_ends_where_a_local_one_does,
        errors_of_slurm_are_told_in_its_words,
        two_runs_at_once_and_a_killed_judge,
        a_run_that_was_left_is_named_and_cancelled,
        a_killed_task_and_a_requeue_lose_nothing,
        ctrl_c_cancels_the_job_and_resume_goes_on,
        ctrl_c_on_a_terminal_asks,
        a_full_disk_ends_the_run_and_leaves_nothing,
    ];
    std::thread::scope(|scope| {
        for scenario in together {
            let cluster = &cluster;
            scope.spawn(move || scenario(cluster));
        }
    });
    // The others would lose their tasks, too.
    a_killed_node_loses_nothing(&cluster);
}

fn a_run_finds_what_a_local_run_finds(cluster: &Cluster) {
    let user = User::new(cluster);
    user.folder.write("many/a.in", "5\n");
    let solvers = ["run", "-p", "echo", "-s", "bot=./bot", "-s", "sh=sh ./slow", "--save-answers", "answers"];
    let more = &["--seeds", "1-12", "--inputs", "many/*.in", "--repeat", "2"][..];
    // In the names of logs, these characters mean something to Slurm.
    for (selection, workdir) in [(&[][..], "100%A"), (more, "back\\slash")] {
        std::fs::create_dir(user.folder.path().join(workdir)).unwrap();
        let words = [&solvers[..], selection].concat();
        let local = user.json(&words);
        let there = user.json(&[&words[..], &["--on", "slurm", "--workdir", workdir]].concat());
        assert_eq!(results(&there), results(&local));
        assert!(results(&local).iter().any(|(_, verdict, _, _)| verdict == "runtime-error"));
        let nodes = there["nodes"].as_array().unwrap_or_else(|| panic!("{there}"));
        assert!(
            nodes.iter().all(|node| node["tier"] == local["tier"] && node["cpu"] == local["machine"]["cpu"]),
            "{nodes:?}"
        );
        assert!(local["nodes"].is_null());
    }
    assert_eq!(std::fs::read_to_string(user.folder.path().join("answers/sh/large.out")).unwrap().trim().len(), 22);
    // The newest run is the one on the cluster. No case has to be run again.
    let words = [&solvers[..], &["--on", "slurm", "--reuse"]].concat();
    let said = user.judge(&words);
    assert!(!said.stderr.contains("Slurm job"), "{}", said.stderr);
}

fn a_comparison_ends_where_a_local_one_does(cluster: &Cluster) {
    let user = User::new(cluster);
    let words = [
        "compare",
        "-p",
        "echo",
        "./plain",
        "./better",
        "--until-decided",
        "--seeds",
        "1-400",
        "--measure",
        "points",
        "--min-effect",
        "0.01",
    ];
    let (local, there) = (user.json(&words), user.json(&[&words[..], &["--on", "slurm"]].concat()));
    let scores = |report: &Value| -> Vec<Value> {
        let cases = report["cases"].as_array().unwrap();
        cases.iter().flat_map(|case| [0, 1].map(|solver| case["results"][solver]["score"].clone())).collect()
    };
    assert_eq!(scores(&there), scores(&local));
    assert_eq!(there["comparisons"][0]["claim"], local["comparisons"][0]["claim"]);
}

fn errors_of_slurm_are_told_in_its_words(cluster: &Cluster) {
    let user = User::new(cluster);
    let words = ["run", "-p", "echo", "-s", "./bot", "--on", "slurm"];
    let said = user.judge(&[&words[..], &["--sbatch", "--partition=nope"]].concat());
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(
        said.stderr.contains("invalid partition specified: nope") && said.stderr.contains("sbatch --parsable"),
        "{}",
        said.stderr
    );

    let output = user.command(&words).env("PATH", "/nowhere").output().unwrap();
    let said = Said::from(output);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("cannot start `sbatch`"), "{}", said.stderr);

    let conf = std::fs::read_to_string(cluster.conf()).unwrap().replace("/munge/socket", "/munge/no-socket");
    let conf = user.folder.write("slurm.conf", conf);
    let said = Said::from(user.command(&words).env("SLURM_CONF", conf).output().unwrap());
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.to_lowercase().contains("munge"), "{}", said.stderr);

    let said = user.judge(&[&words[..], &["--workdir", "missing"]].concat());
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("cannot make a run folder in missing"), "{}", said.stderr);
    let said = user.judge(&["run", "--attach", "last"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
}

fn two_runs_at_once_and_a_killed_judge(cluster: &Cluster) {
    let (user, other) = (User::new(cluster), User::new(cluster));
    let seeds = format!("1-{CASES}");
    let words = ["run", "-p", "echo", "-s", "./slow", "--seeds", &seeds, "--on", "slurm", "--detach"];
    let said = other.judge(&words);
    assert_eq!((said.code, &*said.stdout), (Some(0), ""), "{}", said.stderr);
    assert!(said.stderr.contains("follow it with: judge run --attach 1"), "{}", said.stderr);

    let mut running = user.start(&[]);
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    let shown = user.lines();
    for (user, run) in [(&user, "last"), (&other, "1")] {
        let report = user.json(&["run", "--attach", run]);
        assert_eq!(results(&report).len(), CASES);
        user.check_whole();
    }
    assert!(shown < CASES, "it was killed in the middle");
    let again = user.judge(&["run", "--attach", "last"]);
    assert!(again.code == Some(2) && again.stderr.contains("complete"), "{}", again.stderr);
}

fn a_run_that_was_left_is_named_and_cancelled(cluster: &Cluster) {
    let user = User::new(cluster);
    let mut running = user.start(&[]);
    let (job, _) = running.job();
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    let says = format!("runs on Slurm (job {job})");
    wait("a history of a killed judge", || user.judge(&["history"]).stdout.contains(&says));
    let seeds = format!("1-{CASES}");
    let words =
        ["run", "-p", "echo", "-s", "./slow", "--seeds", &seeds, "--on", "slurm", "--jsonl", "lines", "--resume"];
    for words in [&words[..], &["history", "rm", "1"]] {
        let said = user.judge(words);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains(&says) && said.stderr.contains("judge run --attach 1"), "{}", said.stderr);
    }
    let said = user.judge(&["history", "rm", "1", "--cancel"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    cluster.check_nothing_is_left(user.folder.path());
    assert!(user.json(&["history"])["runs"].as_array().unwrap().is_empty());
}

fn a_killed_task_and_a_requeue_lose_nothing(cluster: &Cluster) {
    let user = User::new(cluster);
    let running = user.start(&[]);
    let (job, tasks) = running.job();
    cluster.slurm(&["scontrol", "requeue", &format!("{job}_{}", tasks[0])]);
    cluster.slurm(&["scancel", &format!("{job}_{}", tasks[1])]);
    wait("more results", || user.lines() > 12);
    let task = workers(user.folder.path())[0];
    signal(task, Signal::KILL);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("FAILED; "), "the killed task: {said}");
    assert_eq!(user.lines(), CASES + 1, "every case once, and the summary");
    user.check_whole();

    // Without a retry, lost cases are the judge's fault, not the solver's.
    let running = user.start(&["--retries", "0"]);
    signal(workers(user.folder.path())[0], Signal::KILL);
    let (code, said) = running.end();
    assert_eq!(code, Some(3), "{said}");
    let report = user.json(&["history", "show", "last"]);
    let lost: Vec<_> = results(&report).into_iter().filter(|(_, verdict, _, _)| verdict == "judge-error").collect();
    assert!(!lost.is_empty() && lost.iter().all(|(_, _, _, note)| note.contains("FAILED")), "{lost:?}");
    cluster.check_nothing_is_left(user.folder.path());
}

fn ctrl_c_cancels_the_job_and_resume_goes_on(cluster: &Cluster) {
    let user = User::new(cluster);
    let running = user.start(&[]);
    signal(i32::try_from(running.child.id()).unwrap(), Signal::INT);
    let (code, said) = running.end();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");
    cluster.check_nothing_is_left(user.folder.path());
    let done = results(&user.json(&["history", "show", "last"])).len();
    assert!((3..CASES).contains(&done), "{done}");
    let (code, said) = user.start(&["--resume"]).end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!(": {done} case")), "{said}");
    user.check_whole();
}

/// A small file system that ends with the test.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Self {
        std::fs::create_dir(at).unwrap();
        let size = std::fs::metadata(env!("CARGO_BIN_EXE_judge")).unwrap().len() + (4 << 20);
        let status =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at).status();
        assert!(status.unwrap().success());
        Self(at.to_owned())
    }

    fn fill(&self) {
        let _ =
            Command::new("dd").args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}/filled", self.0.display())).output();
        let _ =
            Command::new("dd").args(["if=/dev/zero", "bs=512"]).arg(format!("of={}/rest", self.0.display())).output();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn a_full_disk_ends_the_run_and_leaves_nothing(cluster: &Cluster) {
    let user = User::new(cluster);
    let disk = SmallDisk::mount(&user.folder.path().join("disk"));
    let running = user.start(&["--workdir", "disk"]);
    disk.fill();
    let (code, said) = running.end();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("cannot") && said.contains("disk"), "{said}");
    cluster.check_nothing_is_left(&disk.0);
    drop(disk);
    let (code, said) = user.start(&["--resume"]).end();
    let failed = |(_, verdict, _, _): &(_, String, _, _)| verdict != "accepted";
    let failed: Vec<_> = results(&user.json(&["history", "show", "last"])).into_iter().filter(failed).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(code, Some(0), "{said}");
    user.check_whole();
}

fn a_killed_node_loses_nothing(cluster: &Cluster) {
    let user = User::new(cluster);
    let running = user.start(&[]);
    cluster.kill_node("n2");
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(user.lines(), CASES + 1, "{said}");
    user.check_whole();
}

/// A judge on a terminal that is being typed on.
struct Typing<'a> {
    user: &'a User<'a>,
    script: Child,
}

impl<'a> Typing<'a> {
    /// Starts a run of slow cases on a terminal, and returns when some are finished.
    fn start(user: &'a User<'a>) -> Self {
        let _ = std::fs::remove_file(user.folder.path().join("lines"));
        let judge = env!("CARGO_BIN_EXE_judge");
        // A shell that waits for the judge would die of the Ctrl-C itself.
        let run = format!("exec {judge} run -p echo -s ./slow --seeds 1-{CASES} --on slurm --jsonl lines");
        let mut script = Command::new("script");
        script.args(["-qfec", &run, "seen"]).current_dir(user.folder.path());
        script.envs(user.command(&[]).get_envs().filter_map(|(key, value)| Some((key, value?))));
        let script = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        wait("the first results", || user.lines() > 3);
        Self { user, script }
    }

    fn type_in(&mut self, text: &str) {
        self.script.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// The text that the terminal has shown.
    fn seen(&self) -> String {
        let seen = std::fs::read(self.user.folder.path().join("seen")).unwrap_or_default();
        String::from_utf8_lossy(&seen).into_owned()
    }

    /// Presses Ctrl-C, and answers the question. Returns the exit code.
    fn interrupt_and_answer(mut self, answer: &str) -> (Option<i32>, String) {
        self.type_in("\u{3}");
        wait("the question", || self.seen().contains("leaves the job running"));
        self.type_in(answer);
        let code = self.script.wait().unwrap().code();
        (code, self.seen())
    }
}

fn ctrl_c_on_a_terminal_asks(cluster: &Cluster) {
    if Command::new("script").arg("--version").output().is_err() {
        return crate::support::require::skip(crate::support::require::Need::Script, "no terminal to type on");
    }
    let user = User::new(cluster);
    let (code, seen) = Typing::start(&user).interrupt_and_answer("d\r");
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("goes on without this judge"), "{seen}");
    assert_eq!(results(&user.json(&["run", "--attach", "last"])).len(), CASES);
    user.check_whole();

    let (code, seen) = Typing::start(&user).interrupt_and_answer("\r");
    assert_eq!(code, Some(130), "{seen}");
    cluster.check_nothing_is_left(user.folder.path());
}

/// Takes two cores for minutes, so it is run manually: `cargo test -p judge --test records slurm -- --ignored
/// --nocapture`. `JUDGE_SECONDS` is the time of each of the 64 cases; 2 by default. They keep a core busy, or sleep
/// with `JUDGE_SLEEP=1`. Sleeping shows the overhead of the cluster on a machine with other work.
#[test]
#[ignore = "long: a measurement of minutes"]
fn efficiency_of_two_nodes() {
    let Some(cluster) = Cluster::start(1) else { return };
    let seconds: f64 = std::env::var("JUDGE_SECONDS").map_or(2.0, |text| text.parse().unwrap());
    let user = User::new(&cluster);
    if std::env::var_os("JUDGE_SLEEP").is_some() {
        user.folder.script("work", &format!("sleep {seconds}; echo 1"));
    } else {
        keep_busy(&user, seconds);
    }
    let words = ["run", "-p", "echo", "-s", "./work", "--seeds", "1-64", "--cpu", "600s", "--no-journal"];
    let time = |more: &[&str]| {
        let started = Instant::now();
        let said = user.judge(&[&words[..], more].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        started.elapsed().as_secs_f64()
    };
    let (local, there) = (time(&["--jobs", "2"]), time(&["--on", "slurm"]));
    println!("64 cases of {seconds} s: {local:.1} s here, {there:.1} s on two nodes: {:.1} %", 100.0 * local / there);
}

/// Writes a solver that takes about this many seconds on this machine.
fn keep_busy(user: &User<'_>, seconds: f64) {
    let work = |rounds: f64| {
        user.folder.script("work", &format!("awk 'BEGIN {{ for (i = 0; i < {rounds}; i++) x += i; print 1 }}'"))
    };
    let probe = work(2e7);
    let started = Instant::now();
    assert!(Command::new(probe).output().unwrap().status.success());
    work((2e7 * seconds / started.elapsed().as_secs_f64()).round());
}
