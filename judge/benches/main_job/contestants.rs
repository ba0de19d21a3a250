//! The contestants: each runs the same solver on the same input, `cases` times, on as many cores as it has jobs.

use judge_sandbox::{Cores, End, Limits, Options, Request, Sandbox, Sink, Stdin, Tier, TierChoice, Worker};
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A case's input.
pub(crate) const INPUT: &str = "6 13\n1\nabc\n";

const THIS_JUDGE: &str = env!("CARGO_BIN_EXE_judge");

/// The folders in which judges run. Each build has a separate journal, because an older build refuses a newer journal
/// and would record nothing.
const JUDGE: &str = "judge";
const OTHER: &str = "other";

/// A program that runs the cases.
pub(crate) enum Contestant {
    /// posix_spawn, two pipes, waitpid.
    Floor,
    /// The sandbox without a judge.
    Sandbox(Tier, Box<Sandbox>),
    /// A whole run, with checker and journal, by this build.
    Judge(Tier),
    /// The same with another build, at this path.
    Other(Tier, PathBuf),
    Pahcer,
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Floor => f.pad("floor"),
            Self::Sandbox(tier, _) => f.pad(&format!("sandbox, {tier}")),
            Self::Judge(tier) => f.pad(&format!("judge, {tier}")),
            Self::Other(tier, _) => f.pad(&format!("other judge, {tier}")),
            Self::Pahcer => f.pad("pahcer"),
        }
    }
}

impl Contestant {
    pub(crate) fn is_judge(&self) -> bool {
        matches!(self, Self::Judge(_) | Self::Other(..))
    }
}

/// The folder that all of it happens in.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    program: PathBuf,
    /// The program's arguments.
    words: Vec<String>,
    cases: usize,
    cores: Vec<usize>,
}

