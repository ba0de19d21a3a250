//! The requirements of a test. If one is missing, the test says so and passes, unless `JUDGE_REQUIRE` names it.

#![allow(dead_code, reason = "each test asks for some of it")]

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with the requirements that must not be missing, separated by commas.
const REQUIRE: &str = "JUDGE_REQUIRE";

/// Something that not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A C compiler and the C library's headers.
    Cc,
    /// A C++ compiler.
    Cplusplus,
    Python,
    /// Virtual environments of Python.
    Venv,
    Git,
    Curl,
    /// A JDK: programs are started from their source.
    Java,
    Go,
    Node,
    Bash,
    /// GNU parallel.
    Parallel,
    /// The tests run as root, which can become other users.
    Root,
    /// The tier `userns`.
    Userns,
    /// The tier `bare`.
    Bare,
    /// The tier `delegated`: control groups that belong to an ordinary user.
    Delegated,
    /// Only control groups of version 2, on this machine or the emulated one.
    CgroupV2,
    /// The emulated machine.
    Vm,
    Browser,
    /// The rules of axe-core, a file that is not part of the project.
    Axe,
    /// Perf events, which count the CPU time of a process and its children.
    Perf,
    /// Programs that are linked dynamically, so that libraries can be preloaded into them.
    Preload,
    /// More than one core.
    Cores,
    /// The contests' own files, which are not part of the project.
    Data,
    /// The Python module, with the one that its pruner needs.
    Optuna,
    /// OpenEvolve, in a separate environment.
    Openevolve,
    /// ShinkaEvolve, likewise.
    Shinka,
    /// Inspect, likewise.
    Inspect,
    /// The package `mcp`, likewise.
    Mcp,
    /// The program `script`, which makes terminals.
    Script,
    Make,
    Pypy,
    Ruby,
    Perl,
    Php,
    Lua,
    Pascal,
    Ocaml,
    Haskell,
    Kotlin,
    Typescript,
    /// C#.
    Mono,
    Zig,
    Deno,
    /// The daemons and commands of Slurm, and root, which starts a cluster of them.
    Slurm,
    /// The header `testlib.h`, which is not part of the project.
    Testlib,
}

/// The name of each requirement in `JUDGE_REQUIRE`, and how to get it.
const WORDS: [(&str, Need, &str); 45] = [
    ("cc", Need::Cc, "apt-get install gcc libc6-dev"),
    ("c++", Need::Cplusplus, "apt-get install g++"),
    ("python", Need::Python, "apt-get install python3"),
    ("venv", Need::Venv, "apt-get install python3-venv"),
    ("git", Need::Git, "apt-get install git"),
    ("curl", Need::Curl, "apt-get install curl"),
    ("java", Need::Java, "apt-get install default-jdk-headless"),
    ("go", Need::Go, "apt-get install golang-go"),
    ("node", Need::Node, "apt-get install nodejs"),
    ("bash", Need::Bash, "apt-get install bash util-linux"),
    ("parallel", Need::Parallel, "apt-get install parallel"),
    ("root", Need::Root, "run the tests as root, best in a virtual machine"),
    ("userns", Need::Userns, "`judge doctor` tells how to get this tier"),
    ("bare", Need::Bare, "`judge doctor` tells how to get this tier"),
    ("delegated", Need::Delegated, "run the tests as root where it may write to control groups"),
    ("cgroup-v2", Need::CgroupV2, VM),
    ("vm", Need::Vm, VM),
    ("browser", Need::Browser, "apt-get install chromium"),
    ("axe", Need::Axe, "npm install axe-core, and set JUDGE_AXE to its axe.min.js"),
    ("perf", Need::Perf, "sysctl kernel.perf_event_paranoid=2"),
    ("preload", Need::Preload, "build for a target with a dynamic loader"),
    ("cores", Need::Cores, "use a machine with two cores"),
    ("data", Need::Data, "the contests have these files, the project may not hand them on"),
    ("optuna", Need::Optuna, "python3 -m venv target/optuna; target/optuna/bin/pip install optuna scipy"),
    ("openevolve", Need::Openevolve, ".ci/frameworks"),
    ("shinka", Need::Shinka, ".ci/frameworks"),
    ("inspect", Need::Inspect, ".ci/frameworks"),
    ("mcp", Need::Mcp, ".ci/frameworks"),
    ("script", Need::Script, "apt-get install bsdutils"),
    ("make", Need::Make, "apt-get install make"),
    ("pypy", Need::Pypy, "apt-get install pypy3"),
    ("ruby", Need::Ruby, "apt-get install ruby"),
    ("perl", Need::Perl, "apt-get install perl"),
    ("php", Need::Php, "apt-get install php-cli"),
    ("lua", Need::Lua, "apt-get install lua5.4"),
    ("pascal", Need::Pascal, "apt-get install fpc"),
    ("ocaml", Need::Ocaml, "apt-get install ocaml-nox"),
    ("haskell", Need::Haskell, "apt-get install ghc"),
    ("kotlin", Need::Kotlin, "apt-get install kotlin"),
    ("typescript", Need::Typescript, "apt-get install node-typescript nodejs"),
    ("mono", Need::Mono, "apt-get install mono-mcs"),
    ("zig", Need::Zig, "ziglang.org/download"),
    ("deno", Need::Deno, "deno.com"),
    ("slurm", Need::Slurm, "apt-get install slurmctld slurmd slurm-client munge, and run the tests as root"),
    ("testlib", Need::Testlib, "set JUDGE_TESTLIB to testlib.h of github.com/MikeMirzayanov/testlib"),
];

