//! The content of a package: its cases by folders, with their settings, points and validator flags, and its validators.

use super::config::{Config, Constants};
use crate::imported::unknown;
use crate::program::{self, Program};
use crate::yaml::Mapping;
use crate::{ImportError, Result, files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file of a group's settings before 2023-07. Groups inherit the settings of their parent.
const OLD_SETTINGS: &str = "testdata.yaml";

/// The names of the file of a group's settings.
const SETTINGS: [&str; 2] = ["test_group.yaml", OLD_SETTINGS];

/// The keys of the output validator's flags.
pub(super) const FLAGS: [&str; 2] = ["output_validator_args", "output_validator_flags"];

/// The keys of the input validator's flags.
const INPUT_FLAGS: [&str; 2] = ["input_validator_args", "input_validator_flags"];

/// A case: an input, and its answer file if it has one.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) input: PathBuf,
    pub(super) answer: Option<PathBuf>,
    /// Its own settings, from the file `NAME.yaml`.
    pub(super) settings: Mapping,
}

/// A folder of cases.
#[derive(Debug)]
pub(super) struct Group {
    /// Its path in the package: `data/secret/subtask1`.
    pub(super) path: String,
    pub(super) settings: Mapping,
    pub(super) cases: Vec<Case>,
    pub(super) groups: Vec<Group>,
}

impl Group {
    /// Reads a folder of the package at `root` recursively. In the older format, a group inherits missing settings from
    /// its parent.
    pub(super) fn read(
        root: &Path,
        path: &str,
        above: Option<&Mapping>,
        constants: &Constants,
        left: &mut BTreeSet<String>,
    ) -> Result<Self> {
        let folder = root.join(path);
        let own = Self::settings_of(&folder, constants)?;
        let settings = above.map_or_else(|| own.clone(), |above| own.clone().over(above));
        let mut group = Self { path: path.to_owned(), settings, cases: Vec::new(), groups: Vec::new() };
        let entries = files::entries(&folder)?;
        for entry in &entries {
            files::check_link(root, entry)?;
            let name = files::name(entry);
            let ending = entry.extension().unwrap_or_default().to_string_lossy().into_owned();
            if entry.is_dir() && ending == "files" && !files::entries(entry)?.is_empty() {
                return Err(ImportError::unsupported(entry, "files beside the input of a case"));
            } else if entry.is_dir() {
                let above = above.is_some().then_some(&group.settings);
                let inner = Self::read(root, &format!("{path}/{name}"), above, constants, left)?;
                group.groups.push(inner);
            } else if ending == "in" {
                let answer = Some(entry.with_extension("ans")).filter(|answer| answer.is_file());
                let settings = Mapping::read(&entry.with_extension("yaml"))?;
                without_arguments(&settings)?;
                left.extend(unused(path, &name, &settings));
                let name = files::name(&entry.with_extension(""));
                group.cases.push(Case { name, input: entry.clone(), answer, settings });
            } else if ending == "args" && entry.with_extension("in").exists() {
                return Err(ImportError::unsupported(entry, ARGUMENTS));
            } else if let Some(line) = not_taken(path, &name, &ending, entry) {
                left.insert(line);
            }
        }
        Ok(group)
    }

    /// Returns whether the groups of a package have settings in the format before 2023-07.
    pub(super) fn are_old(root: &Path) -> bool {
        ["data", "data/sample", "data/secret"].iter().any(|folder| root.join(folder).join(OLD_SETTINGS).exists())
    }

    /// Reads the settings of the group in a folder.
    pub(super) fn settings_of(folder: &Path, constants: &Constants) -> Result<Mapping> {
        let file = SETTINGS.map(|name| folder.join(name)).into_iter().find(|file| file.exists());
        let file = file.unwrap_or_else(|| folder.join(SETTINGS[0]));
        let settings = Mapping::read_as(&file, |text| constants.put_into(text))?;
        without_arguments(&settings)?;
        Ok(settings)
    }

