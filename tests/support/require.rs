//! The requirements of a test. If one is missing, the test says so and passes, unless `JUDGE_REQUIRE` names it.

#![allow(dead_code, reason = "each test asks for some of it")]

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with the requirements that must not be missing, separated by commas.
const REQUIRE: &str = "JUDGE_REQUIRE";

/// Makes the requirements and the table of their words.
macro_rules! needs {
    ($($(#[$of:meta])* $need:ident = $word:literal, $how:expr;)+) => {
        /// Something that not every machine has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Need {
            $($(#[$of])* $need,)+
        }

        /// The name of each requirement in `JUDGE_REQUIRE`, and how to get it.
        const WORDS: &[(&str, Need, &str)] = &[$(($word, Need::$need, $how),)+];
    };
}

needs! {
    /// A C compiler and the C library's headers.
    Cc = "cc", "apt-get install gcc libc6-dev";
    /// A C++ compiler.
    Cplusplus = "c++", "apt-get install g++";
    Python = "python", "apt-get install python3";
    /// Virtual environments of Python.
    Venv = "venv", "apt-get install python3-venv";
    Git = "git", "apt-get install git";
    Curl = "curl", "apt-get install curl";
    /// A JDK: programs are started from their source.
    Java = "java", "apt-get install default-jdk-headless";
    Go = "go", "apt-get install golang-go";
    Node = "node", "apt-get install nodejs";
    Bash = "bash", "apt-get install bash util-linux";
    /// GNU parallel.
    Parallel = "parallel", "apt-get install parallel";
    /// The tests run as root, which can become other users.
    Root = "root", "run the tests as root, best in a virtual machine";
    /// The tier `userns`.
    Userns = "userns", "`judge doctor` tells how to get this tier";
    /// The tier `bare`.
    Bare = "bare", "`judge doctor` tells how to get this tier";
    /// The tier `delegated`: control groups that belong to an ordinary user.
    Delegated = "delegated", "run the tests as root where it may write to control groups";
    /// Only control groups of version 2, on this machine or the emulated one.
    CgroupV2 = "cgroup-v2", VM;
    /// The emulated machine.
    Vm = "vm", VM;
    Browser = "browser", "apt-get install chromium";
    /// The rules of axe-core, a file that is not part of the project.
    Axe = "axe", "npm install axe-core, and set JUDGE_AXE to its axe.min.js";
    /// Perf events, which count the CPU time of a process and its children.
    Perf = "perf", "sysctl kernel.perf_event_paranoid=2";
    /// Programs that are linked dynamically, so that libraries can be preloaded into them.
    Preload = "preload", "build for a target with a dynamic loader";
    /// More than one core.
    Cores = "cores", "use a machine with two cores";
    /// The contests' own files, which are not part of the project.
    Data = "data", "the contests have these files, the project may not hand them on";
    /// The Python module, with the one that its pruner needs.
    Optuna = "optuna", "python3 -m venv target/optuna; target/optuna/bin/pip install optuna scipy";
    /// OpenEvolve, in a separate environment.
    Openevolve = "openevolve", ".ci/frameworks";
    /// ShinkaEvolve, likewise.
    Shinka = "shinka", ".ci/frameworks";
    /// Inspect, likewise.
    Inspect = "inspect", ".ci/frameworks";
    /// The package `mcp`, likewise.
    Mcp = "mcp", ".ci/frameworks";
    /// The program `script`, which makes terminals.
    Script = "script", "apt-get install bsdutils";
    Make = "make", "apt-get install make";
    Pypy = "pypy", "apt-get install pypy3";
    Ruby = "ruby", "apt-get install ruby";
    Perl = "perl", "apt-get install perl";
    Php = "php", "apt-get install php-cli";
    Lua = "lua", "apt-get install lua5.4";
    Pascal = "pascal", "apt-get install fpc";
    Ocaml = "ocaml", "apt-get install ocaml-nox";
    Haskell = "haskell", "apt-get install ghc";
    Kotlin = "kotlin", "apt-get install kotlin";
    Typescript = "typescript", "apt-get install node-typescript nodejs";
    /// C#.
    Mono = "mono", "apt-get install mono-mcs";
    Zig = "zig", "ziglang.org/download";
    Deno = "deno", "deno.com";
    /// The daemons and commands of Slurm, and root, which starts a cluster of them.
    Slurm = "slurm", "apt-get install slurmctld slurmd slurm-client munge, and run the tests as root";
    /// The header `testlib.h`, which is not part of the project.
    Testlib = "testlib", "set JUDGE_TESTLIB to testlib.h of github.com/MikeMirzayanov/testlib";
}

const VM: &str = "apt-get install bash binutils busybox-static cpio qemu-system-x86; tests/vm/fetch-kernel target/tmp";

/// Returns the requirement of a word. `Err` lists the valid words.
pub(crate) fn named(word: &str) -> Result<Need, String> {
    let need = WORDS.iter().find(|(name, _, _)| *name == word).map(|(_, need, _)| *need);
    need.ok_or_else(|| {
        format!("`{word}` is none of {}", WORDS.iter().map(|(word, _, _)| *word).collect::<Vec<_>>().join(","))
    })
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
