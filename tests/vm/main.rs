//! The sandbox on a kernel with only version 2 of control groups: in an emulated machine, as root and delegated.
//!
//! `cargo test -p judge --test cgroup_v2_vm -- WORDS`: WORDS name tiers, users or parts of a case. With `--ignored` few
//! cases run, with `--include-ignored` all that differ on such a kernel.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test with a main of its own")]

#[path = "../../judge/sandbox/tests/misbehave/main.rs"]
mod misbehave;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use misbehave::require::{Need, required, skip};

/// The script that boots the machine.
const BOOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vm/boot");

/// The cases of `--ignored`: one limit of each kind, one escape, and the page cache.
const FEW_WORDS: [&str; 8] = [
    "root/root: cpu amount",
    "root/root: memory heap",
    "root/root: processes",
    "plain/delegated: memory heap",
    "plain/userns: escape",
    "root/root: pages between cases",
    "!: pages between cases, ",
    "!all of a sudden",
];

/// The cases of `--include-ignored`: limits by control groups, in the tiers that have them; isolation in all tiers, with
/// this kernel's old landlock; traces from run to run, with its coarse clock; the page cache, whose pages version 2
/// removes in another way.
const WORDS: [&str; 19] = [
    "root/root: cpu",
    "root/root: memory",
    "root/root: processes",
    "root/root: escape",
    "plain/delegated: memory",
    "plain/delegated: processes",
    "plain/userns: escape",
    "plain/bare: escape",
    "root/root: traces from",
    "root/root: pages between cases",
    "plain/delegated: pages between cases",
    "plain/bare: traces from",
    "plain container/bare: disk",
    // The work of an init without its helper is the same on every kernel, except for the counters that it reads.
    "!all of a sudden",
    "root/root: cpu amount @1.25, all of a sudden",
    "root/root: memory heap, all of a sudden",
    "root/root: memory children, all of a sudden",
    "root/root: processes relay, all of a sudden",
    "plain/userns: escape inherited, all of a sudden",
];

fn main() -> ExitCode {
    judge_sandbox::become_helper_if_asked();
    required();
    // Inside the machine, this binary is the test of the misbehaving programs.
    if std::env::var_os("INSIDE_VM").is_some() {
        return misbehave::main();
    }
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    let words: Vec<&str> = match &*words {
        [] if flags.iter().any(|flag| flag == "--include-ignored") => WORDS.to_vec(),
        [] if flags.iter().any(|flag| flag == "--ignored") => FEW_WORDS.to_vec(),
        [] => {
            println!("ignored, long: an emulated machine takes a minute (run it with `-- --ignored`)");
            return ExitCode::SUCCESS;
        }
        words => words.iter().map(String::as_str).collect(),
    };
    match boot(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("FAILED: see the lines above that say so; the last command was {BOOT}");
            ExitCode::FAILURE
        }
        Err(why) => {
            skip(Need::Vm, &why);
            // If this machine has no other version, the sandbox's own tests show the same.
            if !Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
                skip(Need::CgroupV2, &why);
            }
            ExitCode::SUCCESS
        }
    }
}

/// Boots the machine with this test in it, and returns whether all cases with these words passed there. `Err` says what
/// is missing.
fn boot(words: &[&str]) -> Result<bool, String> {
    if !cfg!(target_arch = "x86_64") {
        return Err("the emulated machine is an x86-64, and this one is not".to_owned());
    }
    for program in ["qemu-system-x86_64", "busybox", "cpio", "bash", "strip"] {
        if !is_installed(program) {
            return Err(format!("{program} is not installed"));
        }
    }
    let kernel = kernel()?;
    let programs = tempfile::Builder::new().prefix("misbehave").tempdir().unwrap();
    misbehave::scene::compile(programs.path())?;
    let mut command = Command::new(BOOT);
    command.arg(kernel).arg(env!("CARGO_BIN_EXE_judge")).arg(std::env::current_exe().unwrap()).arg(programs.path());
    command.args(words);
    Ok(command.status().unwrap().success())
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

/// The kernel to boot: downloaded, or installed.
fn kernel() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let installed = glob::glob("/boot/vmlinuz-*-cloud-amd64").unwrap().flatten();
    [folder.join("vmlinuz")]
        .into_iter()
        .chain(installed)
        .find(|path| path.is_file())
        .ok_or_else(|| format!("there is no kernel {}", folder.join("vmlinuz").display()))
}