    /// Names its cases, and those of the groups below it, after their folders. No name is a known one.
    pub(super) fn name_by_folder(&mut self, known: &mut BTreeSet<String>) {
        let folder = self.name().replace('/', "-");
        for case in &mut self.cases {
            case.name = unknown(format!("{folder}-{}", case.name), known);
        }
        self.groups.iter_mut().for_each(|group| group.name_by_folder(known));
    }

    /// Returns its name in a catalogue: its path below `data`.
    pub(super) fn name(&self) -> &str {
        self.path.trim_start_matches("data/")
    }

    /// Returns the groups that count, each with its folders of cases. In the older format every folder is a group. In
    /// the newer one, folders without settings belong to the group above them, unless another folder beside them has
    /// settings.
    pub(super) fn that_count(&self, is_old: bool) -> Vec<(&Self, Vec<&Self>)> {
        let is_whole = !is_old && !self.groups.iter().any(Self::has_settings);
        let folders = match () {
            () if is_whole => self.with_cases(),
            () if self.cases.is_empty() => Vec::new(),
            () => vec![self],
        };
        let own = (!folders.is_empty()).then_some((self, folders));
        let below = if is_whole { &[] } else { &*self.groups };
        own.into_iter().chain(below.iter().flat_map(|group| group.that_count(is_old))).collect()
    }

    /// Returns whether this folder or one below has settings of its own.
    fn has_settings(&self) -> bool {
        self.all().iter().any(|group| group.settings.keys().next().is_some())
    }

    /// Returns whether there are groups below, and not only folders of its own cases.
    fn is_divided(&self, is_old: bool) -> bool {
        !self.groups.is_empty() && (is_old || self.groups.iter().any(Self::has_settings))
    }

    fn is_sample(&self) -> bool {
        self.path.starts_with("data/sample")
    }

    /// Returns this group and all groups below it.
    pub(super) fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.groups.iter().flat_map(Self::all)).collect()
    }

    /// Returns this group and all groups below it that have cases of their own.
    pub(super) fn with_cases(&self) -> Vec<&Self> {
        self.all().into_iter().filter(|group| !group.cases.is_empty()).collect()
    }
}

/// What is not supported about a case with arguments.
const ARGUMENTS: &str = "arguments of solvers";

/// Rejects arguments of solvers in the settings of a group or a case.
fn without_arguments(settings: &Mapping) -> Result<()> {
    match settings.words("args")? {
        Some(words) if !words.is_empty() => Err(settings.unsupported(format!("{ARGUMENTS} (`args`)"))),
        _ => Ok(()),
    }
}

/// Reports the unused settings of a case.
fn unused(path: &str, input: &str, settings: &Mapping) -> Option<String> {
    let keys = settings.keys().filter(|key| !FLAGS.contains(key) && !INPUT_FLAGS.contains(key));
    let keys: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
    let (name, keys) = (input.trim_end_matches(".in"), (!keys.is_empty()).then(|| keys.join(", "))?);
    Some(format!("{path}/{name}.yaml: {keys}: settings of a single case are not used"))
}

/// Describes a file that is not imported. `None` if it belongs to a case or to the group.
fn not_taken(path: &str, name: &str, ending: &str, file: &Path) -> Option<String> {
    match ending {
        _ if SETTINGS.contains(&name) => None,
        "ans" | "yaml" if file.with_extension("in").exists() => None,
        "desc" | "hint" | "png" | "jpg" | "jpeg" | "svg" => Some(format!("{path}/*.{ending}: no part of judging")),
        "interaction" => Some(format!("{path}/*.interaction: shown to readers, no case")),
        "md" | "statement" | "download" | "out" => Some(format!("{path}/*.{ending}: shown to readers, no case")),
        _ => Some(format!("{path}/{name}: no file of a case")),
    }
}

/// The keys of `testdata.yaml` that are read.
const OLD_KEYS: [&str; 6] =
    ["accept_score", "reject_score", "grading", "grader_flags", "output_validator_flags", "on_reject"];