impl Scene {
    /// `Err` describes what is missing on this machine.
    pub(crate) fn set(cases: usize) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("judge-bench-").tempdir().expect("a temporary folder");
        let program = folder.path().join("floor");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/main_job/floor.c");
        let built = Command::new("cc").args(["-static", "-O2", "-o"]).arg(&program).arg(source).output();
        match built {
            Err(error) => return Err(format!("no C compiler, `cc`: {error}; apt-get install gcc libc6-dev")),
            Ok(output) if !output.status.success() => {
                return Err(format!("`cc -static` fails: {}", String::from_utf8_lossy(&output.stderr)));
            }
            Ok(_) => {}
        }
        for name in ["in", "out", "err", JUDGE, OTHER] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        for case in 0..cases {
            fs::write(folder.path().join(format!("in/{case:04}.txt")), INPUT).expect("a case's file");
        }
        Ok(Self { folder, program, words: Vec::new(), cases, cores: Cores::here().numbers })
    }

    /// Gives every program fixed work, in milliseconds of CPU time.
    pub(crate) fn set_work(&mut self, milliseconds: f64) {
        let told = Command::new(&self.program).arg("steps").arg(milliseconds.to_string()).output();
        let steps = String::from_utf8(told.expect("the program starts").stdout).expect("a number");
        self.words = vec!["work".to_owned(), steps.trim().to_owned()];
    }

    /// The charged time, in milliseconds, of programs that end once their own CPU clock shows `milliseconds`.
    pub(crate) fn charged(&self, sandbox: &Sandbox, milliseconds: f64) -> Vec<f64> {
        let mut worker = sandbox.worker(Some(self.cores[0])).expect("a worker");
        let argv = ["floor", "clock", &milliseconds.to_string()].map(Into::into).to_vec();
        let request = Request { argv, ..self.request() };
        let mut run = || worker.run(&request).expect("the sandbox works").usage.cpu.as_secs_f64() * 1e3;
        (0..self.cases).map(|_| run()).collect()
    }

    /// All that work on this machine, and a line for each that does not. `other`: another build of the judge.
    pub(crate) fn contestants(&self, other: Option<&Path>) -> Vec<Contestant> {
        let mut found = vec![Contestant::Floor];
        for tier in [Tier::Root, Tier::Delegated, Tier::Userns, Tier::Bare] {
            let options = Options { tier: TierChoice::Forced(tier), ..Options::default() };
            match Sandbox::open(&options) {
                Ok(sandbox) => {
                    found.extend([Contestant::Sandbox(tier, Box::new(sandbox)), Contestant::Judge(tier)]);
                    found.extend(other.map(|path| Contestant::Other(tier, path.to_owned())));
                }
                Err(error) => println!("skipped: {error}"),
            }
        }
        match Command::new("pahcer").arg("--version").output() {
            Ok(_) => found.push(Contestant::Pahcer),
            Err(_) => println!("skipped: pahcer is not installed: cargo install pahcer"),
        }
        found
    }

    /// How many programs can run at the same time here, up to two.
    pub(crate) fn most_jobs(&self) -> usize {
        self.cores.len().min(2)
    }

    /// The time that all cases take.
    pub(crate) fn time(&self, contestant: &Contestant, jobs: usize) -> Duration {
        match contestant {
            Contestant::Floor => self.floor(jobs),
            Contestant::Sandbox(_, sandbox) => self.sandbox(sandbox, jobs),
            Contestant::Judge(tier) => self.judge(Path::new(THIS_JUDGE), JUDGE, *tier, jobs),
            Contestant::Other(tier, program) => self.judge(program, OTHER, *tier, jobs),
            Contestant::Pahcer => self.pahcer(jobs),
        }
    }

    fn floor(&self, jobs: usize) -> Duration {
        let runs = (self.cases / jobs).to_string();
        let started = Instant::now();
        let start = |core: &usize| {
            let mut command = Command::new(&self.program);
            command.arg("loop").args([&core.to_string(), &runs]).arg(self.folder.path().join("in/0000.txt"));
            command.args(&self.words).spawn().expect("the floor starts")
        };
        let loops: Vec<Child> = self.cores[..jobs].iter().map(start).collect();
        for mut child in loops {
            assert!(child.wait().expect("the floor ends").success());
        }
        started.elapsed()
    }

    fn sandbox(&self, sandbox: &Sandbox, jobs: usize) -> Duration {
        let request = self.request();
        let mut workers: Vec<Worker> =
            self.cores[..jobs].iter().map(|core| sandbox.worker(Some(*core)).expect("a worker")).collect();
        let run = |worker: &mut Worker| {
            let execution = worker.run(&request).expect("the sandbox works");
            assert!(execution.end == End::Exited(0) && execution.stdout == b"0\n", "{execution:?}");
        };
        workers.iter_mut().for_each(run);
        let started = Instant::now();
        thread::scope(|scope| {
            for worker in &mut workers {
                scope.spawn(|| (0..self.cases / jobs).for_each(|_| run(worker)));
            }
        });
        started.elapsed()
    }

    fn judge(&self, program: &Path, home: &str, tier: Tier, jobs: usize) -> Duration {
        let mut command = Command::new(program);
        command.args(["run", "-p", "columns", "--inputs", "../in/*.txt", "--tier", tier.name()]).arg("--jobs");
        command.arg(jobs.to_string()).arg("-s").arg(self.command_line()).current_dir(self.folder.path().join(home));
        let started = Instant::now();
        let output = command.output().expect("the judge runs");
        let elapsed = started.elapsed();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let accepted = format!("{} accepted", self.cases);
        assert!(text.contains(&accepted), "{text}{}", String::from_utf8_lossy(&output.stderr));
        elapsed
    }

    /// The time that a judge takes to run the program once, without a problem; `None` for contestants other than
    /// judges.
    pub(crate) fn exec(&self, contestant: &Contestant) -> Option<Duration> {
        let (judge, tier) = match contestant {
            Contestant::Judge(tier) => (Path::new(THIS_JUDGE), tier),
            Contestant::Other(tier, judge) => (judge.as_path(), tier),
            Contestant::Floor | Contestant::Sandbox(..) | Contestant::Pahcer => return None,
        };
        let mut command = Command::new(judge);
        command.args(["exec", "--tier", tier.name(), "--stdin", "in/0000.txt", "--"]).arg(&self.program);
        let started = Instant::now();
        let output = command.current_dir(self.folder.path()).output().expect("the judge runs");
        let elapsed = started.elapsed();
        assert_eq!(output.stdout, b"0\n", "{}", String::from_utf8_lossy(&output.stderr));
        Some(elapsed)
    }

    fn pahcer(&self, jobs: usize) -> Duration {
        let config = format!(
            "[general]\nversion = \"0.3.1\"\n\n[problem]\nproblem_name = \"bench\"\nobjective = \"Max\"\n\
             score_regex = '(?m)^(?P<score>\\d+)$'\n\n[test]\nstart_seed = 0\nend_seed = {}\nthreads = {jobs}\n\
             out_dir = \"./pahcer\"\ncompile_steps = []\n\n[[test.test_steps]]\nprogram = \"{}\"\nargs = {:?}\n\
             stdin = \"./in/{{SEED04}}.txt\"\nstdout = \"./out/{{SEED04}}.txt\"\nstderr = \"./err/{{SEED04}}.txt\"\n\
             measure_time = true\n",
            self.cases,
            self.program.display(),
            self.words,
        );
        fs::write(self.folder.path().join("pahcer_config.toml"), config).expect("pahcer's settings");
        let mut command = Command::new("pahcer");
        command.arg("run").current_dir(self.folder.path());
        let started = Instant::now();
        let output = command.output().expect("pahcer runs");
        let elapsed = started.elapsed();
        let answers = fs::read_dir(self.folder.path().join("out")).expect("a folder").count();
        assert_eq!(answers, self.cases, "{}", String::from_utf8_lossy(&output.stderr));
        elapsed
    }

    /// The program and its arguments.
    fn command_line(&self) -> String {
        let words = self.words.iter().map(|word| format!(" {word}"));
        std::iter::once(self.program.display().to_string()).chain(words).collect()
    }

    /// The judge's request for it.
    fn request(&self) -> Request {
        Request {
            program: self.program.clone(),
            argv: ["floor"].into_iter().chain(self.words.iter().map(String::as_str)).map(Into::into).collect(),
            environment: Vec::new(),
            stdin: Stdin::Bytes(INPUT.as_bytes().into()),
            limits: Limits {
                cpu: Some(Duration::from_secs(4)),
                wall: Some(Duration::from_secs(12)),
                memory: Some(1 << 30),
                stdout: 64 << 20,
                stderr: 64 << 10,
                processes: Some(64),
                disk: 64 << 20,
            },
            visible: Vec::new(),
            hidden: Vec::new(),
            folder: None,
            stdout: Sink::Capture,
            stderr: Sink::Capture,
        }
    }

    /// Starts `count` processes that sleep.
    pub(crate) fn idle(&self, count: usize) -> Idle {
        let mut command = Command::new(&self.program);
        command.args(["idle", &count.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut leader = command.spawn().expect("idle processes start");
        let ready = leader.stdout.take().expect("a pipe").read_exact(&mut [0]);
        ready.expect("idle processes are there");
        Idle(leader)
    }
}

/// Sleeping processes in their own process group. They end when this is dropped.
pub(crate) struct Idle(Child);

impl Drop for Idle {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
