//! The programs behind the shims of version managers and the proxies of rustup.
//!
//! A shim is a small program that starts one of several installed versions, chosen by files and variables. The judge
//! makes the same choice here, because the sandbox hides these files from the shim.

use super::executable::{self, ProgramError};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The managers whose shims are scripts in `ROOT/shims` for versions in `ROOT/versions`, each with the file that names
/// a version for the folders below it.
const MANAGERS: &[(&str, &str)] = &[
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
pub(super) fn behind_shim(program: &Path) -> Result<Option<PathBuf>, ProgramError> {
    let Some(name) = program.file_name() else { return Ok(None) };
    let Some(found) = started_by_shim(program, name) else { return Ok(None) };
    let unknown = "is a shim for a version that is not chosen or not installed; name the version's own program";
    let failure = || ProgramError(format!("{} {unknown}", program.display()));
    found.filter(|file| executable::is_executable(file)).map(Some).ok_or_else(failure)
}

/// Returns the program that a shim starts, if its version is known; `None` for a program that is not a shim.
fn started_by_shim(program: &Path, name: &OsStr) -> Option<Option<PathBuf>> {
    let real = program.canonicalize().ok()?;
    // A program that is a shim under every name except its own.
    let leads_to = |manager: &str| name != manager && real.file_name().is_some_and(|real| real == manager);
    if ["mise", "rtx", "volta-shim"].into_iter().any(leads_to) {
        // The choice of these managers is too complex to repeat here.
        return Some(None);
    }
    let root = program.parent().filter(|folder| folder.ends_with("shims"))?.parent()?;
    let text = executable::head_text(program)?;
    if calls(&text, "asdf") {
        return Some(of_asdf(root, &text, name));
    }
    let (manager, file) = MANAGERS.iter().copied().find(|(manager, _)| calls(&text, manager))?;
    Some(of_env(root, manager, file, name))
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
    let own = || executable::head_text(&root.join("version"));
    let chosen = std::env::var(variable).ok().filter(|version| !version.is_empty());
    let chosen = chosen.or_else(|| nearest(file)).or_else(own).unwrap_or_else(|| "system".to_owned());
    let chosen = chosen.lines().map(|line| line.split('#').next().unwrap_or_default());
    chosen.flat_map(|line| line.split([':', ' ', '\t', '\r'])).filter(|version| !version.is_empty()).find_map(
        |version| {
            let file = if version == "system" {
                executable::in_path(name, &std::env::var_os("PATH")?, Some(&root.join("shims")))
            } else {
                Some(installed(&root.join("versions"), version)?.join("bin").join(name))
            };
            file.filter(|file| executable::is_executable(file))
        },
    )
}

/// Returns the text of the nearest file of this name, in the current folder or above it.
fn nearest(name: &str) -> Option<String> {
    std::env::current_dir().ok()?.ancestors().find_map(|folder| executable::head_text(&folder.join(name)))
}

/// Returns the folder of a version: of this name, or the newest with this prefix, as `3.11.7` for `3.11`. A path is not
/// accepted as a name, because the file that names it may come from a solver.
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
    let of_home = || executable::head_text(&Path::new(&std::env::var_os("HOME")?).join(".tool-versions"));
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
        .find(|file| executable::is_executable(file))
}

/// Returns the program that rustup would run in the place of `proxy`; `None` if `proxy` is not one of rustup's.
/// Toolchain files in the current folder are ignored: they may be the solver's.
///
/// # Errors
/// When no toolchain is chosen, or it has no such program.
pub(super) fn behind_rustup(proxy: &Path) -> Result<Option<PathBuf>, ProgramError> {
    if !is_proxy(proxy) {
        return Ok(None);
    }
    let found = home().and_then(|home| {
        let toolchain = toolchain(&home, std::env::var("RUSTUP_TOOLCHAIN").ok())?;
        Some(toolchain.join("bin").join(proxy.file_name()?)).filter(|program| program.is_file())
    });
    let unknown = "is a proxy for a toolchain that is not chosen or not installed; rustup default stable";
    found.map(Some).ok_or_else(|| ProgramError(format!("{} {unknown}", proxy.display())))
}

/// Rustup installs its proxies as hard or symbolic links to itself.
fn is_proxy(program: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(real) = program.canonicalize() else { return false };
    let identity = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    let rustup = real.with_file_name("rustup");
    program.file_name() != rustup.file_name() && identity(&real).is_some_and(|real| identity(&rustup) == Some(real))
}

fn home() -> Option<PathBuf> {
    let chosen = std::env::var_os("RUSTUP_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    chosen.or_else(|| Some(std::env::home_dir()?.join(".rustup")))
}

/// Returns the folder of the toolchain `chosen`, or else of the default one.
fn toolchain(home: &Path, chosen: Option<String>) -> Option<PathBuf> {
    let by_default = || {
        let settings: toml::Table = std::fs::read_to_string(home.join("settings.toml")).ok()?.parse().ok()?;
        Some(settings.get("default_toolchain")?.as_str()?.to_owned())
    };
    let name = chosen.filter(|name| !name.is_empty()).or_else(by_default)?;
    // A toolchain may be an absolute path. Joining it replaces the path before it.
    let exact = home.join("toolchains").join(&name);
    if exact.is_dir() {
        return Some(exact);
    }
    // `stable` stands for `stable-x86_64-unknown-linux-gnu`.
    let beginning = format!("{name}-{}-", std::env::consts::ARCH);
    let entries = home.join("toolchains").read_dir().ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&beginning))).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_toolchain_is_chosen_as_rustup_does() {
        let home = tempfile::tempdir().unwrap();
        let full = format!("stable-{}-unknown-linux-gnu", std::env::consts::ARCH);
        for name in ["mine", &full] {
            std::fs::create_dir_all(home.path().join("toolchains").join(name)).unwrap();
        }
        let found = |chosen: &str| toolchain(home.path(), Some(chosen.to_owned()));
        assert_eq!(found("mine"), Some(home.path().join("toolchains/mine")));
        assert_eq!(found("stable"), Some(home.path().join("toolchains").join(&full)));
        assert_eq!(found("/usr"), Some("/usr".into()));
        assert_eq!(found("nightly"), None);
        assert_eq!(toolchain(home.path(), None), None, "there is no default");
        std::fs::write(home.path().join("settings.toml"), "default_toolchain = \"mine\"\n[overrides]\n").unwrap();
        assert_eq!(toolchain(home.path(), None), Some(home.path().join("toolchains/mine")));
        assert_eq!(found(""), Some(home.path().join("toolchains/mine")));
    }

    #[test]
    fn a_proxy_is_rustup_under_another_name() {
        let bin = tempfile::tempdir().unwrap();
        let file = |name: &str| bin.path().join(name);
        for name in ["rustup", "gcc"] {
            std::fs::write(file(name), name).unwrap();
        }
        symlink("rustup", file("rustc")).unwrap();
        std::fs::hard_link(file("rustup"), file("cargo")).unwrap();
        symlink("gcc", file("cc")).unwrap();
        assert!(is_proxy(&file("rustc")) && is_proxy(&file("cargo")));
        assert!(!is_proxy(&file("cc")) && !is_proxy(&file("gcc")) && !is_proxy(&file("rustup")));
        assert!(matches!(behind_rustup(&file("gcc")), Ok(None)));
    }
}