/// The keys of `test_group.yaml` that are read or do not affect points.
const KEYS: [&str; 9] = [
    "args",
    "max_score",
    "score_aggregation",
    "verdict_aggregation",
    "require_pass",
    "output_validator_args",
    "output_validator_flags",
    "hint",
    "description",
];

/// The flags of the default grader that are read.
const GRADER_FLAGS: [&str; 13] = [
    "min",
    "max",
    "sum",
    "avg",
    "accept_if_any_accepted",
    "always_accept",
    "ignore_sample",
    "first_error",
    "worst_error",
    "no_errors",
    "pass-fail",
    "score",
    "verdict",
];

/// The points of a group.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// The weight of all its cases together. `None`: the checker's scores count directly.
    pub(super) weight: Option<f64>,
    /// The setting that gives points to an accepted case without a score of the validator.
    pub(super) without_score: Option<String>,
    /// How its cases are combined, if they do not count separately.
    pub(super) aggregate: Option<&'static str>,
}

/// The unsupported settings of groups, each line once.
pub(super) type Left = BTreeSet<String>;

/// Returns the points of a group with cases. `is_old`: its settings are in `testdata.yaml`.
pub(super) fn points_of_group(is_old: bool, group: &Group, left: &mut Left) -> Result<Points> {
    let points = if is_old { graded(group, left) } else { aggregated(group) }?;
    if !group.is_sample() {
        return Ok(points);
    }
    if points.weight.is_some_and(|weight| weight > 0.0) && group.settings.has("accept_score") {
        left.insert(format!("{}: `accept_score`: samples have no points", group.path));
    }
    Ok(Points { weight: Some(0.0), without_score: None, ..points })
}

/// Reads the settings of `testdata.yaml` for the default grader.
fn graded(group: &Group, left: &mut Left) -> Result<Points> {
    let settings = &group.settings;
    let flags = settings.words("grader_flags")?.unwrap_or_default();
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    let each = settings.number("accept_score")?.unwrap_or(1.0);
    let is_whole = has("min") || has("avg") || has("max");
    let mut say = |what: &str| left.insert(format!("{}: {what}", group.path));
    let is_custom = is_custom(settings)?;
    if is_custom {
        say("`grading: custom`: graders are not run; the points of the cases are added");
    }
    if has("max") {
        say("`grader_flags: max`: no group counts its best case; it counts the mean");
    }
    if settings.text("reject_score")?.is_some_and(|score| score != "0") {
        say("`reject_score`: a failed case has no points");
    }
    if settings.text("on_reject")?.is_some_and(|what| what != "continue") && is_lenient(&flags) {
        say("`on_reject`: the cases after a rejected one run and count, too");
    }
    let weight = if is_whole { each } else { each * group.cases.len() as f64 };
    let aggregate = match () {
        () if is_custom => None,
        () if has("min") => Some("min"),
        () if !is_lenient(&flags) => Some("all-or-nothing"),
        () => None,
    };
    let without_score = (each != 1.0).then(|| format!("`accept_score: {each}`"));
    Ok(Points { weight: Some(weight), without_score, aggregate })
}

/// Returns whether a grader of the package decides on a group.
fn is_custom(settings: &Mapping) -> Result<bool> {
    Ok(settings.text("grading")?.is_some_and(|grading| grading == "custom"))
}

fn is_lenient(flags: &[String]) -> bool {
    flags.iter().any(|flag| ["accept_if_any_accepted", "always_accept"].contains(&&**flag))
}

/// Reads the settings of `test_group.yaml`.
fn aggregated(group: &Group) -> Result<Points> {
    let settings = &group.settings;
    let rule = settings.text("score_aggregation")?;
    let is_secret = group.path == "data/secret";
    let aggregate = match rule.as_deref() {
        Some("sum") => None,
        Some("min") => Some("min"),
        None if is_secret => None,
        Some(_) | None => Some("all-or-nothing"),
    };
    let worth = settings.text("max_score")?;
    let weight = match worth.as_deref() {
        Some("unbounded") => None,
        Some(_) => settings.number("max_score")?,
        None => is_secret.then_some(100.0),
    };
    // A validator gives no scores in a group that is all or nothing.
    let without_score =
        weight.filter(|_| aggregate != Some("all-or-nothing")).map(|most| format!("`max_score: {most}`"));
    Ok(Points { weight, without_score, aggregate })
}

