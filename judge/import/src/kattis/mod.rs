//! Problem packages of Kattis and ICPC: the legacy format, and those from 2023-07 on.
//! Formats: <https://www.kattis.com/problem-package-format/>.

mod config;
mod data;
mod expected;

use crate::imported::{DerivedLimit, Imported, NO_LIMIT};
use crate::program::Program;
use crate::text::{self, Text};
use crate::yaml::Mapping;
use crate::{ImportError, Result, files};
use config::Config;
use data::{Case, FLAGS, Group, Package};
use expected::Expected;
use judge_problem::{PackageKind, Time, built_in_languages, counted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file by which a package is detected.
const CONFIG: &str = PackageKind::Kattis.sign();

/// The settings of DOMjudge.
const DOMJUDGE: &str = "domjudge-problem.ini";

/// Reads the package in a folder. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// Fails if a file is malformed, or if the package needs something that is not supported and would change verdicts.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported> {
    let file = root.join(CONFIG);
    let config = Config::read(&file)?;
    if config.interactive && config.multi_pass {
        return Err(ImportError::unsupported(&file, "an interactive problem of several passes"));
    }
    let id = id.map_or_else(|| files::id_of(root), str::to_owned);
    let mut imported = Imported { id, left: config.left.clone(), ..Imported::default() };
    let package = package(root, config, &mut imported.left)?;
    let mut text = write_catalogue(&package, root, &mut imported)?;
    imported.taken.push(counted(package.cases().count(), "case"));
    for path in package.cases().flat_map(|(_, case)| std::iter::once(&case.input).chain(&case.answer)) {
        imported.files.push((path.clone(), files::inside(root, path)));
    }
    let take = |imported: &mut Imported, what: &str, program: Program| {
        imported.taken.push(format!("the {what} {}", files::inside(root, &program.source).display()));
        imported.files.extend(program.files);
        imported.programs.extend(program.compiled);
    };
    if let Some(program) = package.input_validator {
        take(&mut imported, "input validator", program);
    }
    if let Some(validator) = package.validator {
        take(&mut imported, "output validator", validator.program);
    } else {
        let default = format!("the default validator: tokens {}", package.flags.join(" "));
        imported.taken.push(default.trim_end().to_owned());
    }
    write_submissions(&mut text, root, &package.config, &mut imported)?;
    // The folders above a file may be links, too.
    imported.files.iter().try_for_each(|(from, _)| files::check_link(root, from))?;
    imported.left.extend(other_folders(root)?);
    imported.left.extend(other_settings(root));
    imported.catalogue = text.finish();
    package.config.constants.fill(&mut imported)?;
    Ok(imported)
}

fn package(root: &Path, config: Config, left: &mut Vec<String>) -> Result<Package> {
    let mut lines = BTreeSet::new();
    let above = Group::settings_of(&root.join("data"), &config.constants)?;
    let old_groups = config.legacy || Group::are_old(root);
    let above_settings = old_groups.then_some(&above);
    let mut groups = Vec::new();
    for path in ["data/sample", "data/secret"] {
        groups.push(Group::read(root, path, above_settings, &config.constants, &mut lines)?);
    }
    left.extend(lines);
    if !old_groups {
        left.extend(data::of_no_group(&above));
    }
    let wants = config.custom.unwrap_or(true) || config.interactive || config.multi_pass;
    let validator = if wants { data::output_validator(root)? } else { None };
    if !wants {
        let unused = ["output_validator", "output_validators"].into_iter().filter(|name| root.join(name).is_dir());
        left.extend(unused.map(|name| format!("{name}: not used, as problem.yaml has no `validation: custom`")));
    }
    if validator.is_none() && (config.custom == Some(true) || config.interactive || config.multi_pass) {
        let expected = "a program in output_validator/ or output_validators/";
        return Err(ImportError::bad(&root.join(CONFIG), "the problem has no output validator", expected));
    }
    let flags = flags(root, &config, &above, &groups)?;
    let input_validator = match data::input_validator(root, left)? {
        Some(program) => data::give(program, &above, &groups, left)?,
        None => None,
    };
    let mut names = BTreeSet::new();
    let namesakes =
        groups.iter().flat_map(Group::all).flat_map(|group| &group.cases).any(|case| !names.insert(&case.name));
    if namesakes {
        let known = &mut BTreeSet::new();
        groups.iter_mut().for_each(|group| group.name_by_folder(known));
    }
    let package = Package { config, old_groups, groups, namesakes, validator, input_validator, flags };
    check_cases(root, &package)?;
    Ok(package)
}

