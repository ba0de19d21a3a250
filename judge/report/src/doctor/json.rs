//! The capabilities of the sandbox on this machine, as JSON.

use super::findings::findings;
use crate::text::json_text;
use crate::text::json_value::schema_of;
use judge_sandbox::{Feature, FeatureState, Survey, TierReport};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge doctor --json")]
struct Document<'a> {
    schema: u32,
    /// The tier in use; absent where none works.
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'static str>,
    tiers: Vec<TierRecord<'a>>,
    features: Vec<FeatureRecord<'a>>,
    machine: MachineRecord<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "tier")]
struct TierRecord<'a> {
    tier: &'static str,
    works: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
    gaps: Vec<GapRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "gap")]
struct GapRecord<'a> {
    what: &'a str,
    meaning: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "feature")]
struct FeatureRecord<'a> {
    name: &'static str,
    works: bool,
    /// What was found, or why it is missing.
    found: &'a str,
    purpose: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "machine")]
struct MachineRecord<'a> {
    /// Numbers of the hardware threads that may be used.
    threads: &'a [usize],
    physical_cores: usize,
    /// The default of `--jobs`: solvers that do not slow each other down.
    default_jobs: usize,
    governors: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swap_bytes: Option<u64>,
    /// The sources of noise in timings.
    noise: Vec<NoiseRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "noise")]
struct NoiseRecord {
    what: &'static str,
    why: String,
}

/// Returns the survey as one JSON document, with a final newline.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn doctor_json(survey: &Survey) -> serde_json::Result<String> {
    let machine = &survey.machine;
    let noise = findings(machine).into_iter().filter_map(|finding| {
        let why = finding.noise?;
        Some(NoiseRecord { what: finding.name, why })
    });
    let document = Document {
        schema: 1,
        tier: survey.tiers.iter().find(|tier| tier.missing.is_none()).map(|tier| tier.tier.name()),
        tiers: survey.tiers.iter().map(tier).collect(),
        features: survey.features.iter().map(feature).collect(),
        machine: MachineRecord {
            threads: machine.cores.numbers(),
            physical_cores: machine.cores.physical().get(),
            default_jobs: machine.cores.undisturbed().get(),
            governors: &machine.governors,
            load: machine.load,
            swap_bytes: machine.swap,
            noise: noise.collect(),
        },
    };
    json_text::document(&document)
}

/// Returns the JSON schema of [`doctor_json`]'s documents.
#[must_use]
pub fn doctor_schema() -> Schema {
    schema_of::<Document<'static>>()
}

fn tier(report: &TierReport) -> TierRecord<'_> {
    TierRecord {
        tier: report.tier.name(),
        works: report.missing.is_none(),
        missing: report.missing.as_deref(),
        remedy: report.remedy.as_deref(),
        gaps: report.gaps.iter().map(|gap| GapRecord { what: &gap.what, meaning: &gap.meaning }).collect(),
    }
}

fn feature(feature: &Feature) -> FeatureRecord<'_> {
    let (FeatureState::Works(found) | FeatureState::Missing(found)) = &feature.state;
    let works = matches!(feature.state, FeatureState::Works(_));
    let remedy = feature.remedy.filter(|_| !works);
    FeatureRecord { name: feature.name, works, found, purpose: feature.purpose, remedy }
}
