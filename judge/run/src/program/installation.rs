//! Installed programs: the path that one runs under, and the files and folders that it needs, found by inspection.
//!
//! Nothing is executed here: a program that prints its own paths would run outside the sandbox.
//!
//! Trust: a link, a `#!` line, a `pyvenv.cfg`, a `.python-version` or an ELF header may come from the author of a
//! solver, to make more than the solver's own files visible. None of them decides what is visible. They name a folder.
//! That folder becomes visible only if its own content proves that it is an installation ([`shown_folders`]): it
//! contains a file that only installations of a language have, or a version manager keeps its versions there. Homes,
//! the current folder and folders above them never become visible. Links in it that lead elsewhere are not followed.
//! Files that an author plants in the solver's own folder make only that folder visible. Library paths in ELF headers
//! are not read: an installation contains what it needs.

use super::executable::{self, ProgramError, first_line, head, is_executable, on_path};
use super::version_manager;
use crate::matching::{matching, real};
use judge_problem::JOURNAL_FOLDER;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

// All knowledge about installations is in these tables. A new language or version manager is a new line.

/// The folders of the system's own programs, which every sandbox shows.
const SYSTEM: &[&str] = &["/usr"];

/// Package managers whose packages link to one another, each with the folders that hold packages and nothing else.
const STORES: [(&str, &[&str]); 3] =
    [("/nix/store", &[""]), ("/gnu/store", &[""]), ("/home/linuxbrew/.linuxbrew", &["Cellar", "opt", "lib", "share"])];

/// A file or folder, as a path in the installation, that only installations of a language have.
const LANDMARKS: &[&str] = &[
    // Python, PyPy, conda.
    "lib/python*/os.py",
    "lib/pypy*/os.py",
    "lib-python/*/os.py",
    "conda-meta/history",
    // JavaScript.
    "lib/node_modules/npm/package.json",
    "include/node/node.h",
    // The Java virtual machine and its languages.
    "lib/jvm.cfg",
    "lib/*/jvm.cfg",
    "lib/rt.jar",
    "jre/lib/rt.jar",
    "lib/kotlin-stdlib.jar",
    "lib/scala-library*.jar",
    "lib/scala3-library*.jar",
    "lib/groovy-*.jar",
    "lib/clojure-*.jar",
    // Scripts.
    "lib/ruby/*/English.rb",
    "lib/truffle/truffle/cext.rb",
    "lib/perl5/*/strict.pm",
    "lib/5.*/strict.pm",
    "include/php/main/php.h",
    "include/lua.h",
    "include/luajit-*/lua.h",
    "lib/tcl*/init.tcl",
    "share/julia/base/Base.jl",
    "lib/R/library/base",
    "share/octave/*/m/startup",
    // Compilers.
    "lib/rustlib/*/lib",
    "src/runtime/proc.go",
    "lib/gcc/*/*/crtbegin.o",
    "lib64/gcc/*/*/crtbegin.o",
    "lib/clang/*/include/stddef.h",
    "lib/swift/shims/module.modulemap",
    "shared/Microsoft.NETCore.App",
    "lib/core/core.dart",
    "lib/system.nim",
    "lib/std/std.zig",
    "share/crystal/src/prelude.cr",
    // Functional languages.
    "lib/ghc-*/settings",
    "lib/ghc-*/lib/settings",
    "lib/ocaml/stdlib.cma",
    "lib/erlang/bin/start.boot",
    "lib/elixir/ebin/elixir.app",
    "lib/sbcl/sbcl.core",
    "share/guile/*/ice-9/boot-9.scm",
    "collects/racket/base.rkt",
    "share/racket/collects/racket/base.rkt",
];