/// Returns the flags of the validator, which must be the same for all cases.
fn flags(root: &Path, config: &Config, above: &Mapping, groups: &[Group]) -> Result<Vec<String>> {
    let of = |settings: &Mapping| {
        let [first, second] = FLAGS.map(|key| data::output_flags(settings, key));
        Ok(first?.or(second?))
    };
    let mut cases = BTreeMap::new();
    data::by_flags(groups, of(above)?.as_ref(), &of, &mut cases)?;
    // Where as many cases have other flags, those without flags are the others.
    let most =
        cases.iter().rev().max_by_key(|(_, cases)| cases.len()).map(|(flags, _)| flags.clone()).unwrap_or_default();
    let Some((other, cases)) = cases.iter().find(|(flags, _)| **flags != most) else {
        return Ok(config.flags.iter().cloned().chain(most).collect());
    };
    let (group, case) = cases[0];
    let (file, of_what) = match of(&case.settings)? {
        Some(_) => (case.input.with_extension("yaml"), "a single case"),
        None => (root.join(&group.path), "a group"),
    };
    let shown = |flags: &[String]| if flags.is_empty() { "none".to_owned() } else { format!("`{}`", flags.join(" ")) };
    let what = format!("validator flags for {of_what}: {}, where others have {}", shown(other), shown(&most));
    Err(ImportError::unsupported(&file, what))
}

/// Reports packages without cases, and cases that cannot be checked.
fn check_cases(root: &Path, package: &Package) -> Result<()> {
    if package.with_cases().is_empty() {
        let expected = "NAME.in and NAME.ans in data/sample or data/secret";
        return Err(ImportError::bad(&root.join("data"), "there are no cases", expected));
    }
    match package.cases().find(|(_, case)| case.answer.is_none() && package.validator.is_none()) {
        Some((_, Case { input, .. })) => {
            let expected = format!("{} beside it", files::name(&input.with_extension("ans")));
            Err(ImportError::bad(input, "the case has no answer file", expected))
        }
        None => Ok(()),
    }
}

/// Returns a line for each folder of a package that judging does not need.
fn other_folders(root: &Path) -> Result<Vec<String>> {
    const KNOWN: [&str; 6] = ["data", "output_validator", "output_validators", "submissions", CONFIG, DOMJUDGE];
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
            "static_validator" => "sources are not validated",
            "input_visualizer" | "output_visualizer" => "pictures are not made",
            "graders" => "graders are not run: the points of the cases are added",
            "generators" => "generators of a package are not run: its cases are files",
            _ => "not part of the format",
        };
        left.push(format!("{name}: {why}"));
    }
    Ok(left)
}

/// Returns a line for each setting of DOMjudge that chooses how answers are checked.
fn other_settings(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(DOMJUDGE)).unwrap_or_default();
    let keys = text.lines().filter_map(|line| line.split_once('=')).map(|(key, _)| key.trim());
    let keys = keys.filter(|key| key.starts_with("special_"));
    keys.map(|key| format!("{DOMJUDGE}: `{key}`: answers are checked as problem.yaml says")).collect()
}

/// The default number of runs of a solver in a multi-pass problem.
const PASSES: f64 = 2.0;

/// Returns the text of the `problems.toml` without the submissions.
fn write_catalogue(package: &Package, root: &Path, imported: &mut Imported) -> Result<Text> {
    let (config, id, left) = (&package.config, &imported.id, &mut imported.left);
    let mut text = Text::of_problem(&format!("the Kattis package {}", files::name(root)), id);
    text.text("title", config.title.as_deref().unwrap_or(id));
    text.maybe("source", Some(&config.source).filter(|source| !source.is_empty()));
    checker(&mut text, package)?;
    validator(&mut text, package);
    if !package.namesakes {
        let patterns = |ending: &str| -> Vec<String> {
            let groups = package.with_cases().into_iter();
            groups.map(|group| format!("{}/*.{ending}", glob::Pattern::escape(&group.path))).collect()
        };
        text.texts("inputs", &patterns("in")).texts("answers", &patterns("ans"));
    }
    imported.time_limit = write_limits(&mut text, config, root, package.validator.is_some(), left)?;
    scoring(&mut text, package, root, left)?;
    if package.namesakes {
        text.line("").comment("Named by their folders: cases of several folders have the same file name.");
        for (_, case) in package.cases() {
            let answer = case.answer.as_ref().map(|answer| files::inside(root, answer));
            text.case(&case.name, &files::inside(root, &case.input), answer.as_deref(), None);
        }
    }
    Ok(text)
}

