//! The limits of a package, with the defaults of its format.

use super::config::Config;
use crate::derived_limit::{DerivedLimit, NO_LIMIT};
use crate::error::ImportError;
use crate::text::Text;
use judge_problem::Time;
use std::path::Path;

/// Files beside `problem.yaml` that say the time limit in seconds, with what stands before it.
const TIME_FILES: [(&str, &str); 2] = [(".timelimit", ""), ("domjudge-problem.ini", "timelimit")];

/// Defaults of the format, in MiB.
const MEMORY: f64 = 2048.0;
const OUTPUT: f64 = 8.0;

/// The least seconds of which a derived time limit is a multiple.
const RESOLUTION: f64 = 1.0;

/// Writes `[problem.limits]`. Returns how the time limit is derived, if the package gives none.
pub(super) fn write(
    text: &mut Text,
    config: &Config,
    root: &Path,
    has_validator: bool,
    left: &mut Vec<String>,
) -> Result<Option<DerivedLimit>, ImportError> {
    let limits = &config.limits;
    text.table("[problem.limits]");
    let derived = match time(config, root)? {
        Some(seconds) => {
            text.text("cpu", &format!("{seconds}s"));
            None
        }
        None => Some(derived(text, config, left)?),
    };
    for (key, of_package, default) in [("memory", "memory", MEMORY), ("output", "output", OUTPUT)] {
        let size = limits.number(of_package)?;
        text.text(key, &format!("{}MiB", size.unwrap_or(default)));
        if size.is_none() {
            text.because("the default of the format");
        }
    }
    let sizes = [("source-size", "code", "KiB"), ("compile-memory", "compilation_memory", "MiB")];
    for (key, of_package, unit) in sizes {
        if let Some(size) = limits.number(of_package)? {
            text.text(key, &format!("{size}{unit}"));
        }
    }
    if let Some(seconds) = limits.number("compilation_time")? {
        text.text("compile-cpu", &format!("{seconds}s"));
    }
    let of_checker = [("checker-wall", "validation_time", "s"), ("checker-memory", "validation_memory", "MiB")];
    for (key, of_package, unit) in of_checker {
        match limits.number(of_package)? {
            Some(size) if has_validator && (!config.interactive || key == "checker-memory") => {
                text.text(key, &format!("{size}{unit}"));
            }
            Some(_) => {
                left.push(format!("problem.yaml: `limits.{of_package}`: there is no checker of its own to limit"));
            }
            None => {}
        }
    }
    Ok(derived)
}

/// Returns how the time limit follows from the accepted submissions.
fn derived(text: &mut Text, config: &Config, left: &mut Vec<String>) -> Result<DerivedLimit, ImportError> {
    let multipliers = config.limits.mapping("time_multipliers")?;
    let factor = multipliers.number("ac_to_time_limit")?.or(config.limits.number("time_multiplier")?);
    let factor = factor.unwrap_or(if config.legacy { 5.0 } else { 2.0 });
    let resolution = config.limits.number("time_resolution")?.unwrap_or(RESOLUTION);
    if factor < 1.0 || resolution <= 0.0 {
        let what = format!("the slowest submission times {factor}, in multiples of {resolution}s, is no time limit");
        return Err(config.limits.wrong("time_multipliers", what, "a factor of at least 1 and a time"));
    }
    for key in ["time_limit_to_tle", "time_safety_margin"] {
        if multipliers.has(key) || config.limits.has(key) {
            left.push(format!("problem.yaml: `{key}`: submissions are to pass the time limit, by however little"));
        }
    }
    text.text("cpu", &Time(NO_LIMIT).to_string()).because("The package gives no time limit.");
    let line = text.last_line().to_owned();
    Ok(DerivedLimit { line, factor, resolution, excluded: Vec::new() })
}

/// Returns the time limit in seconds, if the package gives one.
fn time(config: &Config, root: &Path) -> Result<Option<f64>, ImportError> {
    config.limits.number("time_limit")?.map_or_else(|| in_file(root), |seconds| Ok(Some(seconds)))
}

/// Returns the time limit that a file beside `problem.yaml` gives.
fn in_file(root: &Path) -> Result<Option<f64>, ImportError> {
    for (name, key) in TIME_FILES {
        let file = root.join(name);
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let line = text.lines().find_map(|line| line.trim().strip_prefix(key));
        let Some(value) = line.map(|line| line.trim_matches([' ', '=', '\'', '"', '\t'])) else { continue };
        let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
        let bad = || ImportError::bad(&file, format!("bad time limit `{value}`"), "a number of seconds");
        return seconds.ok_or_else(bad).map(Some);
    }
    Ok(None)
}