/// Adds the names of the groups that a group requires, by the names of all groups in it: what it requires holds for them,
/// too. `names`: all groups with cases.
pub(super) fn depend(
    group: &Group,
    names: &[&str],
    found: &mut BTreeMap<String, Vec<String>>,
    left: &mut Left,
) -> Result<()> {
    for wanted in group.settings.words("require_pass")?.unwrap_or_default() {
        let is_named =
            |name: &str| [wanted.clone(), format!("secret/{wanted}")].iter().any(|wanted| is_in(name, wanted));
        let is_required = |name: &&&str| is_named(name) && !is_in(name, group.name());
        let required: Vec<_> = names.iter().filter(is_required).map(|name| (*name).to_owned()).collect();
        if required.is_empty() {
            left.insert(format!("{}: `require_pass: {wanted}` names no group of cases", group.path));
        }
        for name in names.iter().filter(|name| is_in(name, group.name())) {
            found.entry((*name).to_owned()).or_default().extend(required.iter().cloned());
        }
    }
    Ok(())
}

/// Returns whether a group has this name or is below the group with this name.
fn is_in(name: &str, above: &str) -> bool {
    name.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reports unread keys of a group.
pub(super) fn unread(is_old: bool, group: &Group, left: &mut Left) {
    let of_format = |key: &&str| if is_old { OLD_KEYS.contains(key) } else { KEYS.contains(key) };
    let known = |key: &&str| of_format(key) || INPUT_FLAGS.contains(key);
    for key in group.settings.keys().filter(|key| !known(key)) {
        let why = match key {
            "range" => "scores are not held to it",
            "static_validation" | "static_validation_score" => "sources are not validated",
            "full_feedback" => "all results are shown",
            _ => "it is not done",
        };
        left.insert(format!("{}: `{key}`: {why}", group.path));
    }
}

/// Reports the settings of `data` that the newer format does not give to the groups below.
pub(super) fn of_no_group(above: &Mapping) -> impl Iterator<Item = String> {
    let keys = above.keys().filter(|key| !FLAGS.contains(key) && !INPUT_FLAGS.contains(key));
    keys.map(|key| format!("data: `{key}`: only sample, secret and the groups have such settings"))
}

/// Reports what a group requires beyond adding points.
pub(super) fn points_of_groups(is_old: bool, group: &Group, left: &mut Left) -> Result<()> {
    let flags = group.settings.words("grader_flags")?.unwrap_or_default();
    for flag in flags.iter().filter(|flag| is_old && !GRADER_FLAGS.contains(&&***flag)) {
        left.insert(format!("{}: `grader_flags: {flag}`: it is not done", group.path));
    }
    if group.is_divided(is_old) {
        let rules = flags.iter().filter(|flag| ["min", "max", "avg"].contains(&&***flag)).cloned();
        let rule = group.settings.text("score_aggregation")?.filter(|rule| rule != "sum");
        let what = "over its groups: their points are added instead";
        left.extend(rules.chain(rule).map(|how| format!("{}: `{how}` {what}", group.path)));
        if is_old && !is_lenient(&flags) && !group.is_sample() && !is_custom(&group.settings)? {
            let what =
                "without `accept_if_any_accepted` one rejected group rejects all: the points of the others are added";
            left.insert(format!("{}: {what}", group.path));
        }
    }
    Ok(())
}

/// The flags in settings, if they have some.
type Flags = Result<Option<Vec<String>>>;

/// Cases with their groups, by their flags.
type ByFlags<'a> = BTreeMap<Vec<String>, Vec<(&'a Group, &'a Case)>>;

/// Adds the cases of groups and of the groups below them by their flags: their own, or those of the nearest folder that
/// has some. `above`: the flags of the folders above the groups.
pub(super) fn by_flags<'a>(
    groups: &'a [Group],
    above: Option<&Vec<String>>,
    of: &impl Fn(&Mapping) -> Flags,
    found: &mut ByFlags<'a>,
) -> Result<()> {
    for group in groups {
        let own = of(&group.settings)?;
        let here = own.as_ref().or(above);
        for case in &group.cases {
            let flags = of(&case.settings)?.or_else(|| here.cloned()).unwrap_or_default();
            found.entry(flags).or_default().push((group, case));
        }
        by_flags(&group.groups, here, of, found)?;
    }
    Ok(())
}

