//! The compiler behind rustup's `rustc`, found without running rustup.

use std::path::{Path, PathBuf};

/// Returns the program that rustup would run in the place of `proxy`; `None` if `proxy` is not one of rustup's.
/// Toolchain files in the current folder are ignored: they may be the solver's.
///
/// # Errors
/// When no toolchain is chosen, or it has no such program.
pub(super) fn behind(proxy: &Path) -> Result<Option<PathBuf>, String> {
    if !is_proxy(proxy) {
        return Ok(None);
    }
    let found = home().and_then(|home| {
        let toolchain = toolchain(&home, std::env::var("RUSTUP_TOOLCHAIN").ok())?;
        Some(toolchain.join("bin").join(proxy.file_name()?)).filter(|program| program.is_file())
    });
    found.map(Some).ok_or_else(|| {
        format!(
            "{} is a proxy for a toolchain that is not chosen or not installed; rustup default stable",
            proxy.display()
        )
    })
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
    // A toolchain may be an absolute path: joining one replaces the path before it.
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
        assert_eq!(behind(&file("gcc")), Ok(None));
    }
}