fn checker(text: &mut Text, package: &Package) -> Result<()> {
    let config = &package.config;
    match &package.validator {
        None => {
            text.text("checker", "tokens");
        }
        Some(validator) => {
            let key = if config.interactive { "interactor-command" } else { "checker-command" };
            text.command(key, &validator.program.command, validator.program.compiled.is_some());
            text.text("checker-protocol", "kattis");
            if config.multi_pass {
                let passes = config.limits.number("validation_passes")?.unwrap_or(PASSES);
                text.plain("validation-passes", passes);
            }
        }
    }
    // A text is split at white space, without the quotes of a shell.
    match &*package.flags {
        [] => {}
        flags if flags.iter().any(|flag| flag.is_empty() || flag.contains(char::is_whitespace)) => {
            text.texts("checker-arguments", flags);
        }
        flags => {
            text.text("checker-arguments", &flags.join(" "));
        }
    }
    Ok(())
}

/// Writes the command of the input validator. Only under the protocol `kattis`, 42 is the accepting exit code.
fn validator(text: &mut Text, package: &Package) {
    let Some(program) = &package.input_validator else { return };
    let line = match package.validator {
        Some(_) => program.command.clone(),
        None => shell_words::join(["sh", "-c", &format!("{}; test $? = 42", program.command)]),
    };
    text.command("validator-command", &line, program.compiled.is_some());
}

/// Writes the scoring rule and the groups of a problem with points.
fn scoring(text: &mut Text, package: &Package, root: &Path, left: &mut Vec<String>) -> Result<()> {
    let config = &package.config;
    let is_raw = package.has_raw_scores();
    let is_scaled = config.scoring && package.validator.as_ref().is_some_and(|validator| validator.writes_multipliers);
    text.table("[problem.scoring]").text("rule", if is_raw || is_scaled { "sum" } else { "exact" });
    text.maybe("direction", (config.minimise && is_raw).then_some("min"));
    let mut lines = data::Left::new();
    let all = || package.groups.iter().flat_map(Group::all);
    all().for_each(|group| data::unread(package.old_groups, group, &mut lines));
    if !config.scoring {
        left.extend(lines);
        return Ok(());
    }
    let groups = package.groups_that_count();
    let names: Vec<_> = groups.iter().map(|(group, _)| group.name()).collect();
    let mut depends_on = BTreeMap::new();
    for group in all() {
        data::points_of_groups(package.old_groups, group, &mut lines)?;
        if !package.old_groups {
            data::depend(group, &names, &mut depends_on, &mut lines)?;
        }
    }
    for (group, folders) in &groups {
        let points = data::points_of_group(package.old_groups, group, &mut lines)?;
        if let Some(setting) = points.without_score.as_ref().filter(|_| is_raw) {
            let what = format!("a validator that writes score.txt, and {setting} for cases without it");
            return Err(ImportError::unsupported(&root.join(&group.path), what));
        }
        text.table("[[problem.group]]").text("name", group.name());
        let cases: Vec<_> = folders.iter().flat_map(|folder| members(package, folder)).collect();
        text.texts("cases", &cases);
        // Since 2023, a validator gives no scores in a group that is all or nothing.
        let is_weighted = !is_raw || !package.old_groups && points.aggregate == Some("all-or-nothing");
        if let Some(weight) = points.weight.filter(|weight| is_weighted || *weight == 0.0) {
            text.plain("weight", weight);
        }
        text.maybe("aggregate", points.aggregate.filter(|_| points.weight != Some(0.0)));
        text.depends_on(depends_on.get(group.name()).map_or(&[][..], Vec::as_slice));
    }
    left.extend(lines);
    if is_raw {
        left.push("points of groups: the validator gives the scores, and they are added as they are".to_owned());
    }
    Ok(())
}

