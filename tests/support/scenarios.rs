//! Conversations that are held again and again: the verdict is always the same.

use crate::support::require::{Need, skip};
use crate::support::{Folder, link_or_copy, of_cases};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// One conversation: the actions of each side (see `player.c`), and the only allowed verdict.
pub(crate) struct Scenario {
    pub(crate) verdict: &'static str,
    pub(crate) decider: &'static str,
    pub(crate) solver: &'static str,
    pub(crate) limits: &'static [&'static str],
    /// The part of the requested repetitions: one in this many.
    pub(crate) share: usize,
}

/// How often each conversation is held.
pub(crate) fn repeats() -> usize {
    std::env::var("JUDGE_REPEATS").map_or(10, |times| times.parse().expect("JUDGE_REPEATS is a number"))
}

/// With limits that only an endless program reaches, even on a busy machine.
pub(crate) const fn always(verdict: &'static str, decider: &'static str, solver: &'static str) -> Scenario {
    Scenario { verdict, decider, solver, limits: &["--wall", "20s"], share: 1 }
}

/// For conversations that neither side ends. They take the whole wall limit.
pub(crate) const fn hanging(verdict: &'static str, decider: &'static str, solver: &'static str) -> Scenario {
    Scenario { limits: &["--wall", "200ms"], share: 4, ..always(verdict, decider, solver) }
}

/// With a small CPU limit for a solver that computes endlessly. The default wall time limit that comes with it is too short
/// for a busy machine.
pub(crate) const fn computing(verdict: &'static str, decider: &'static str, solver: &'static str) -> Scenario {
    Scenario { limits: &["--cpu", "50ms", "--wall", "20s"], ..always(verdict, decider, solver) }
}

/// For those after which the interactor is waited for, for as long as it may take to decide.
pub(crate) const fn slowly(scenario: Scenario) -> Scenario {
    Scenario { share: 50, ..scenario }
}

/// The program for either side, compiled once for all conversations. `Err` says why there is none.
fn player() -> Result<&'static Path, &'static str> {
    static PLAYER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let compile = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("player");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/interactive/player.c");
        let status = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status();
        assert!(status.map_err(|error| format!("no C compiler: {error}"))?.success(), "player.c does not compile");
        Ok(program)
    };
    PLAYER.get_or_init(compile).as_deref().map_err(|why| why.as_str())
}

/// A folder with a problem that has these keys, and with the program for either side; `None` without a C compiler.
pub(crate) fn scene_with(keys: &str) -> Option<Folder> {
    let folder = Folder::new();
    match player() {
        Ok(player) => link_or_copy(player, &folder.path().join("player")),
        Err(why) => {
            skip(Need::Cc, why);
            return None;
        }
    }
    folder.write("c.in", "1\n");
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"talk\"\n{keys}\n\
             [problem.limits]\ncpu = \"2s\"\noutput = \"100 kB\"\nmemory = \"64 MiB\"\n\
             [[problem.case]]\nname = \"c\"\nfile = \"c.in\"\n"
        ),
    );
    Some(folder)
}

/// Sets a limit of the problem.
pub(crate) fn limit(folder: &Folder, key: &str, value: &str) {
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let limits = format!("[problem.limits]\n{key} = \"{value}\"");
    folder.write("problems.toml", catalogue.replace("[problem.limits]", &limits));
}

/// Whether a side with these actions never ends, so that a test waits for its whole limit.
pub(crate) fn is_endless(actions: &str) -> bool {
    let ends_never = |action| matches!(action, "flood" | "flood=1" | "wait" | "pause=100000" | "compute=100000");
    actions.split(' ').any(ends_never)
}

/// All run at once, because most of them wait.
pub(crate) fn hold(scenarios: &[Scenario], scene: fn(&str) -> Option<Folder>) {
    std::thread::scope(|scope| {
        for scenario in scenarios {
            scope.spawn(|| hold_one(scenario, scene));
        }
    });
}

fn hold_one(scenario: &Scenario, scene: fn(&str) -> Option<Folder>) {
    let Scenario { verdict, decider, solver, limits, share } = scenario;
    let Some(folder) = scene(decider) else { return };
    assert_always(&folder, &format!("`{decider}`"), solver, verdict, (repeats() / share).max(1), limits);
}

/// Runs a conversation repeatedly, and expects the same verdict each time.
pub(crate) fn assert_always(folder: &Folder, with: &str, solver: &str, verdict: &str, times: usize, limits: &[&str]) {
    let solver = format!("./player {solver}");
    let run = ["run", "-p", "talk", "-s", &solver, "--repeat", &times.to_string(), "--jobs", "2"];
    let (_, report) = folder.json(&[&run, limits].concat());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (verdict, note) in of_cases(&report, "verdict").iter().zip(of_cases(&report, "note")) {
        *seen.entry(format!("{} {note}", verdict.as_str().unwrap())).or_default() += 1;
    }
    let right = seen.keys().all(|seen| seen.split(' ').next() == Some(verdict));
    assert!(right && seen.values().sum::<usize>() == times, "{with} and `{solver}` are to be {verdict}: {seen:#?}");
}
