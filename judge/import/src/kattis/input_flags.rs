//! The arguments that groups and cases give to the validator of inputs.

use super::data::{Group, INPUT_FLAGS};
use crate::error::ImportError;
use crate::files;
use crate::program::Program;
use crate::yaml::Mapping;
use std::collections::BTreeMap;
use std::path::Path;

/// Gives the validator the arguments of all cases, or leaves it out where these differ: a problem has one command.
pub(super) fn give(
    program: Program,
    above: &Mapping,
    groups: &[Group],
    left: &mut Vec<String>,
) -> Result<Option<Program>, ImportError> {
    let mut asked: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    let general = of(above, &program.source)?;
    for top in groups {
        let of_top = of(&top.settings, &program.source)?.or_else(|| general.clone());
        for group in top.with_cases() {
            let of_group = of(&group.settings, &program.source)?.or_else(|| of_top.clone());
            for case in &group.cases {
                let own = of(&case.settings, &program.source)?.or_else(|| of_group.clone());
                let of_flags = asked.entry(own.unwrap_or_default()).or_default();
                if of_flags.last() != Some(&group.path) {
                    of_flags.push(group.path.clone());
                }
            }
        }
    }
    if asked.len() <= 1 {
        let arguments = asked.into_keys().next().unwrap_or_default();
        let words = std::iter::once(program.command.clone())
            .chain((!arguments.is_empty()).then(|| shell_words::join(&arguments)));
        let command = words.collect::<Vec<_>>().join(" ");
        return Ok(Some(Program { command, ..program }));
    }
    let shown = |(flags, groups): (Vec<String>, Vec<String>)| match &*flags {
        [] => format!("none in {}", groups.join(", ")),
        flags => format!("`{}` in {}", flags.join(" "), groups.join(", ")),
    };
    let different: Vec<_> = asked.into_iter().map(shown).collect();
    let name = files::name(&program.source);
    left.push(format!("the input validator {name}: its arguments differ: {}", different.join("; ")));
    Ok(None)
}

/// Returns what one file of settings gives to this validator; `None` if it does not speak of it.
fn of(settings: &Mapping, validator: &Path) -> Result<Option<Vec<String>>, ImportError> {
    let Some(key) = INPUT_FLAGS.into_iter().find(|key| settings.has(key)) else { return Ok(None) };
    if let Ok(words) = settings.words(key) {
        return Ok(words);
    }
    // By the name of each validator.
    let each = settings.mapping(key)?;
    let names = [validator.file_name(), validator.file_stem()].map(|name| name.unwrap_or_default().to_string_lossy());
    let own = names.iter().find(|name| each.has(name)).map_or(Ok(None), |name| each.words(name));
    Ok(Some(own?.unwrap_or_default()))
}