/// Returns the patterns of the names of a group's cases.
fn members(package: &Package, group: &Group) -> Vec<String> {
    let begin = format!("{}-", group.name().replace('/', "-"));
    let begins = |(_, case): &(&Group, &Case)| case.name.starts_with(&begin);
    if package.namesakes && package.cases().filter(begins).count() == group.cases.len() {
        return vec![format!("{}*", glob::Pattern::escape(&begin))];
    }
    group.cases.iter().map(|case| glob::Pattern::escape(&case.name)).collect()
}

/// Files beside `problem.yaml` with the time limit in seconds, and the text before it.
const TIME_FILES: [(&str, &str); 2] = [(".timelimit", ""), (DOMJUDGE, "timelimit")];

/// Defaults of the format, in MiB.
const MEMORY: f64 = 2048.0;
const OUTPUT: f64 = 8.0;

/// The smallest resolution of a derived time limit, in seconds.
const RESOLUTION: f64 = 1.0;

/// The maximal factor and the maximal resolution, in seconds, of a derived time limit.
const MAX_DERIVED: f64 = 86_400.0;

/// Writes `[problem.limits]`. Returns how the time limit is derived, if the package gives none.
fn write_limits(
    text: &mut Text,
    config: &Config,
    root: &Path,
    has_validator: bool,
    left: &mut Vec<String>,
) -> Result<Option<DerivedLimit>> {
    let limits = &config.limits;
    text.table("[problem.limits]");
    let time = limits.limit("time_limit", "s")?.map_or_else(|| time_in_file(root), |time| Ok(Some(time)))?;
    text.maybe("cpu", time.as_ref());
    let derived = if time.is_none() { Some(derived(text, config, left)?) } else { None };
    for (key, of_package, default) in [("memory", "memory", MEMORY), ("output", "output", OUTPUT)] {
        match limits.limit(of_package, "MiB")? {
            Some(size) => text.text(key, &size),
            None => text.text(key, &format!("{default}MiB")).because("the default of the format"),
        };
    }
    let of_compiler = [
        ("source-size", "code", "KiB"),
        ("compile-memory", "compilation_memory", "MiB"),
        ("compile-cpu", "compilation_time", "s"),
    ];
    for (key, of_package, unit) in of_compiler {
        text.maybe(key, limits.limit(of_package, unit)?);
    }
    let of_checker = [("checker-wall", "validation_time", "s"), ("checker-memory", "validation_memory", "MiB")];
    for (key, of_package, unit) in of_checker {
        match limits.limit(of_package, unit)? {
            Some(size) if has_validator && (!config.interactive || key == "checker-memory") => {
                text.text(key, &size);
            }
            Some(_) => {
                left.push(format!("problem.yaml: `limits.{of_package}`: the problem has no checker program to limit"));
            }
            None => {}
        }
    }
    Ok(derived)
}

/// Returns how to derive the time limit from the accepted submissions.
fn derived(text: &mut Text, config: &Config, left: &mut Vec<String>) -> Result<DerivedLimit> {
    let multipliers = config.limits.mapping("time_multipliers")?;
    let factor = multipliers.number("ac_to_time_limit")?.or(config.limits.number("time_multiplier")?);
    let factor = factor.unwrap_or(if config.legacy { 5.0 } else { 2.0 });
    let resolution = config.limits.number("time_resolution")?.unwrap_or(RESOLUTION);
    if !(1.0..=MAX_DERIVED).contains(&factor) || resolution <= 0.0 || resolution > MAX_DERIVED {
        let what =
            format!("the slowest submission times {factor:e}, in multiples of {resolution:e}s, is no time limit");
        let keys = ["time_resolution", "time_multipliers", "time_multiplier"];
        let key = keys.into_iter().find(|key| config.limits.has(key)).unwrap_or(keys[0]);
        let expected = format!("a factor from 1 to {MAX_DERIVED}, and a time above 0s up to {MAX_DERIVED}s");
        return Err(config.limits.wrong(key, what, expected));
    }
    for key in ["time_limit_to_tle", "time_safety_margin"] {
        if multipliers.has(key) || config.limits.has(key) {
            left.push(format!("problem.yaml: `{key}`: submissions only have to exceed the time limit, by any amount"));
        }
    }
    text.text("cpu", &Time(NO_LIMIT).to_string()).because("The package gives no time limit.");
    let line = text.last_line().to_owned();
    Ok(DerivedLimit { line, factor, resolution, excluded: Vec::new() })
}

