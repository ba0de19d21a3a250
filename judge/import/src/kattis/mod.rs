//! Problem packages of Kattis and ICPC: the legacy format, and those from 2023-07 on.
//! Formats: <https://www.kattis.com/problem-package-format/>.

mod config;
mod constants;
mod data;
mod expected;
mod input_flags;
mod limits;
mod package;
mod points;
mod submissions;
mod validator;
mod write;

use super::error::ImportError;
use super::files;
use super::imported::Imported;
use super::kind::Kind;
use super::program::Program;
use super::yaml::Mapping;
use config::Config;
use data::{Case, FLAGS, Group};
use judge_problem::counted;
use package::Package;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file that makes a folder a package.
const CONFIG: &str = Kind::Kattis.sign();

/// Reads the package in a folder. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// When a file of it is malformed, or it asks for something without which its verdicts would be wrong.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let file = root.join(CONFIG);
    let config = Config::read(&file)?;
    if config.interactive && config.multi_pass {
        return Err(ImportError::unsupported(&file, "an interactive problem of several passes"));
    }
    let id = id.map_or_else(|| files::id_of(root), str::to_owned);
    let mut left = config.left.clone();
    let package = package(root, config, &mut left)?;
    let (mut text, mut time_limit) = write::catalogue(&package, &id, root, &mut left)?;
    let mut copied: Vec<(PathBuf, PathBuf)> = Vec::new();
    for case in package.with_cases().into_iter().flat_map(|group| &group.cases) {
        let paths = std::iter::once(&case.input).chain(&case.answer);
        copied.extend(paths.map(|path| (path.clone(), files::inside(root, path))));
    }
    let count = package.with_cases().iter().map(|group| group.cases.len()).sum::<usize>();
    let mut taken = vec![counted(count, "case")];
    let mut programs = Vec::new();
    let named = |source: &Path| files::inside(root, source).display().to_string();
    let mut take = |what: &str, program: Program| {
        taken.push(format!("the {what} {}", named(&program.source)));
        copied.extend(program.files);
        programs.extend(program.compiled);
    };
    if let Some(program) = package.input_validator {
        take("input validator", program);
    }
    if let Some(validator) = package.validator {
        take("output validator", validator.program);
    } else {
        taken.push(format!("the default validator: tokens {}", package.flags.join(" ")).trim_end().to_owned());
    }
    let submissions = submissions::write(&mut text, root, &package.config, &mut left)?;
    if let Some(derived) = &mut time_limit {
        derived.excluded = submissions.excluded;
    }
    if !submissions.files.is_empty() {
        taken.push("submissions with their expected verdicts, for `judge verify`".to_owned());
    }
    copied.extend(submissions.files);
    // The folders above a file may be links, too.
    copied.iter().try_for_each(|(from, _)| files::check_link(root, from))?;
    left.extend(other_folders(root)?);
    let catalogue = text.finish();
    let files = copied;
    let mut imported = Imported { id, catalogue, files, programs, taken, left, time_limit, ..Imported::default() };
    package.config.constants.fill(&mut imported)?;
    Ok(imported)
}

fn package(root: &Path, config: Config, left: &mut Vec<String>) -> Result<Package, ImportError> {
    let mut lines = BTreeSet::new();
    let above = Group::settings_of(&root.join("data"), &config.constants)?;
    let old_groups = config.legacy || Group::are_old(root);
    let above_settings = old_groups.then_some(&above);
    let mut groups = Vec::new();
    for path in ["data/sample", "data/secret"] {
        groups.push(Group::read(root, path, above_settings, &config.constants, &mut lines)?);
    }
    left.extend(lines);
    let wants = config.custom.unwrap_or(true) || config.interactive || config.multi_pass;
    let validator = if wants { validator::output(root)? } else { None };
    if validator.is_none() && (config.custom == Some(true) || config.interactive || config.multi_pass) {
        let expected = "a program in output_validator/ or output_validators/";
        return Err(ImportError::bad(&root.join(CONFIG), "the problem has no output validator", expected));
    }
    let flags = flags(&config, &above, &groups, left)?;
    let input_validator = match validator::input(root, left)? {
        Some(program) => input_flags::give(program, &above, &groups, left)?,
        None => None,
    };
    let package = Package { config, old_groups, groups, validator, input_validator, flags };
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
        let [first, second] = FLAGS.map(|key| settings.words(key));
        Ok(first?.or(second?))
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
    for case in groups.iter().flat_map(Group::with_cases).flat_map(|group| &group.cases) {
        let Some(own) = of(&case.settings)?.filter(|own| *own != most) else { continue };
        let (asked, used) = (own.join(" "), most.join(" "));
        let what = format!("validator flags `{asked}` of a single case, where the others have `{used}`");
        return Err(ImportError::unsupported(&case.input.with_extension("yaml"), what));
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
            "input_validators" | "input_validator" | "input_format_validators" => continue,
            "statement" | "problem_statement" | "solution" | "attachments" => "texts are not judged",
            "include" => "its files are in the folders of submissions; a solver of your own needs them in its folder",
            "graders" => "graders are not run: the points of the cases are added",
            "generators" => "generators of a package are not run: its cases are files",
            _ => "not part of the format",
        };
        left.push(format!("{name}: {why}"));
    }
    Ok(left)
}
