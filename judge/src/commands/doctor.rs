//! `judge doctor`: what the sandbox supports on this machine, and what makes timings noisy.

use crate::model::Exit;
use crate::report::{self, Style};
use crate::workflow::failure::Failure;
use crate::workflow::{load, sandbox};
use judge_sandbox::Options;
use std::path::Path;

/// Tries every tier and reports.
pub(super) fn doctor(json: Option<&Path>) -> Result<Exit, Failure> {
    let survey = judge_sandbox::survey(&Options { tier_cache: sandbox::memory(), ..Options::default() });
    if json != Some(Path::new("-")) {
        report::print(&report::doctor_text(&survey, Style::of_stdout()))?;
    }
    if let Some(path) = json {
        let json = report::doctor_json(&survey).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    let works = survey.tiers.iter().any(|tier| tier.missing.is_none());
    Ok(if works { Exit::Success } else { Exit::NotAccepted })
}