/// Returns the time limit in a file beside `problem.yaml`.
fn time_in_file(root: &Path) -> Result<Option<String>> {
    for (name, key) in TIME_FILES {
        let file = root.join(name);
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        // It may begin with a byte order mark, and a comment may follow the value.
        let line = text.trim_start_matches('\u{feff}').lines().find_map(|line| line.trim().strip_prefix(key));
        let value = line.and_then(|line| line.split(';').next());
        let Some(value) = value.map(|value| value.trim_matches([' ', '=', '\'', '"', '\t'])) else { continue };
        let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
        let time = seconds.map(|seconds| format!("{seconds}s")).filter(|time| time.parse::<Time>().is_ok());
        let bad = || ImportError::bad(&file, format!("bad time limit `{value}`"), "a number of seconds");
        return time.ok_or_else(bad).map(Some);
    }
    Ok(None)
}

/// The folder in `include` for submissions in every language.
const DEFAULT: &str = "default";

/// Writes a `[[problem.expect]]` for each submission that can be run.
fn write_submissions(text: &mut Text, root: &Path, config: &Config, imported: &mut Imported) -> Result<()> {
    let includes = files::entries(&root.join("include"))?;
    let expected = Expected::read(root, config, &mut imported.left)?;
    let before = imported.files.len();
    for folder in files::entries(&root.join("submissions"))? {
        let name = files::name(&folder);
        let mut loose = Vec::new();
        let mut without: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for submission in &files::entries(&folder)? {
            let sources = sources(root, submission)?;
            let path = Path::new(&name).join(files::name(submission));
            let is_known = sources.iter().any(|source| text::is_known(source));
            let unnamed = (!expected.has(&path)).then_some("no verdict is expected");
            if let Some(why) = unnamed.or((!is_known).then_some("in no language of `judge languages`")) {
                without.entry(why).or_default().push(files::name(submission));
                continue;
            }
            let solver = files::inside(root, submission).to_string_lossy().into_owned();
            text.table("[[problem.expect]]").text("solver", &solver);
            let counts = expected.counts_for_time(&path)?;
            if let Some(derived) = imported.time_limit.as_mut().filter(|_| !counts) {
                derived.excluded.push(solver);
            }
            expected.write(text, &path, &mut loose)?;
            imported.files.extend(with_includes(root, submission, sources, &includes)?);
        }
        let line = |(why, names): (&str, Vec<String>)| format!("submissions/{name}: {}: {why}", names.join(", "));
        imported.left.extend(without.into_iter().map(line));
        imported.left.extend(loose);
    }
    if imported.files.len() > before {
        imported.taken.push("submissions with their expected verdicts, for `judge verify`".to_owned());
    }
    Ok(())
}

/// Returns the files of a submission. If files in `include` belong to it, it becomes a folder with these files. An
/// included file replaces a file with the same name.
fn with_includes(
    root: &Path,
    submission: &Path,
    sources: Vec<PathBuf>,
    includes: &[PathBuf],
) -> Result<Vec<(PathBuf, PathBuf)>> {
    let belongs = |include: &&PathBuf| sources.iter().any(|source| is_for(&files::name(include), source));
    let mut includes: Vec<_> = includes.iter().filter(belongs).collect();
    if includes.is_empty() {
        return Ok(sources.into_iter().map(|file| (file.clone(), files::inside(root, &file))).collect());
    }
    // Files for one language take precedence over files for all languages.
    includes.sort_by_key(|include| files::name(include) != DEFAULT);
    // A single source goes into a folder of its name.
    let folder = if submission.is_dir() { submission } else { submission.parent().unwrap_or(root) };
    let mut named: BTreeMap<_, _> = sources.into_iter().map(|file| (files::inside(folder, &file), file)).collect();
    for include in includes {
        named.extend(files::tree(root, include)?.into_iter().map(|file| (files::inside(include, &file), file)));
    }
    let to = files::inside(root, submission);
    Ok(named.into_iter().map(|(name, file)| (file, to.join(name))).collect())
}

/// Returns whether the files of a folder in `include` are for this source.
fn is_for(include: &str, source: &Path) -> bool {
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let language = match include {
        DEFAULT => return true,
        "bash" => "shell",
        name => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    };
    built_in_languages().with_extension(&ending).any(|known| known.name == language)
}

fn sources(root: &Path, submission: &Path) -> Result<Vec<PathBuf>> {
    files::check_link(root, submission)?;
    if submission.is_dir() { files::tree(root, submission) } else { Ok(vec![submission.to_owned()]) }
}