/// Where version managers keep one version each: the last parts of its path.
const MANAGED: &[&str] = &[
    // pyenv, rbenv, nodenv, plenv, phpenv, goenv, luaenv, jenv.
    ".*env/versions/*",
    ".nvm/versions/*/*",
    "fnm/node-versions/*/installation",
    ".volta/tools/image/*/*",
    "uv/python/*",
    ".asdf/installs/*/*",
    "mise/installs/*/*",
    ".sdkman/candidates/*/*",
    ".jabba/jdk/*",
    ".jdks/*",
    ".rvm/rubies/*",
    ".rubies/*",
    "perlbrew/perls/*",
    ".phpbrew/php/*",
    ".rustup/toolchains/*",
    ".ghcup/ghc/*",
    ".gvm/gos/*",
    ".choosenim/toolchains/*",
];

/// Folders below the root that are shared, and never an installation themselves.
const COMMON: &[&str] = &[
    "bin", "home", "lib", "lib32", "lib64", "media", "mnt", "opt", "root", "sbin", "snap", "srv", "tmp", "usr", "var",
];

/// Folders below the root that contain no installation at any depth.
const CLOSED: &[&str] = &["boot", "dev", "etc", "lost+found", "proc", "run", "sys"];

/// Files that a home contains and an installation does not.
const HOME_MARKERS: &[&str] = &[".ssh", ".gnupg", ".profile", ".bashrc", ".bash_history", ".zshrc", ".netrc", ".aws"];

/// Names of private folders without programs.
const PRIVATE: &[&str] = &[".ssh", ".gnupg", ".aws", ".kube", ".docker", JOURNAL_FOLDER];

/// Folders of a home that many programs share.
const SHARED_HOME_FOLDERS: &[&str] = &[".local", ".config", ".cache", ".cargo"];

/// Folders of an installation that programs do not need: settings, which may have passwords, and other installations.
const NOT_SHOWN: &[&str] = &["etc", "envs", "pkgs"];

/// An installed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installation {
    /// The absolute path to run it under. Links are kept: a virtual environment is known by its own link.
    pub(super) program: PathBuf,
    /// The real path behind its links.
    pub(super) real: PathBuf,
    /// Whether it was found through a version manager's shim.
    pub(super) was_shim: bool,
    /// The folders of its installation, read-only.
    folders: Vec<PathBuf>,
}

impl Installation {
    /// Returns whether the program is a single file that belongs to no installation and not to the system.
    pub(super) fn is_alone(&self) -> bool {
        self.folders.is_empty() && !is_systems(&self.real)
    }

    /// Returns the paths that it needs to see outside the system's own folders.
    pub(super) fn visible(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.program, &self.real].into_iter().chain(&self.folders).filter(|path| !is_systems(path))
    }

    /// Returns the folder to search first for the program and its companions, unless `path` leads to it anyway.
    pub(super) fn search(&self, path: &OsStr) -> Option<PathBuf> {
        let found =
            executable::in_path(self.program.file_name()?, path, None).and_then(|found| found.canonicalize().ok());
        // A virtual environment's link may point to the same program that `path` finds.
        let is_other = found.as_ref() != Some(&self.real) || self.visible().next().is_some();
        is_other.then(|| self.program.parent().map(Path::to_owned)).flatten()
    }
}

/// Finds the files that a program needs to see.
///
/// # Errors
/// When it does not exist, or is a shim for a program that cannot be found.
pub(super) fn installation(program: &Path) -> Result<Installation, ProgramError> {
    let named = own_path(program)?;
    let behind = version_manager::behind_shim(&named)?;
    let was_shim = behind.is_some();
    let program = behind.unwrap_or(named);
    let real = program.canonicalize().map_err(|error| ProgramError::of_file(&program, &error))?;
    // Both the given path and the real path are shown, because a link without its target is useless.
    let venv = venv_parts(&program).into_iter().flat_map(|part| [part.canonicalize().ok(), Some(part)]).flatten();
    let folders = shown_folders(&real).into_iter().chain(venv).collect();
    Ok(Installation { program, real, was_shim, folders })
}

