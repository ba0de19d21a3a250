//! `judge doctor`: what the sandbox supports on this machine, and what makes timings noisy.

use judge_problem::Exit;
use judge_report::{Document, Style};
use judge_sandbox::Options;
use judge_session::failure::Failure;
use judge_session::{load, sandbox};
use std::path::Path;

/// Tries every tier and reports.
pub(super) fn doctor(json: Option<&Path>) -> Result<Exit, Failure> {
    let survey = judge_sandbox::survey(&Options { memory: sandbox::memory(), ..Options::default() });
    if json != Some(Path::new("-")) {
        judge_report::print(&judge_report::doctor_text(&survey, Style::of_stdout()))?;
    }
    if let Some(path) = json {
        let json = survey.to_json().map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    let works = survey.tiers.iter().any(|tier| tier.missing.is_none());
    Ok(if works { Exit::Success } else { Exit::NotAccepted })
}