/// Gives the validator the arguments of all cases. It is left out if these differ, because a problem has one validator
/// command.
pub(super) fn give(
    program: Program,
    above: &Mapping,
    groups: &[Group],
    left: &mut Vec<String>,
) -> Result<Option<Program>> {
    let mut asked = ByFlags::new();
    let of = |settings: &Mapping| of(settings, &program.source);
    by_flags(groups, of(above)?.as_ref(), &of, &mut asked)?;
    if asked.len() <= 1 {
        let arguments = asked.into_keys().next().unwrap_or_default();
        let arguments = (!arguments.is_empty()).then(|| format!(" {}", shell_words::join(&arguments)));
        let command = program.command.clone() + &arguments.unwrap_or_default();
        return Ok(Some(Program { command, ..program }));
    }
    let shown = |(flags, cases): (Vec<String>, Vec<(&Group, &Case)>)| {
        let mut paths: Vec<_> = cases.iter().map(|(group, _)| &*group.path).collect();
        paths.dedup();
        let flags = if flags.is_empty() { "none".to_owned() } else { format!("`{}`", flags.join(" ")) };
        format!("{flags} in {}", paths.join(", "))
    };
    let different: Vec<_> = asked.into_iter().map(shown).collect();
    let name = files::name(&program.source);
    left.push(format!("the input validator {name}: its arguments differ: {}", different.join("; ")));
    Ok(None)
}

/// Reads a mapping of the legacy format: the name of a validator, and its flags.
fn flags_by_name(each: &Mapping) -> Result<Option<(String, Vec<String>)>> {
    if !each.keys().all(|key| ["name", "flags"].contains(&key)) {
        return Ok(None);
    }
    let flags = each.words("flags")?.unwrap_or_default();
    Ok(each.text("name")?.map(|name| (name, flags)))
}

/// Returns the flags that a settings file gives to the output validator, under this key.
pub(super) fn output_flags(settings: &Mapping, key: &str) -> Flags {
    let words = settings.words(key);
    match settings.mapping(key) {
        Ok(each) if words.is_err() => match flags_by_name(&each)? {
            Some((_, flags)) => Ok(Some(flags)),
            None => words,
        },
        _ => words,
    }
}

/// Returns the arguments that a settings file gives to this validator. `None` if it does not mention it.
fn of(settings: &Mapping, validator: &Path) -> Flags {
    let Some(key) = INPUT_FLAGS.into_iter().find(|key| settings.has(key)) else { return Ok(None) };
    if let Ok(words) = settings.words(key) {
        return Ok(words);
    }
    let each = settings.mapping(key)?;
    // In the legacy format, the name of one validator, and its flags. Later, the names of validators.
    let flags = flags_by_name(&each)?;
    let names = [validator.file_name(), validator.file_stem()].map(|name| name.unwrap_or_default().to_string_lossy());
    if let Some((name, flags)) = flags {
        return Ok(Some(if names.iter().any(|known| *known == name) { flags } else { Vec::new() }));
    }
    let own = names.iter().find(|name| each.has(name)).map_or(Ok(None), |name| each.words(name));
    Ok(Some(own?.unwrap_or_default()))
}

/// The content of a package.
pub(super) struct Package {
    pub(super) config: Config,
    /// Whether `testdata.yaml` holds the settings of groups.
    pub(super) old_groups: bool,
    /// `data/sample` and `data/secret`.
    pub(super) groups: Vec<Group>,
    /// Whether cases of several folders have the same file name.
    pub(super) namesakes: bool,
    pub(super) validator: Option<Validator>,
    pub(super) input_validator: Option<Program>,
    /// The flags of its validator.
    pub(super) flags: Vec<String>,
}