/// Returns the absolute path of a file, with its links as they are.
fn own_path(file: &Path) -> Result<PathBuf, ProgramError> {
    let failed = |error| ProgramError::of_file(file, &error);
    let path = std::path::absolute(file).map_err(failed)?;
    if !path.components().any(|part| part == Component::ParentDir) {
        return Ok(path);
    }
    // The meaning of `..` depends on the links before it.
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize().map_err(failed)?.join(name)),
        _ => path.canonicalize().map_err(failed),
    }
}

/// The deepest nesting of script interpreters that the kernel allows.
const MAX_NESTING: usize = 5;

/// An interpreter that a script runs under.
pub(super) struct Interpreter {
    /// The interpreter.
    pub(super) installation: Installation,
    /// Its argument in the first line, before the script.
    pub(super) argument: Option<OsString>,
    /// Whether it is found on the `PATH`.
    pub(super) by_name: bool,
}

/// Returns the interpreters of a program: none if it is not a script, several if its interpreter is a script too. An
/// interpreter that does not exist is left out. Starting the script then fails.
///
/// # Errors
/// When one is a shim for a program that cannot be found.
pub(super) fn interpreters(program: &Path) -> Result<Vec<Interpreter>, ProgramError> {
    let mut found: Vec<Interpreter> = Vec::new();
    let mut script = program.to_owned();
    while found.len() < MAX_NESTING {
        let head = head(&script);
        let Some((path, argument)) = first_line(&head) else { break };
        let path = Path::new(OsStr::from_bytes(path));
        let interpreter = if path.file_name() == Some(OsStr::new("env")) {
            behind_env(&argument.map(words).unwrap_or_default())?
        } else {
            let argument = argument.map(|argument| OsString::from_vec(argument.to_vec()));
            let path = executed_by_shell(&head).unwrap_or_else(|| path.to_owned());
            let path = Some(path).filter(|path| path.is_absolute() && is_executable(path));
            let installation = path.map(|path| installation(&path)).transpose()?;
            installation.map(|installation| Interpreter { installation, argument, by_name: false })
        };
        let Some(interpreter) = interpreter else { break };
        script.clone_from(&interpreter.installation.program);
        found.push(interpreter);
    }
    Ok(found)
}

/// Returns the program that `env` runs with these arguments, if it exists.
///
/// # Errors
/// When it is a shim for a program that cannot be found.
pub(super) fn behind_env(arguments: &[OsString]) -> Result<Option<Interpreter>, ProgramError> {
    let file = command_of_env(arguments).and_then(|name| on_path(&name));
    let installation = file.map(|file| installation(&file)).transpose()?;
    Ok(installation.map(|installation| Interpreter { installation, argument: None, by_name: true }))
}

/// Returns the interpreter that the second line of a script executes in place of the shell. pip and uv write such
/// scripts if the interpreter's path is too long for the first line, or contains a space.
fn executed_by_shell(head: &[u8]) -> Option<PathBuf> {
    let line = head.split(|&byte| byte == b'\n').nth(1)?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("'''exec' ")?;
    shell_words::split(line).ok()?.into_iter().next().map(PathBuf::from)
}

fn words(argument: &[u8]) -> Vec<OsString> {
    let words = argument.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// Returns the command that `env` looks up with these arguments.
fn command_of_env(arguments: &[OsString]) -> Option<OsString> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let bytes = argument.as_bytes();
        match bytes {
            // Its value is the next argument.
            b"-u" | b"-C" | b"--unset" | b"--chdir" => _ = arguments.next()?,
            _ if bytes.starts_with(b"-S") && bytes.len() > 2 => return Some(OsString::from_vec(bytes[2..].to_vec())),
            _ if bytes.starts_with(b"-") || bytes.contains(&b'=') => {}
            _ => return Some(argument.clone()),
        }
    }
    None
}

const FILE: &str = "pyvenv.cfg";