const VM: &str = "apt-get install bash binutils busybox-static cpio qemu-system-x86; tests/vm/fetch-kernel target/tmp";

/// Returns the requirement of a word. `Err` lists the valid words.
pub(crate) fn named(word: &str) -> Result<Need, String> {
    let need = WORDS.iter().find(|(name, _, _)| *name == word).map(|(_, need, _)| *need);
    need.ok_or_else(|| format!("`{word}` is none of {}", WORDS.map(|(word, _, _)| word).join(",")))
}

/// Returns the requirements in a list. `Err` says which of its words is unknown.
fn parse(list: &str) -> Result<Vec<Need>, String> {
    list.split([',', ' ']).filter(|word| !word.is_empty()).map(named).collect()
}

/// Returns the requirements that must not be missing here. Panics if `JUDGE_REQUIRE` contains an unknown word.
pub(crate) fn required() -> Vec<Need> {
    parse(&std::env::var(REQUIRE).unwrap_or_default()).unwrap_or_else(|why| panic!("{REQUIRE}: {why}"))
}

/// Says that a test, or a part of it, is skipped, why, and how to get what it needs. Panics if that is required.
pub(crate) fn skip(need: Need, why: impl Display) {
    let (word, _, how) = WORDS.iter().find(|(_, known, _)| *known == need).expect("every need has its word");
    assert!(!required().contains(&need), "{REQUIRE} names {word}, and it is not there: {why} ({how})");
    // Written past the test harness, which would capture it, and in one write, because other tests print, too.
    let _ = std::io::stderr().write_all(format!("skipped: {why} ({how})\n").as_bytes());
}

/// Returns the folder with a game's contest files, which are not part of the project. Prints a message if there is
/// none.
pub(crate) fn contest_files(game: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(game);
    if folder.is_dir() {
        return Some(folder);
    }
    skip(Need::Data, format!("{} is absent", folder.display()));
    None
}

#[test]
fn what_is_required_has_a_known_word() {
    required();
    assert_eq!(parse("cc, vm"), Ok(vec![Need::Cc, Need::Vm]));
    assert!(parse("cc,vn").is_err_and(|why| why.contains("`vn`") && why.contains("cc,c++,")));
}