impl Package {
    /// Returns the groups with cases.
    pub(super) fn with_cases(&self) -> Vec<&Group> {
        self.groups.iter().flat_map(Group::with_cases).collect()
    }

    /// Returns the cases, each with its group.
    pub(super) fn cases(&self) -> impl Iterator<Item = (&Group, &Case)> {
        self.with_cases().into_iter().flat_map(|group| group.cases.iter().map(move |case| (group, case)))
    }

    /// Returns the groups that count, each with its folders of cases.
    pub(super) fn groups_that_count(&self) -> Vec<(&Group, Vec<&Group>)> {
        self.groups.iter().flat_map(|group| group.that_count(self.old_groups)).collect()
    }

    /// Returns whether the validator's scores count as they are. The legacy format says so; later, a validator writes
    /// either scores or multipliers.
    pub(super) fn has_raw_scores(&self) -> bool {
        let config = &self.config;
        let by_name = |validator: &Validator| validator.writes_scores && !validator.writes_multipliers;
        let is_new = config.scoring && !config.legacy;
        config.custom_score || is_new && self.validator.as_ref().is_some_and(by_name)
    }
}

/// Where the output validator goes.
const OUTPUT: &str = "output_validator";

/// Where the input validator goes.
const INPUT: &str = "input_validator";

/// The folders of input validators, and whether their files are one program.
const INPUT_FOLDERS: [(&str, bool); 3] =
    [("input_validators", false), (INPUT, true), ("input_format_validators", false)];

/// An output validator.
#[derive(Debug)]
pub(super) struct Validator {
    pub(super) program: Program,
    /// Whether its sources name the file for a plain score.
    pub(super) writes_scores: bool,
    /// Whether its sources name the file for a share of the case's points.
    pub(super) writes_multipliers: bool,
}

/// Finds the output validator. `None` if the package has none.
pub(super) fn output_validator(root: &Path) -> Result<Option<Validator>> {
    let folders = [OUTPUT, "output_validators"].map(|name| root.join(name));
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else { return Ok(None) };
    let source = match &*program::all(folder, folder.ends_with(OUTPUT))? {
        [] => return Ok(None),
        [one] => one.clone(),
        several => {
            let what = format!("{} output validators, which must all accept", several.len());
            return Err(ImportError::unsupported(folder, what));
        }
    };
    let program = program::read(root, &source, OUTPUT, "the output validator")?
        .map_err(|(file, why)| ImportError::unsupported(&file, format!("an output validator {why}")))?;
    let is_source = |file: &Path| !files::has_extension(file, &["md", "txt"]);
    let sources: Vec<_> = program.files.iter().map(|(file, _)| file).filter(|file| is_source(file)).collect();
    let names = |word: &[u8]| sources.iter().any(|file| std::fs::read(file).is_ok_and(|text| contains(&text, word)));
    let (writes_scores, writes_multipliers) = (names(b"score.txt"), names(b"score_multiplier.txt"));
    Ok(Some(Validator { program, writes_scores, writes_multipliers }))
}

/// Finds the first input validator that can be run. Adds a line for each other one.
pub(super) fn input_validator(root: &Path, left: &mut Vec<String>) -> Result<Option<Program>> {
    let mut found = None;
    for (name, is_one) in INPUT_FOLDERS {
        for source in program::all(&root.join(name), is_one)? {
            files::check_link(root, &source)?;
            let shown = files::inside(root, &source).display().to_string();
            if found.is_some() {
                left.push(format!("{shown}: a problem has one validator, the first"));
                continue;
            }
            match program::read(root, &source, INPUT, "the input validator")? {
                Ok(program) => found = Some(program),
                Err((_, why)) => left.push(format!("{shown}: an input validator {why}")),
            }
        }
    }
    Ok(found)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}