/// The parts of a virtual environment that Python and its packages use. The environment may be a project's own folder,
/// so its other files stay hidden.
const PARTS: [&str; 5] = [FILE, "bin", "lib", "lib64", "share"];

/// Returns the parts of a program's virtual environment, and of its base. The environment is found from the program's
/// path: `pyvenv.cfg` is next to the program, or one folder above.
///
/// That file names the base, and is not trusted: the base must have an interpreter, and [`shown_folders`] decides
/// whether it is part of an installation that may be shown.
fn venv_parts(program: &Path) -> Vec<PathBuf> {
    let Some(root) = program.ancestors().skip(1).take(2).find(|folder| folder.join(FILE).is_file()) else {
        return Vec::new();
    };
    if !root.canonicalize().is_ok_and(|root| is_no_home(&root)) {
        return Vec::new();
    }
    let parts = PARTS.iter().map(|part| root.join(part)).filter(|part| stays_within(root, part));
    parts.chain(base(&root.join(FILE), program)).collect()
}

/// Returns the interpreter that a virtual environment is based on, with the folders of its installation. A base without
/// an installation belongs to the system, or is an arbitrary program that the file names.
fn base(file: &Path, program: &Path) -> Vec<PathBuf> {
    let own = program.file_name().unwrap_or_default();
    let names = [own, "python3".as_ref(), "python".as_ref(), "pypy3".as_ref(), "pypy".as_ref()];
    let base = home(file).and_then(|home| names.iter().map(|name| home.join(name)).find(|file| is_executable(file)));
    let real = base.as_ref().and_then(|base| base.canonicalize().ok());
    let folders = real.map(|real| shown_folders(&real)).unwrap_or_default();
    base.filter(|_| !folders.is_empty()).into_iter().chain(folders).collect()
}

/// Returns the folder under the key `home`.
fn home(file: &Path) -> Option<PathBuf> {
    let text = executable::head_text(file)?;
    let value = text.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "home")?.1;
    let home = PathBuf::from(value.trim());
    home.is_absolute().then_some(home)
}

/// Returns the folders to show of a program's installation, found by its canonical path: the content of its folder without
/// settings. Empty for programs of the system, and for programs without an installation.
fn shown_folders(program: &Path) -> Vec<PathBuf> {
    if is_systems(program) {
        return Vec::new();
    }
    if let Some((store, packages)) = STORES.iter().find(|(store, _)| program.starts_with(store)) {
        return packages.iter().map(|folder| Path::new(store).join(folder)).filter(|folder| folder.is_dir()).collect();
    }
    let above = || program.ancestors().skip(1);
    let managed = above().find(|folder| is_managed(folder));
    // PREFIX/bin/NAME, or PREFIX/NAME.
    let folder = managed.or_else(|| above().take(2).find(|folder| has_landmark(folder)));
    folder.filter(|folder| may_be_shown(folder)).map(parts).unwrap_or_default()
}

/// Returns the entries of a folder that may be shown, by name.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let is_shown = |name: &OsStr| !name.as_bytes().starts_with(b".") && !NOT_SHOWN.iter().any(|hidden| name == *hidden);
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let paths = entries.filter(|entry| is_shown(&entry.file_name())).map(|entry| entry.path());
    let mut parts: Vec<_> = paths.filter(|path| stays_within(folder, path)).collect();
    parts.sort();
    parts
}

/// Returns whether a path, after following links, is in this folder or in a system folder. A solver's folder may
/// contain links to any place.
fn stays_within(folder: &Path, path: &Path) -> bool {
    let folder = real(folder);
    path.canonicalize().is_ok_and(|real| real.starts_with(folder) || is_systems(&real))
}

