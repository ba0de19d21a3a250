//! The findings of `judge doctor` as text and JSON.

use crate::text::{Columns, Document, Field, Paint, Style, left, painted, paragraph, whole};
use judge_problem::Bytes;
use judge_sandbox::{Feature, GAP_OF_EVERY_TIER, Gap, Machine, Survey, TierReport};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

/// A machine with a higher share of its cores in use is busy.
const BUSY: f64 = 0.5;

/// A property of the machine that affects timings.
struct Finding {
    name: &'static str,
    found: String,
    /// Why it makes timings noisy, and the fix; `None` if it does not.
    noise: Option<String>,
}

/// Returns the properties that affect timings. Unreadable ones are absent.
fn findings(machine: &Machine) -> Vec<Finding> {
    let cores = &machine.cores;
    let (all, physical, undisturbed) = (cores.numbers.len(), cores.physical.get(), cores.undisturbed().get());
    let finding = |name, found: String, noise: Option<String>| Finding { name, found, noise };
    let mut findings = vec![finding(
        "cores",
        physical.to_string(),
        (undisturbed < physical)
            .then(|| format!("the quota of a control group allows {undisturbed}; more --jobs are throttled")),
    )];
    let shared = all > physical;
    let threads = if shared { format!("on, {all} threads") } else { "off, or not used here".to_owned() };
    let apart = || format!("two programs on one core slow each other down; --jobs {undisturbed} is the default");
    findings.push(finding("SMT", threads, shared.then(apart)));
    if !machine.governors.is_empty() {
        let slow = machine.governors.iter().any(|governor| governor != "performance");
        let noise = slow
            .then(|| "the speed changes with the load; hint: sudo cpupower frequency-set -g performance".to_owned());
        findings.push(finding("governor", machine.governors.join(", "), noise));
    }
    if let Some(load) = machine.load {
        #[expect(clippy::cast_precision_loss, reason = "a machine has far fewer than 2^53 cores")]
        let busy = load > physical as f64 * BUSY;
        let noise = busy.then(|| "other programs are running; hint: end them, or use fewer --jobs".to_owned());
        findings.push(finding("load", format!("{load:.2}"), noise));
    }
    if let Some(swap) = machine.swap {
        let noise = "swapped-out memory is slow and uses no CPU time; hint: sudo swapoff -a";
        findings.push(finding("swap", Bytes(swap).to_string(), (swap > 0).then(|| noise.to_owned())));
    }
    findings
}

/// The width of a line if it is unknown.
const LOG_WIDTH: usize = 80;

/// Returns the survey as text: the tiers, their features, and the machine.
pub fn doctor_text(survey: &Survey, style: Style) -> String {
    // Sentences break between words in a log, too.
    let style = style.with_width(style.width.unwrap_or(LOG_WIDTH));
    [tiers(survey, style), gaps(survey, style), features(survey, style), machine(&survey.machine, style)].join("\n\n")
}

fn state(missing: Option<&str>, remedy: Option<&str>) -> Field {
    match (missing, remedy) {
        (None, _) => painted("ok", Paint::Good),
        (Some(_), Some(_)) => painted("missing", Paint::Bad),
        (Some(_), None) => Field::new("not needed"),
    }
}

fn tiers(survey: &Survey, style: Style) -> String {
    let mut columns = Columns::new();
    columns.add(whole("tier"), |tier: &&TierReport| tier.tier);
    columns.add(whole("state"), |tier| state(tier.missing.as_deref(), tier.remedy.as_deref()));
    columns.add(left("why").wrapped(), |tier| Field::new(tier.missing.as_deref().unwrap_or("")));
    let table = columns.table(&survey.tiers);
    let hints = survey.tiers.iter().filter(|tier| tier.missing.is_some());
    let hints = hints.filter_map(|tier| Some(hint(tier.tier.name(), tier.remedy.as_deref()?)));
    let chosen = survey.tiers.iter().find(|tier| tier.missing.is_none());
    let chosen = chosen.map_or_else(
        || "no isolation mechanism is available: only --unsafe runs programs".to_owned(),
        |tier| format!("the judge uses the tier `{}` here", tier.tier),
    );
    [table.text(style)].into_iter().chain(hints).chain([chosen]).collect::<Vec<_>>().join("\n")
}

