//! The crates on this machine that a package is built with.

use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The tables of dependencies in a manifest.
const DEPENDENCIES: [&str; 3] = ["dependencies", "build-dependencies", "dev-dependencies"];

/// Returns the folder of a package, and those of the crates outside it that its manifest, or one of theirs, names by path.
/// What Cargo would not find is left to its own message.
pub(super) fn local_crates(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    let mut next = 0;
    while let Some(package) = found.get(next).cloned() {
        next += 1;
        for path in named_paths(&package) {
            let Ok(folder) = package.join(path).canonicalize() else { continue };
            if folder.is_dir() && !found.iter().any(|known| folder.starts_with(known)) {
                found.push(folder);
            }
        }
    }
    found
}

/// Returns the paths of crates that a manifest names.
fn named_paths(package: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).ok().and_then(|text| text.parse::<Table>().ok());
    let Some(manifest) = manifest else { return Vec::new() };
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.chain(manifest.get("workspace")).filter_map(Value::as_table);
    let owners = tables.chain([&manifest]);
    let dependencies = owners.flat_map(|owner| DEPENDENCIES.iter().filter_map(|name| owner.get(*name)));
    let patches = manifest.get("patch").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let crates = dependencies.chain(patches).filter_map(Value::as_table).flat_map(Table::values);
    crates.filter_map(|dependency| dependency.get("path")?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_found_through_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, dependencies: &str| {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join("Cargo.toml"), dependencies).unwrap();
        };
        write("tools", "[dependencies]\na = { path = \"../a\" }\nserde = \"1\"\nown = { path = \"own\" }\n");
        write("tools/own", "");
        write(
            "a",
            "[target.'cfg(unix)'.dependencies]\nb = { path = \"../deep/b\" }\ntools = { path = \"../tools\" }\n",
        );
        write(
            "deep/b",
            "[build-dependencies]\ngone = { path = \"../gone\" }\n[patch.crates-io]\nc = { path = \"../../c\" }\n",
        );
        write("c", "not a manifest");
        let expected = ["tools", "a", "deep/b", "c"].map(|name| root.join(name));
        assert_eq!(local_crates(&root.join("tools")), expected);
    }
}