/// Returns whether every sandbox shows this path anyway.
fn is_systems(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Returns whether a canonical folder is one installation and nothing else, judged by its path.
fn may_be_shown(folder: &Path) -> bool {
    let busy = [std::env::current_dir().ok(), std::env::temp_dir().canonicalize().ok()];
    let is_above = busy.iter().flatten().any(|busy| busy.starts_with(folder));
    is_no_home(folder) && !is_above && !folder.join(JOURNAL_FOLDER).exists()
}

/// Returns whether a canonical folder is not a home, is not shared by many programs, and is not above such a folder.
fn is_no_home(folder: &Path) -> bool {
    let parts: Vec<_> = folder.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let is = |at: usize, names: &[&str]| {
        parts.get(at).is_some_and(|part| names.iter().any(|name| part.as_os_str() == *name))
    };
    let is_shared = match parts.len() {
        0 => true,
        1 => is(0, COMMON),
        2 => is(0, &["home", "var"]),
        _ => false,
    };
    let is_private = (0..parts.len()).any(|at| is(at, PRIVATE));
    if is_shared || is_private || is(0, CLOSED) || HOME_MARKERS.iter().any(|sign| folder.join(sign).exists()) {
        return false;
    }
    homes().iter().all(|home| {
        let shared = || SHARED_HOME_FOLDERS.iter().any(|name| home.join(name) == folder);
        !home.starts_with(folder) && !shared()
    })
}

/// Returns the homes of all users in `/etc/passwd`, and the judge's own.
fn homes() -> Vec<PathBuf> {
    let list = std::fs::read("/etc/passwd").unwrap_or_default();
    let own = std::env::var_os("HOME").map(PathBuf::from);
    let all = listed_homes(&list).chain(own).filter(|home| home.is_absolute());
    all.map(|home| real(&home)).collect()
}

/// Names of users and homes need not be UTF-8.
fn listed_homes(list: &[u8]) -> impl Iterator<Item = PathBuf> {
    let homes = list.split(|&byte| byte == b'\n').filter_map(|user| user.split(|&byte| byte == b':').nth(5));
    homes.map(|home| PathBuf::from(OsStr::from_bytes(home)))
}

fn is_managed(folder: &Path) -> bool {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    MANAGED.iter().any(|pattern| {
        let wanted: Vec<_> = pattern.split('/').collect();
        parts.len() > wanted.len()
            && parts[parts.len() - wanted.len()..].iter().zip(wanted).all(|(part, wanted)| matches(wanted, part))
    })
}

/// Returns whether a name matches a pattern, in which one `*` stands for one or more characters.
fn matches(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        Some((start, end)) => name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => wanted == name,
    }
}

