//! Writes a package as a `problems.toml`.

use super::data::{Case, Group};
use super::package::Package;
use super::{limits, points};
use crate::derived_limit::DerivedLimit;
use crate::error::ImportError;
use crate::files;
use crate::text::Text;
use std::path::Path;

/// How often a solver of a problem of several passes may run where the package does not say it.
const PASSES: f64 = 2.0;

/// Returns the text of the `problems.toml`, without the submissions, and how its time limit is derived, if it is.
pub(super) fn catalogue(
    package: &Package,
    id: &str,
    root: &Path,
    left: &mut Vec<String>,
) -> Result<(Text, Option<DerivedLimit>), ImportError> {
    let config = &package.config;
    let mut text = Text::default();
    text.comment(&format!("Imported from the Kattis package {}.", files::name(root)));
    text.line("[[problem]]").text("id", id);
    text.text("title", config.title.as_deref().unwrap_or(id));
    if !config.source.is_empty() {
        text.text("source", &config.source);
    }
    checker(&mut text, package)?;
    validator(&mut text, package);
    let namesakes = package.has_namesakes();
    if !namesakes {
        let patterns = |ending: &str| -> Vec<String> {
            let groups = package.with_cases().into_iter();
            groups.map(|group| format!("{}/*.{ending}", glob::Pattern::escape(&group.path))).collect()
        };
        text.texts("inputs", &patterns("in")).texts("answers", &patterns("ans"));
    }
    let derived = limits::write(&mut text, config, root, package.validator.is_some(), left)?;
    scoring(&mut text, package, namesakes, left)?;
    if namesakes {
        text.line("").comment("Named by their folders: cases of several folders have the same file name.");
        for (group, case) in
            package.with_cases().into_iter().flat_map(|group| group.cases.iter().map(move |case| (group, case)))
        {
            text.line("[[problem.case]]").text("name", &case_name(group, case));
            text.text("file", &files::inside(root, &case.input).to_string_lossy());
            if let Some(answer) = &case.answer {
                text.text("answer", &files::inside(root, answer).to_string_lossy());
            }
        }
    }
    Ok((text, derived))
}

fn checker(text: &mut Text, package: &Package) -> Result<(), ImportError> {
    let config = &package.config;
    match &package.validator {
        None => {
            text.text("checker", "tokens");
        }
        Some(validator) => {
            let key = if config.interactive { "interactor-command" } else { "checker-command" };
            command(text, key, &validator.program.command, validator.program.compiled.is_some());
            text.text("checker-protocol", "kattis");
            if config.multi_pass {
                let passes = config.limits.number("validation_passes")?.unwrap_or(PASSES);
                text.plain("validation-passes", passes);
            }
        }
    }
    if !package.flags.is_empty() {
        text.text("checker-arguments", &shell_words::join(&package.flags));
    }
    Ok(())
}

/// Writes how the inputs are validated. Only under the protocol `kattis` is 42 the exit code of a validator that accepts.
fn validator(text: &mut Text, package: &Package) {
    let Some(program) = &package.input_validator else { return };
    let line = match package.validator {
        Some(_) => program.command.clone(),
        None => shell_words::join(["sh", "-c", &format!("{}; test $? = 42", program.command)]),
    };
    command(text, "validator-command", &line, program.compiled.is_some());
}

fn command(text: &mut Text, key: &str, line: &str, is_compiled: bool) {
    text.text(key, line);
    if is_compiled {
        text.because("compiled from the sources beside it: `judge import` again after a change");
    }
}

/// Writes the scoring rule, and the groups of a problem with points.
fn scoring(text: &mut Text, package: &Package, namesakes: bool, left: &mut Vec<String>) -> Result<(), ImportError> {
    let config = &package.config;
    let scores = package.validator.as_ref().filter(|_| config.scoring);
    let is_raw = config.custom_score || scores.is_some_and(|validator| validator.writes_scores);
    let is_scaled = scores.is_some_and(|validator| validator.writes_multipliers);
    text.table("[problem.scoring]").text("rule", if is_raw || is_scaled { "sum" } else { "exact" });
    if config.minimise && is_raw {
        text.text("direction", "min");
    }
    if !config.scoring {
        return Ok(());
    }
    let mut lines = points::Left::new();
    for top in &package.groups {
        points::of_groups(package.old_groups, top, &mut lines)?;
    }
    let names: Vec<_> = package.with_cases().into_iter().map(Group::name).collect();
    for group in package.with_cases() {
        let points = points::of_group(package.old_groups, group, &names, &mut lines)?;
        text.table("[[problem.group]]").text("name", group.name());
        text.texts("cases", &members(package, group, namesakes));
        match points.weight {
            Some(0.0) => {
                text.plain("weight", 0).because("no points, as samples have none");
                continue;
            }
            Some(weight) if !is_raw => {
                text.plain("weight", weight);
            }
            _ => {}
        }
        if let Some(aggregate) = points.aggregate {
            text.text("aggregate", aggregate);
        }
        if !points.depends_on.is_empty() {
            text.texts("depends-on", &points.depends_on);
        }
    }
    left.extend(lines);
    if is_raw {
        left.push("points of groups: the validator gives the scores, and they are added as they are".to_owned());
    }
    Ok(())
}

/// Returns the patterns of the names of a group's cases.
fn members(package: &Package, group: &Group, namesakes: bool) -> Vec<String> {
    let name = |group: &Group, case: &Case| if namesakes { case_name(group, case) } else { stem(case) };
    let begin = format!("{}-", group.name().replace('/', "-"));
    let all = package.with_cases().into_iter();
    let begins = |(group, case): (&Group, &Case)| name(group, case).starts_with(&begin);
    let found = all.flat_map(|group| group.cases.iter().map(move |case| (group, case))).filter(|pair| begins(*pair));
    if namesakes && found.count() == group.cases.len() {
        return vec![format!("{}*", glob::Pattern::escape(&begin))];
    }
    group.cases.iter().map(|case| glob::Pattern::escape(&name(group, case))).collect()
}

fn case_name(group: &Group, case: &Case) -> String {
    format!("{}-{}", group.name().replace('/', "-"), stem(case))
}

fn stem(case: &Case) -> String {
    case.input.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