fn gaps(survey: &Survey, style: Style) -> String {
    let of_tier = |tier: &TierReport| {
        let line = |gap: &Gap| paragraph("  ", &format!("{}: {}", gap.what, gap.meaning), style.width);
        let gaps = tier.gaps.iter().map(line).collect::<Vec<_>>();
        let none = "  no others known".to_owned();
        format!("{}\n{}", tier.tier, if gaps.is_empty() { none } else { gaps.join("\n") })
    };
    let works = survey.tiers.iter().filter(|tier| tier.missing.is_none());
    let of_all = format!("every tier\n{}", paragraph("  ", GAP_OF_EVERY_TIER, style.width));
    format!("Gaps of each tier\n{}", [of_all].into_iter().chain(works.map(of_tier)).collect::<Vec<_>>().join("\n"))
}

fn features(survey: &Survey, style: Style) -> String {
    let mut columns = Columns::new();
    columns.add(whole("feature"), |feature: &&Feature| feature.name);
    columns.add(whole("state"), |feature| state(feature.state.as_ref().err().map(|why| &**why), feature.remedy));
    columns.add(left("found").wrapped(), |feature| {
        let (Ok(found) | Err(found)) = &feature.state;
        Field::new(found)
    });
    columns.add(left("for").wrapped(), |feature| feature.purpose);
    let table = columns.table(&survey.features);
    let missing = survey.features.iter().filter(|feature| feature.state.is_err());
    let hints = missing.filter_map(|feature| Some(hint(feature.name, feature.remedy?)));
    [table.text(style)].into_iter().chain(hints).collect::<Vec<_>>().join("\n")
}

/// Returns the hint for a missing tier or feature, in one line, so that its command can be copied.
fn hint(name: &str, remedy: &str) -> String {
    format!("hint: {name}: {remedy}")
}

fn machine(machine: &Machine, style: Style) -> String {
    let line = |Finding { name, found, noise }: Finding| match noise {
        None => format!("{name:<10} {found}"),
        Some(noise) => paragraph(&format!("{name:<10} "), &format!("{found}: {noise}"), style.width),
    };
    let lines = findings(machine).into_iter().map(line).collect::<Vec<_>>();
    format!("Sources of noise in timings\n{}", lines.join("\n"))
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DoctorDocument<'a> {
    schema: u32,
    /// The tier in use; absent if none works.
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'static str>,
    tiers: Vec<TierRecord<'a>>,
    features: Vec<FeatureRecord<'a>>,
    machine: MachineRecord<'a>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct TierRecord<'a> {
    tier: &'static str,
    works: bool,
    missing: Option<&'a str>,
    remedy: Option<&'a str>,
    gaps: Vec<GapRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct GapRecord<'a> {
    what: &'a str,
    meaning: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct FeatureRecord<'a> {
    name: &'static str,
    works: bool,
    /// The finding, or why it is missing.
    found: &'a str,
    purpose: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct MachineRecord<'a> {
    /// Numbers of the hardware threads that may be used.
    threads: &'a [usize],
    physical_cores: usize,
    /// The default of `--jobs`: solvers that do not slow each other down.
    default_jobs: usize,
    governors: &'a [String],
    load: Option<f64>,
    swap_bytes: Option<u64>,
    /// The sources of noise in timings.
    noise: Vec<NoiseRecord>,
}

#[derive(Serialize, JsonSchema)]
struct NoiseRecord {
    what: &'static str,
    why: String,
}

impl Document for Survey {
    fn record(&self) -> impl Serialize {
        let machine = &self.machine;
        let noise = findings(machine).into_iter().filter_map(|finding| {
            let why = finding.noise?;
            Some(NoiseRecord { what: finding.name, why })
        });
        DoctorDocument {
            schema: 1,
            tier: self.tiers.iter().find(|tier| tier.missing.is_none()).map(|tier| tier.tier.name()),
            tiers: self.tiers.iter().map(tier).collect(),
            features: self.features.iter().map(feature).collect(),
            machine: MachineRecord {
                threads: &machine.cores.numbers,
                physical_cores: machine.cores.physical.get(),
                default_jobs: machine.cores.undisturbed().get(),
                governors: &machine.governors,
                load: machine.load,
                swap_bytes: machine.swap,
                noise: noise.collect(),
            },
        }
    }
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
    let (Ok(found) | Err(found)) = &feature.state;
    let works = feature.state.is_ok();
    let remedy = feature.remedy.filter(|_| !works);
    FeatureRecord { name: feature.name, works, found, purpose: feature.purpose, remedy }
}
