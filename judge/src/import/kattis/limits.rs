//! The limits of a package, with the defaults of its format.

use super::config::Config;
use crate::import::error::ImportError;
use crate::import::text::Text;
use std::path::Path;

/// Files beside `problem.yaml` that say the time limit in seconds, with what stands before it.
const TIME_FILES: [(&str, &str); 2] = [(".timelimit", ""), ("domjudge-problem.ini", "timelimit")];

/// Defaults of the format, in MiB.
const MEMORY: f64 = 2048.0;
const OUTPUT: f64 = 8.0;

/// Writes `[problem.limits]`.
pub(super) fn write(
    text: &mut Text,
    config: &Config,
    root: &Path,
    has_validator: bool,
    left: &mut Vec<String>,
) -> Result<(), ImportError> {
    let limits = &config.limits;
    text.table("[problem.limits]");
    match time(config, root)? {
        Some(seconds) => {
            text.text("cpu", &format!("{seconds}s"));
        }
        None => {
            text.comment(
                "The package gives no time limit: it is derived from the accepted submissions there. cpu = \"2s\"",
            );
            left.push("the time limit: the package gives none, and 10s hold: set `cpu` in [problem.limits]".to_owned());
        }
    }
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
    match limits.number("validation_time")? {
        Some(seconds) if has_validator && !config.interactive => {
            text.text("checker-wall", &format!("{seconds}s"));
        }
        Some(_) => {
            left.push("problem.yaml: `limits.validation_time`: the checker is not a program on its own".to_owned())
        }
        None => {}
    }
    Ok(())
}

/// Returns the time limit in seconds, if the package gives one.
pub(super) fn time(config: &Config, root: &Path) -> Result<Option<f64>, ImportError> {
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
