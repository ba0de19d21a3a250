//! Shims: small programs of a version manager that start one of several installed versions, chosen by files and
//! variables. The same choice is made here, because a shim could not make it in the sandbox, which hides these files.

use super::{head, lookup};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The managers whose shims are scripts in `ROOT/shims` for versions in `ROOT/versions`, each with the file that names
/// a version for the folders below it.
const MANAGERS: [(&str, &str); 9] = [
    ("pyenv", ".python-version"),
    ("rbenv", ".ruby-version"),
    ("nodenv", ".node-version"),
    ("plenv", ".perl-version"),
    ("phpenv", ".php-version"),
    ("goenv", ".go-version"),
    ("luaenv", ".lua-version"),
    ("jenv", ".java-version"),
    ("swiftenv", ".swift-version"),
];

/// Returns the program that a shim starts; `None` for a program that is not a shim.
///
/// # Errors
/// When the version chosen is not installed or has no such program.
pub(super) fn behind(program: &Path) -> Result<Option<PathBuf>, String> {
    let Some(name) = program.file_name() else { return Ok(None) };
    let found = match kind(program, name) {
        None => return Ok(None),
        Some(Shim::Env { root, manager, file }) => of_env(&root, manager, file, name),
        Some(Shim::Asdf { root, text }) => of_asdf(&root, &text, name),
        Some(Shim::Other) => None,
    };
    found.filter(|file| lookup::is_executable(file)).map(Some).ok_or_else(|| {
        let shim = program.display();
        format!("{shim} is a shim for a version that is not chosen or not installed; name the version's own program")
    })
}

/// The kinds of shims.
enum Shim {
    /// Of one of [`MANAGERS`].
    Env { root: PathBuf, manager: &'static str, file: &'static str },
    /// Of asdf, with its text.
    Asdf { root: PathBuf, text: String },
    /// Of a manager whose choice is too complex to repeat here.
    Other,
}

fn kind(program: &Path, name: &OsStr) -> Option<Shim> {
    let real = program.canonicalize().ok()?;
    // A program that is a shim under every name but its own.
    let leads_to = |manager: &str| name != manager && real.file_name().is_some_and(|real| real == manager);
    if ["mise", "rtx", "volta-shim"].into_iter().any(leads_to) {
        return Some(Shim::Other);
    }
    let root = program.parent().filter(|folder| folder.ends_with("shims"))?.parent()?.to_owned();
    let text = head::text(program)?;
    if calls(&text, "asdf") {
        return Some(Shim::Asdf { root, text });
    }
    let (manager, file) = MANAGERS.into_iter().find(|(manager, _)| calls(&text, manager))?;
    Some(Shim::Env { root, manager, file })
}

/// Returns whether a script calls this manager's `exec`.
fn calls(script: &str, manager: &str) -> bool {
    let call = |line: &str| {
        let mut words = shell_words::split(line).unwrap_or_default().into_iter();
        words.next().as_deref() == Some("exec")
            && words.next().is_some_and(|word| Path::new(&word).file_name() == Some(OsStr::new(manager)))
            && words.next().as_deref() == Some("exec")
    };
    script.starts_with("#!") && script.lines().any(call)
}

/// Returns the program in the first of the chosen versions that has it; `system` is the `PATH` without shims.
fn of_env(root: &Path, manager: &str, file: &str, name: &OsStr) -> Option<PathBuf> {
    let variable = format!("{}_VERSION", manager.to_uppercase());
    let own = || head::text(&root.join("version"));
    let chosen = std::env::var(variable).ok().filter(|version| !version.is_empty());
    let chosen = chosen.or_else(|| nearest(file)).or_else(own).unwrap_or_else(|| "system".to_owned());
    let chosen = chosen.lines().map(|line| line.split('#').next().unwrap_or_default());
    chosen.flat_map(|line| line.split([':', ' ', '\t', '\r'])).filter(|version| !version.is_empty()).find_map(
        |version| {
            let file = if version == "system" {
                lookup::in_path(name, &std::env::var_os("PATH")?, Some(&root.join("shims")))
            } else {
                Some(installed(&root.join("versions"), version)?.join("bin").join(name))
            };
            file.filter(|file| lookup::is_executable(file))
        },
    )
}

/// Returns the text of the nearest file of this name, in the current folder or above it.
fn nearest(name: &str) -> Option<String> {
    std::env::current_dir().ok()?.ancestors().find_map(|folder| head::text(&folder.join(name)))
}

/// Returns the folder of a version: of this name, or the newest with this prefix, as `3.11.7` for `3.11`. A path is no
/// name: the file that names it may come with a solver.
fn installed(versions: &Path, version: &str) -> Option<PathBuf> {
    let mut parts = Path::new(version).components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else { return None };
    let folder = versions.join(version);
    if folder.is_dir() {
        return Some(folder);
    }
    let numbers = |name: &str| name.split(['.', '-']).map(|part| part.parse().unwrap_or(0)).collect::<Vec<u64>>();
    let names = fs::read_dir(versions).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let goes_on = |name: &String| name.strip_prefix(version).is_some_and(|rest| rest.starts_with(['.', '-']));
    let newest = names.filter(goes_on).max_by_key(|name| numbers(name))?;
    Some(versions.join(newest))
}

/// Returns the program of an asdf shim. `.tool-versions` has a line for each tool; the shim names its possible tools.
fn of_asdf(root: &Path, shim: &str, name: &OsStr) -> Option<PathBuf> {
    let tools = shim.lines().filter_map(|line| line.strip_prefix("# asdf-plugin: ")?.split_whitespace().next());
    let of_home = || head::text(&Path::new(&std::env::var_os("HOME")?).join(".tool-versions"));
    let lists: Vec<String> = nearest(".tool-versions").into_iter().chain(of_home()).collect();
    tools
        .flat_map(|tool| {
            let variable = format!("ASDF_{}_VERSION", tool.to_uppercase().replace('-', "_"));
            let listed = lists.iter().flat_map(|list| list.lines()).filter_map(move |line| {
                let mut words = line.split_whitespace();
                (words.next() == Some(tool)).then(|| words.map(str::to_owned).collect::<Vec<_>>())
            });
            let chosen = std::env::var(variable).ok().into_iter().chain(listed.flatten());
            let installs = root.join("installs").join(tool);
            chosen.filter_map(move |version| installed(&installs, &version)).collect::<Vec<_>>()
        })
        .map(|version| version.join("bin").join(name))
        .find(|file| lookup::is_executable(file))
}
