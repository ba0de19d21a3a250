//! Problem packages of Kattis and ICPC: the legacy format, and those from 2023-07 on.
//! Formats: <https://www.kattis.com/problem-package-format/>.

mod config;
mod data;
mod limits;
mod package;
mod points;
mod submissions;
mod validator;
mod write;

use super::error::ImportError;
use super::files;
use super::imported::Imported;
use super::yaml::Mapping;
use config::Config;
use data::{Case, Group};
use package::{Package, inside};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file that makes a folder a package.
const CONFIG: &str = "problem.yaml";

/// Reads the package in a folder. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// When it is no package, a file of it is malformed, or it asks for something without which its verdicts would be wrong.
pub fn read(root: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let file = root.join(CONFIG);
    if !file.is_file() {
        return Err(ImportError::Unknown(root.to_owned()));
    }
    let config = Config::read(&file)?;
    if config.interactive && config.multi_pass {
        return Err(ImportError::unsupported(&file, "an interactive problem of several passes"));
    }
    let id = id.map_or_else(|| id_of(root), str::to_owned);
    let mut left = config.left.clone();
    let package = package(root, config, &mut left)?;
    let mut text = write::catalogue(&package, &id, root, &mut left)?;
    let mut copied: Vec<(PathBuf, PathBuf)> = Vec::new();
    for case in package.with_cases().into_iter().flat_map(|group| &group.cases) {
        let paths = std::iter::once(&case.input).chain(&case.answer);
        copied.extend(paths.map(|path| (path.clone(), inside(root, path))));
    }
    let count = package.with_cases().iter().map(|group| group.cases.len()).sum::<usize>();
    let mut taken = vec![if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }];
    let mut program = None;
    if let Some(validator) = package.validator {
        taken.push(format!("the output validator {}", inside(root, &validator.source).display()));
        copied.extend(validator.files);
        program = validator.program;
    } else {
        taken.push(format!("the default validator: tokens {}", package.flags.join(" ")).trim_end().to_owned());
    }
    let has_time_limit = limits::time(&package.config, root)?.is_some();
    let submissions = submissions::write(&mut text, root, has_time_limit, &mut left)?;
    if !submissions.is_empty() {
        taken.push("submissions with their expected verdicts, for `judge verify`".to_owned());
    }
    copied.extend(submissions.into_iter().map(|file| (file.clone(), inside(root, &file))));
    // The folders above a file may be links, too.
    copied.iter().try_for_each(|(from, _)| files::check_link(root, from))?;
    left.extend(other_folders(root)?);
    Ok(Imported { id, catalogue: text.finish(), files: copied, program, taken, left })
}

fn package(root: &Path, config: Config, left: &mut Vec<String>) -> Result<Package, ImportError> {
    let mut lines = BTreeSet::new();
    let above = Group::settings_of(&root.join("data"))?;
    let old_groups = config.legacy || Group::are_old(root);
    let above_settings = old_groups.then_some(&above);
    let mut groups = Vec::new();
    for path in ["data/sample", "data/secret"] {
        groups.push(Group::read(root, path, above_settings, &mut lines)?);
    }
    left.extend(lines);
    let wants = config.custom.unwrap_or(true) || config.interactive || config.multi_pass;
    let validator = if wants { validator::find(root)? } else { None };
    if validator.is_none() && (config.custom == Some(true) || config.interactive || config.multi_pass) {
        let expected = "a program in output_validator/ or output_validators/";
        return Err(ImportError::bad(&root.join(CONFIG), "the problem has no output validator", expected));
    }
    let flags = flags(&config, &above, &groups, left)?;
    let package = Package { config, old_groups, groups, validator, flags };
    check_cases(root, &package)?;
    Ok(package)
}

/// Returns the flags of the validator: one list for all cases.
fn flags(
    config: &Config,
    above: &Mapping,
    groups: &[Group],
    left: &mut Vec<String>,
) -> Result<Vec<String>, ImportError> {
    let of = |settings: &Mapping| -> Result<Option<Vec<String>>, ImportError> {
        Ok(settings.words("output_validator_args")?.or(settings.words("output_validator_flags")?))
    };
    let mut counts: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    let general = of(above)?.unwrap_or_default();
    for group in groups {
        let of_top = of(&group.settings)?.unwrap_or_else(|| general.clone());
        for group in group.with_cases() {
            let own = of(&group.settings)?.unwrap_or_else(|| of_top.clone());
            counts.entry(own).or_default().push(&group.path);
        }
    }
    let most = counts.iter().max_by_key(|(_, groups)| groups.len()).map(|(flags, _)| flags.clone()).unwrap_or_default();
    for (other, groups) in counts.iter().filter(|(flags, _)| **flags != most) {
        let (asked, used) = (other.join(" "), most.join(" "));
        left.push(format!("{}: validator flags `{asked}`: all cases are checked with `{used}`", groups.join(", ")));
    }
    Ok(config.flags.iter().cloned().chain(most).collect())
}

/// Reports packages without cases, and cases that cannot be checked.
fn check_cases(root: &Path, package: &Package) -> Result<(), ImportError> {
    let groups = package.with_cases();
    if groups.is_empty() {
        let expected = "NAME.in and NAME.ans in data/sample or data/secret";
        return Err(ImportError::bad(&root.join("data"), "there are no cases", expected));
    }
    let mut cases = groups.into_iter().flat_map(|group| &group.cases);
    match cases.find(|case| case.answer.is_none() && package.validator.is_none()) {
        Some(Case { input, .. }) => {
            let expected = format!("{} beside it", files::name(&input.with_extension("ans")));
            Err(ImportError::bad(input, "the case has no answer file", expected))
        }
        None => Ok(()),
    }
}

/// Returns lines for the folders of a package that are not needed to judge.
fn other_folders(root: &Path) -> Result<Vec<String>, ImportError> {
    const KNOWN: [&str; 6] =
        ["data", "output_validator", "output_validators", "submissions", CONFIG, "domjudge-problem.ini"];
    let mut left = Vec::new();
    for entry in files::entries(&root.join("data"))? {
        let name = files::name(&entry);
        if entry.is_dir() && name != "sample" && name != "secret" {
            left.push(format!("data/{name}: tests of the package's own programs, no cases"));
        }
    }
    for entry in files::entries(root)? {
        let name = files::name(&entry);
        let why = match &*name {
            known if KNOWN.contains(&known) => continue,
            "input_validators" | "input_validator" | "input_format_validators" => "input validators are not run",
            "statement" | "problem_statement" | "solution" | "attachments" => "texts are not judged",
            "include" => "files are not compiled together with solvers",
            "graders" => "graders are not run: the points of the cases are added",
            "generators" => "generators of a package are not run: its cases are files",
            _ => "not part of the format",
        };
        left.push(format!("{name}: {why}"));
    }
    Ok(left)
}

/// Returns the folder's name with the letters that an id has.
fn id_of(root: &Path) -> String {
    let folder = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    files::name(&folder).chars().map(valid).collect()
}
