//! `judge doctor`: what the sandbox can do here, and what makes timings noisy.

use super::failure::Failure;
use crate::model::Exit;
use crate::report::{self, Style};
use judge_sandbox::Options;

/// Tries every tier and reports.
pub(super) fn doctor() -> Result<Exit, Failure> {
    let survey = judge_sandbox::survey(&Options::default());
    report::print(&report::doctor_text(&survey, Style::of_stdout()))?;
    let works = survey.tiers.iter().any(|tier| tier.missing.is_none());
    Ok(if works { Exit::Success } else { Exit::NotAccepted })
}
