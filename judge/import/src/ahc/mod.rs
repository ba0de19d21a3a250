//! The tools that AtCoder hands out for a Heuristic Contest: a Cargo package with the programs `gen`, `vis` and `tester`.

mod build;
mod cases;
mod local_crates;
mod package;
mod write;

use super::error::ImportError;
use super::imported::Imported;
pub(super) use build::Built;
use cases::Cases;
use package::Package;
use std::path::Path;

/// Returns whether a folder is a package of this kind, or has one in its folder `tools`.
pub(super) fn fits(root: &Path) -> bool {
    package::root(root).is_some()
}

/// Reads the package in a folder, and builds its programs with Cargo. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// When it is no package, its programs cannot be built, or none of them gives a score.
pub(super) fn read(folder: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let root = package::root(folder).ok_or_else(|| ImportError::Unknown(folder.to_owned()))?;
    let package = Package::read(&root)?;
    let built = Built::with_cargo(&package.root, &package.programs().collect::<Vec<_>>())?;
    let cases = Cases::find(&package, &built)?;
    let id = id.map_or_else(|| package::id(&root), str::to_owned);
    let catalogue = write::catalogue(&package, &cases, &id);
    let mut copied = built.programs(&package);
    copied.extend(cases.files(&package));
    let mut taken = vec![cases.described()];
    let names: Vec<String> = package.programs().map(str::to_owned).collect();
    taken.push(format!(
        "{}: built with cargo, outside the sandbox, as their crates come from the network",
        names.join(", ")
    ));
    if package.is_interactive() {
        taken.push("the problem is interactive: tester starts the solver".to_owned());
    }
    let mut left = vec!["the time limit, which the tools do not say: set `cpu` in [problem.limits]".to_owned()];
    left.push(
        "the objective: where a smaller score is better, add `direction = \"min\"` to [problem.scoring]".to_owned(),
    );
    left.extend(package.left());
    left.extend(cases.left());
    Ok(Imported {
        id,
        catalogue,
        files: copied,
        taken,
        left,
        temporary: Some(built.into_folder()),
        ..Imported::default()
    })
}
