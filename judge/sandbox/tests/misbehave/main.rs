//! Runs misbehaving programs in every tier that this machine offers, as root and as an ordinary user.
//!
//! `cargo test -p judge-sandbox --test misbehave [-- WORDS]`: WORDS select by tier, user or part of a case. `!WORD`
//! excludes matching cases, unless a later word matches too. `--programs FOLDER`: the programs are compiled already.
//! `--tiers A,B`: only these, and only as this user.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test with a main of its own")]

mod attempt;
mod cases;
mod clocks;
mod deaths;
mod delegation;
mod hoard;
mod judge_level;
#[path = "../../../../tests/support/pace.rs"]
mod pace;
mod plain_user;
mod queue;
mod races;
#[path = "../../../../tests/support/require.rs"]
pub(crate) mod require;
pub(crate) mod scene;
mod short_runs;
mod solvers;
mod starts;
mod streams;
mod surroundings;
mod traces;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use attempt::Told;
use cases::CASES;
use judge_sandbox::{Limits, Options, Request, Sandbox, Tier, TierChoice};
use pace::{bounded, patiently, unhurried};
use require::{Need, named, required, skip};
use scene::Scene;
use surroundings::Surroundings;

/// The cases that run without WORDS and `--include-ignored`: the strongest tier and the weakest, with few of the
/// programs that burn CPU time, hide it, race or hoard, since each of those takes two seconds.
const SHORT_FORM: [&str; 22] = [
    "root/root: ",
    "plain/bare: ",
    "!: cpu ",
    "!: unseen ",
    "!: hidden ",
    "!: races ",
    "!: hoard ",
    "!: sharing ",
    "!: thousands of runs",
    "!: pages between cases, ",
    // The tests of languages run Java as root.
    "!root/root: java",
    "!: escape deep",
    "!root/root: helper stopped",
    "root/root: cpu threads",
    "root/root: cpu children",
    "plain/bare: cpu alone",
    "root/root: unseen chain @own",
    "plain/bare: unseen relay",
    "plain/bare: hidden busy",
    "root/root: races busy 16",
    "root/root: hoard locks",
    "!all of a sudden",
];

pub(crate) fn main() -> ExitCode {
    judge_sandbox::become_helper_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, rest @ ..] if mode == starts::COMPARE => starts::compare(rest),
        [mode, rest @ ..] if mode == deaths::VICTIM => deaths::be_a_victim(rest),
        [mode, rest @ ..] if mode == plain_user::BECOME => plain_user::become_plain(rest),
        [mode, rest @ ..] if mode == traces::TELL_USER => traces::tell_user(rest),
        _ => {}
    }
    // Before anything runs, as a list that cannot be read is a mistake.
    required();
    let arguments = Arguments::parse(arguments);
    let compiled = match arguments.programs.is_none().then(compiled).transpose() {
        Ok(compiled) => compiled,
        Err(why) => {
            skip(Need::Cc, why);
            return ExitCode::SUCCESS;
        }
    };
    let programs = arguments.programs.as_deref().or(compiled.as_ref().map(|folder| folder.path())).unwrap();
    let failures = match &arguments.tiers {
        Some(tiers) => in_tiers(tiers, &arguments.user(), arguments.surroundings, programs, &arguments.words),
        None => as_everybody(programs, &arguments.words),
    };
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The programs, in their own folder, or why they cannot be compiled here.
fn compiled() -> Result<tempfile::TempDir, String> {
    let folder = plain_user::public_folder()?;
    scene::compile(folder.path())?;
    Ok(folder)
}

struct Arguments {
    words: Vec<String>,
    programs: Option<PathBuf>,
    tiers: Option<Vec<Tier>>,
    surroundings: Surroundings,
    plain: bool,
}

impl Arguments {
    fn parse(given: Vec<String>) -> Arguments {
        let surroundings = Surroundings::Machine;
        let mut arguments = Arguments { words: Vec::new(), programs: None, tiers: None, surroundings, plain: false };
        let is_long = given.iter().any(|flag| flag == "--include-ignored");
        let mut given = given.into_iter();
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--programs" => arguments.programs = Some(given.next().unwrap().into()),
                "--tiers" => {
                    let tiers = given.next().unwrap();
                    arguments.tiers = Some(tiers.split(',').map(|tier| tier.parse().unwrap()).collect());
                }
                "--surroundings" => arguments.surroundings = Surroundings::named(&given.next().unwrap()),
                surroundings::PLAIN => arguments.plain = true,
                // Flags that a test runner may pass to every test.
                flag if flag.starts_with('-') => {}
                _ => arguments.words.push(argument),
            }
        }
        if arguments.words.is_empty() && arguments.programs.is_none() && !is_long {
            arguments.words = SHORT_FORM.map(str::to_owned).to_vec();
        }
        arguments
    }

    fn user(&self) -> String {
        self.surroundings.user(self.plain)
    }
}

