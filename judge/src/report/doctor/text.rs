//! What the sandbox can do on this machine, and what makes timings noisy.

use super::Style;
use super::style::Paint;
use super::table::{Align, Field, grid, painted};
use crate::model::Bytes;
use judge_sandbox::{Machine, Survey};

/// A machine with a higher share of its cores in use is busy.
const BUSY: f64 = 0.5;

/// Returns the survey as text: the tiers, what they are made of, and the machine.
#[must_use]
pub fn doctor_text(survey: &Survey, style: Style) -> String {
    [tiers(survey, style), gaps(survey), features(survey, style), machine(&survey.machine)].join("\n\n")
}

fn state(missing: Option<&str>, remedy: Option<&str>) -> Field {
    match (missing, remedy) {
        (None, _) => painted("ok", Paint::Good),
        (Some(_), Some(_)) => painted("missing", Paint::Bad),
        (Some(_), None) => Field::new("not needed"),
    }
}

fn tiers(survey: &Survey, style: Style) -> String {
    let columns = [("tier", Align::Left), ("", Align::Left), ("why", Align::Left), ("how to get it", Align::Left)];
    let mut table = grid(&columns, style);
    for tier in &survey.tiers {
        let missing = tier.missing.as_deref();
        table.add_row([
            Field::new(tier.tier),
            state(missing, tier.remedy),
            Field::new(missing.unwrap_or("")),
            Field::new(tier.remedy.unwrap_or("")),
        ]);
    }
    let chosen = survey.tiers.iter().find(|tier| tier.missing.is_none());
    let chosen = chosen.map_or_else(
        || "no tier works here: only --unsafe runs programs".to_owned(),
        |tier| format!("the judge uses the tier `{}` here", tier.tier),
    );
    format!("{}\n{chosen}", table.trim_fmt())
}

fn gaps(survey: &Survey) -> String {
    let of_tier = |tier: &judge_sandbox::TierReport| {
        let gaps = tier.gaps.iter().map(|gap| format!("  {}: {}", gap.what, gap.meaning)).collect::<Vec<_>>();
        let none = "  nothing known".to_owned();
        format!("{}\n{}", tier.tier, if gaps.is_empty() { none } else { gaps.join("\n") })
    };
    let works = survey.tiers.iter().filter(|tier| tier.missing.is_none());
    format!("What does not hold in\n{}", works.map(of_tier).collect::<Vec<_>>().join("\n"))
}

fn features(survey: &Survey, style: Style) -> String {
    let columns = [
        ("feature", Align::Left),
        ("", Align::Left),
        ("found", Align::Left),
        ("for", Align::Left),
        ("how to get it", Align::Left),
    ];
    let mut table = grid(&columns, style);
    for feature in &survey.features {
        let (found, missing) = match &feature.found {
            Ok(found) => (found, None),
            Err(why) => (why, Some(&**why)),
        };
        let remedy = missing.and(feature.remedy).unwrap_or("");
        let cells = [
            Field::new(feature.name),
            state(missing, feature.remedy),
            Field::new(found),
            Field::new(feature.purpose),
            Field::new(remedy),
        ];
        table.add_row(cells);
    }
    table.trim_fmt()
}

fn machine(machine: &Machine) -> String {
    let line = |Finding { name, found, noise }: Finding| match noise {
        None => format!("{name:<10} {found}"),
        Some(noise) => format!("{name:<10} {found}: {noise}"),
    };
    let lines = findings(machine).into_iter().map(line).collect::<Vec<_>>();
    format!("What bears on timings\n{}", lines.join("\n"))
}

/// One thing of the machine's that bears on timings.
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) found: String,
    /// Why it makes timings noisy, and how to fix it; `None` if it does not.
    pub(super) noise: Option<String>,
}

/// What bears on timings; what cannot be read is absent.
pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    let cores = &machine.cores;
    let (all, physical, undisturbed) = (cores.numbers().len(), cores.physical().get(), cores.undisturbed().get());
    let finding = |name, found: String, noise: Option<String>| Finding { name, found, noise };
    let mut findings = vec![finding(
        "cores",
        physical.to_string(),
        (undisturbed < physical)
            .then(|| format!("a control group's quota allows the time of {undisturbed}; more --jobs are held up")),
    )];
    let shared = all > physical;
    let threads = if shared { format!("on, {all} threads") } else { "off, or not used here".to_owned() };
    let apart = || format!("two programs on one core slow each other down; --jobs {undisturbed} is the default");
    findings.push(finding("SMT", threads, shared.then(apart)));
    if !machine.governors.is_empty() {
        let slow = machine.governors.iter().any(|governor| governor != "performance");
        let noise = slow.then(|| "speed changes with the load; sudo cpupower frequency-set -g performance".to_owned());
        findings.push(finding("governor", machine.governors.join(", "), noise));
    }
    if let Some(load) = machine.load {
        #[expect(clippy::cast_precision_loss, reason = "a machine has far fewer than 2^53 cores")]
        let busy = load > physical as f64 * BUSY;
        let noise = busy.then(|| "other programs are running; end them, or take fewer --jobs".to_owned());
        findings.push(finding("load", format!("{load:.2}"), noise));
    }
    if let Some(swap) = machine.swap {
        let noise = "what is swapped out is slow without using CPU time; sudo swapoff -a";
        findings.push(finding("swap", Bytes(swap).to_string(), (swap > 0).then(|| noise.to_owned())));
    }
    findings
}
