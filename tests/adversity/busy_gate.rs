//! The gate on a busy machine: a solver that works against the clock scores less under load, and this does not count as
//! a fall.

use crate::support::Folder;
use crate::support::documents::sample;
use crate::support::stage::turn;
use serde_json::Value;
use std::process::{Child, Command, Stdio};

/// Programs that keep all cores busy until this is dropped, each for at most 20 s of CPU time.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        let busy = || {
            // In a separate session, because the kernel shares cores among sessions first.
            let mut program = Command::new("setsid");
            program.args(["sh", "-c", "ulimit -t 20; while :; do :; done"]).stdin(Stdio::null()).stderr(Stdio::null());
            program.spawn().unwrap()
        };
        let cores = std::thread::available_parallelism().unwrap().get();
        Self((0..6 * cores.min(8)).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for program in &mut self.0 {
            program.kill().unwrap();
            program.wait().unwrap();
        }
    }
}

/// A solver that works against the clock: its score is the number that it counts to in 0.3 s, in thousands.
const AGAINST_THE_CLOCK: &str = "read -r seed
end=$(($(date +%s%N) + 300000000)); n=0
while [ $(date +%s%N) -lt $end ]; do
    i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done
    n=$((n + 1))
done
echo $n";

/// A problem whose answers are their own scores, and a solver against the clock for it.
fn scene() -> Folder {
    let folder = sample();
    folder.script("plain", "read -r seed; echo $((9000 + seed * 100))");
    folder.script("clock", AGAINST_THE_CLOCK);
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

/// Records the solver, and sets the number of disturbed runs of the baseline, regardless of how busy the test's machine
/// is.
fn record_with_noise(folder: &Folder, noisy: &str) -> String {
    let arguments = ["baseline", "-p", "columns", "-s", "./clock", "--seeds", "1-6", "--output", "baseline.toml"];
    let said = folder.judge(&[&arguments[..], &["--repeat", "2", "-j", "1"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let conditions = format!("conditions = {{ noisy = \"{noisy}\", waited = \"0%\" }}");
    let is_conditions = |line: &str| line.starts_with("conditions = { ") && line.contains("noisy = \"");
    let text = read(folder, "baseline.toml");
    assert_eq!(text.lines().filter(|line| is_conditions(line)).count(), 1, "{text}");
    let line = |line: &str| if is_conditions(line) { conditions.clone() } else { line.to_owned() };
    let text = text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n";
    folder.write("baseline.toml", &text);
    text
}

#[test]
#[ignore = "long: every core is kept busy"]
fn a_busy_machine_is_not_a_worse_solver() {
    let _turn = turn();
    let folder = scene();
    let text = record_with_noise(&folder, "0%");
    let gate = |more: &[&str]| {
        let arguments = ["gate", "--baseline", "baseline.toml", "--repeat", "1", "-j", "1"];
        folder.judge(&[&arguments[..], more].concat())
    };
    let load = Load::new();
    let said = gate(&["--update", "--json", "gate.json"]);
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(
        said.stdout.contains("columns: not comparable: ") && said.stdout.contains("; run it again when"),
        "{}",
        said.stdout
    );
    let json: Value = serde_json::from_str(&read(&folder, "gate.json")).unwrap();
    assert_eq!((&json["verdict"], &json["holds"]), (&"not-comparable".into(), &false.into()));
    assert!(json["conditions"]["noisy"].as_f64().unwrap() > 0.1 && json["conditions_was"]["noisy"] == 0.0, "{json}");
    // Two cases of six stay disturbed after two repeats each, or a few more find the machine idle.
    assert!((1..=12).contains(&json["repeats"].as_u64().unwrap()), "{json}");
    assert_eq!(read(&folder, "baseline.toml"), text);
    let said = gate(&["--if-noisy", "pass", "--junit", "gate.xml"]);
    assert_eq!(said.code, Some(0), "{}", said.stdout);
    let junit = read(&folder, "gate.xml");
    assert!(junit.contains("failures=\"0\"") && junit.contains("<skipped"), "{junit}");
    // No load makes a program crash.
    folder.script("crash", "read -r seed; [ $seed = 3 ] && exit 3; echo 1");
    let said = gate(&["--if-noisy", "pass", "-s", "./crash"]);
    assert!(said.code == Some(1) && said.stdout.contains("the gate does not hold"), "{}", said.stdout);
    // A baseline of as busy a machine can be compared.
    folder.write("baseline.toml", text.replace("noisy = \"0%\"", "noisy = \"100%\""));
    let said = gate(&["--if-noisy", "pass"]);
    assert!(said.code == Some(1) && said.stdout.contains("the gate does not hold"), "{}", said.stdout);
    drop(load);
    // Of so short runs, none is disturbed, or few.
    let said = gate(&["-s", "./plain"]);
    assert!(
        said.stdout.contains("about 100 % did; it was recorded on a busier machine and may be too low"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_baseline_tells_how_disturbed_it_was() {
    let _turn = turn();
    let folder = scene();
    let load = Load::new();
    let arguments = ["baseline", "-p", "columns", "-s", "./clock", "--seeds", "1-3", "--output", "baseline.toml"];
    let said = folder.judge(&[&arguments[..], &["--repeat", "1", "-j", "1"]].concat());
    drop(load);
    assert!(
        said.stderr.contains(" of 3 runs waited for a core: record it again when the machine is quiet"),
        "{}",
        said.stderr
    );
    let text = read(&folder, "baseline.toml");
    assert!(text.contains("conditions = { ") && !text.contains("noisy = \"0%\""), "{text}");
}