/// Runs as this user and, if that is root, as an ordinary one, in two processes at once, since most of the time is
/// waiting. Each has its own programs, because it searches for their leftovers. Returns the number of failures.
fn as_everybody(programs: &Path, words: &[String]) -> usize {
    surroundings::publish(programs);
    let others = programs.join("others");
    copy(programs, &others);
    let is_root = rustix::process::geteuid().is_root();
    let tiers = if is_root { "root,userns,bare" } else { "root,delegated,userns,bare" };
    let mut here = Command::new(programs.join(surroundings::OWN));
    here.args(words)
        .arg("--programs")
        .arg(programs)
        .args(["--tiers", tiers])
        .args((!is_root).then_some(surroundings::PLAIN));
    let mut here = here.spawn().unwrap();
    let mut failures = surroundings::repeat(|program| Command::new(program), &others, words, !is_root);
    if is_root {
        failures += surroundings::repeat_as_plain_user(&others, words);
    }
    failures + usize::from(!here.wait().unwrap().success())
}

/// Copies the files of a folder, with their modes, into a new one that every user may enter.
fn copy(from: &Path, to: &Path) {
    let files: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()).collect();
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
    for file in files.into_iter().filter(|file| file.is_file()) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

fn in_tiers(among: &[Tier], user: &str, surroundings: Surroundings, programs: &Path, words: &[String]) -> usize {
    let mut failures = 0;
    let mut worked = 0;
    for &tier in among {
        let options = Options { tier: TierChoice::Forced(tier), ..Options::default() };
        match Sandbox::open(&options) {
            Ok(sandbox) => {
                worked += 1;
                failures += in_tier(&sandbox, user, surroundings, programs, words);
            }
            Err(error) if surroundings == Surroundings::Machine => {
                skip(named(tier.name()).unwrap(), format!("as {user}: {error}"));
            }
            Err(error) => println!("left out: as {user}: {error}"),
        }
    }
    if worked == 0 {
        println!("FAILED: no tier works here");
        failures += 1;
    }
    failures
}

fn in_tier(sandbox: &Sandbox, user: &str, surroundings: Surroundings, programs: &Path, words: &[String]) -> usize {
    let tier = sandbox.tier();
    let mut failures = 0;
    let mut tell = |name: &str, result: Result<(), String>, took: Duration| {
        let heading = format!("{user}/{tier}: {name}");
        match result {
            Ok(()) => println!("ok {heading} ({} ms)", took.as_millis()),
            Err(why) => {
                failures += 1;
                println!("FAILED {heading}: {why}");
            }
        }
    };
    // The last word that matches counts.
    let is_meant = |heading: &str| {
        let says = |word: &String| match word.strip_prefix('!') {
            Some(word) => heading.contains(word).then_some(false),
            None => heading.contains(word.as_str()).then_some(true),
        };
        words.iter().rev().find_map(says).unwrap_or_else(|| words.iter().all(|word| word.starts_with('!')))
    };
    let wanted = |name: &str| surroundings.matters_to(name) && is_meant(&format!("{user}/{tier}: {name}"));
    let mut scene = Scene::set().unwrap();
    let mut worker = sandbox.worker(None).unwrap();
    // One tier with a control group, and one without.
    let has_init = matches!((user, tier), ("root", Tier::Root) | ("plain", Tier::Userns));
    let told = if has_init { &[Told::ByArguments, Told::ByInput][..] } else { &[Told::ByArguments] };
    for (case, &told) in CASES.iter().flat_map(|case| told.iter().map(move |told| (case, told))) {
        let name =
            if told == Told::ByInput { format!("{}, all of a sudden", case.command) } else { case.command.into() };
        if !wanted(&name) || (told == Told::ByInput && case.stdin_mib > 0) {
            continue;
        }
        let began = Instant::now();
        let expected = attempt::expected(case, sandbox);
        let result = tried(&name, || attempt::attempt(&mut worker, &mut scene, programs, &expected, told));
        tell(&name, result, began.elapsed());
    }
    for trick in hoard::TRICKS {
        if wanted(trick) {
            let began = Instant::now();
            let result = hoard::hide(sandbox, programs, trick);
            tell(trick, result, began.elapsed());
        }
    }
    for (name, test) in judge_level::TESTS.iter().filter(|(name, _)| wanted(name)) {
        let began = Instant::now();
        let result = tried(name, || test(sandbox, programs));
        tell(name, result, began.elapsed());
    }
    failures
}

/// Runs a test. Limits are longer on a busy machine. A test that does not end aborts all.
fn tried(name: &str, test: impl FnMut() -> Result<(), String>) -> Result<(), String> {
    let mut test = test;
    unhurried(name, || bounded(Duration::from_secs(300), name, &mut test)).flatten()
}

/// A run of `program` with moderate limits.
pub(crate) fn request(program: PathBuf, argv: &[String]) -> Request {
    let limits = Limits {
        cpu: Some(patiently(Duration::from_secs(2))),
        wall: Some(patiently(Duration::from_secs(8))),
        memory: Some(256 << 20),
        stdout: 65536,
        stderr: 4096,
        processes: Some(16),
        disk: 8 << 20,
    };
    let environment = vec![("GIVEN".into(), "yes".into())];
    Request { argv: argv.iter().map(Into::into).collect(), environment, ..Request::new(program, limits) }
}