/// Most folders have no landmark, so the first parts of all landmarks are checked first.
fn has_landmark(folder: &Path) -> bool {
    let top = |landmark: &'static str| landmark.split('/').next().unwrap_or(landmark);
    let mut tops: BTreeSet<_> = LANDMARKS.iter().copied().map(top).collect();
    tops.retain(|top| folder.join(top).exists());
    let is_there = |landmark| matching(folder, landmark).is_ok_and(|found| !found.is_empty());
    LANDMARKS.iter().copied().filter(|landmark| tops.contains(top(landmark))).any(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_has_a_command() {
        let command = |text: &str| command_of_env(&words(text.as_bytes())).map(|name| name.into_string().unwrap());
        assert_eq!(command("python3").as_deref(), Some("python3"));
        assert_eq!(command("-S -i -u HOME A=1 python3 -u").as_deref(), Some("python3"));
        assert_eq!(command("-Spython3 -u").as_deref(), Some("python3"));
        assert_eq!(command("A=1"), None);
    }

    #[test]
    fn homes_are_listed_if_names_are_not_utf8() {
        let list = b"root:x:0:0:root:/root:/bin/sh\nj:x:1:1:J\xfcrgen:/home/j\xfc:/bin/sh\nshort:x\nk:x:2:2::/home/k:/bin/sh\n";
        let expected = [&b"/root"[..], b"/home/j\xfc", b"/home/k"].map(|home| PathBuf::from(OsStr::from_bytes(home)));
        assert_eq!(listed_homes(list).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn versions_are_recognised_by_their_place() {
        for (folder, managed) in [
            ("/home/u/.pyenv/versions/3.11.7", true),
            ("/home/u/.rbenv/versions/3.2.0", true),
            ("/home/u/.nvm/versions/node/v20.1.0", true),
            ("/home/u/.sdkman/candidates/java/21-tem", true),
            ("/home/u/.local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu", true),
            ("/home/u/.local/share/mise/installs/python/3.12", true),
            ("/home/u/.pyenv/versions", false),
            ("/home/u/.pyenv/versions/3.11.7/bin", false),
            ("/home/u/env/versions/1", false),
            ("/home/u/.nvm/versions/node", false),
            ("/home/u", false),
        ] {
            assert_eq!(is_managed(Path::new(folder)), managed, "{folder}");
        }
    }

    #[test]
    fn no_home_and_no_common_folder_is_an_installation() {
        for folder in [
            "/",
            "/home",
            "/home/u",
            "/root",
            "/etc",
            "/etc/x/y",
            "/var",
            "/var/lib",
            "/tmp",
            "/opt",
            "/usr",
            "/proc/1/x",
            "/run/user/1000/x",
            "/sys/a/b",
            "/dev/shm",
            "/data/.ssh/x",
            "/data/x/.judge",
        ] {
            assert!(!is_no_home(Path::new(folder)), "{folder}");
        }
        for folder in ["/opt/python", "/venv", "/home/u/miniconda3", "/root/.pyenv/versions/3", "/var/lib/x/venv"] {
            assert!(is_no_home(Path::new(folder)), "{folder}");
        }
        let home = std::env::var_os("HOME").map_or_else(|| "/root".into(), PathBuf::from);
        assert!(!is_no_home(&home) && !is_no_home(&home.join(".local")) && !is_no_home(home.parent().unwrap()));
    }

    #[test]
    fn landmarks_are_found_whatever_their_folder_is_called() {
        let top = tempfile::tempdir().unwrap();
        for name in [&b"plain"[..], b"p [1]*?", b"\xff\xfe"] {
            let folder = top.path().join(OsStr::from_bytes(name));
            for landmark in LANDMARKS {
                let there = folder.join(landmark.replace('*', "7"));
                std::fs::create_dir_all(there.parent().unwrap()).unwrap();
                assert!(!has_landmark(&folder), "{landmark}");
                std::fs::write(&there, "").unwrap();
                assert!(has_landmark(&folder), "{landmark}");
                std::fs::remove_dir_all(&folder).unwrap();
                std::fs::create_dir(&folder).unwrap();
            }
        }
    }

    #[test]
    fn an_installation_is_recognised_by_its_landmark() {
        let top = tempfile::tempdir().unwrap();
        let prefix = top.path().canonicalize().unwrap().join("p [1]*");
        let program = prefix.join("bin/python3");
        std::fs::create_dir_all(prefix.join("bin")).unwrap();
        std::fs::create_dir_all(prefix.join("lib/python3.9")).unwrap();
        std::fs::write(&program, "").unwrap();
        assert_eq!(shown_folders(&program), Vec::<PathBuf>::new());
        std::fs::write(prefix.join("lib/python3.9/os.py"), "").unwrap();
        for name in ["etc", ".settings"] {
            std::fs::write(prefix.join(name), "password").unwrap();
        }
        for (name, target) in [("lib64", "lib"), ("doc", "/usr/share"), ("out", "..")] {
            std::os::unix::fs::symlink(target, prefix.join(name)).unwrap();
        }
        assert_eq!(shown_folders(&program), ["bin", "doc", "lib", "lib64"].map(|name| prefix.join(name)));
        std::fs::create_dir(prefix.join(".ssh")).unwrap();
        assert_eq!(shown_folders(&program), Vec::<PathBuf>::new(), "a home after all");
    }
}
