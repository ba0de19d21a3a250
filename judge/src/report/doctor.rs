//! What the sandbox can do on this machine, and what makes timings noisy.

use super::Style;
use super::style::Paint;
use super::table::{Align, grid, painted};
use crate::model::Bytes;
use comfy_table::Cell;
use judge_sandbox::{Machine, Survey};

/// Returns the survey as text: the tiers, what they are made of, and the machine.
#[must_use]
pub fn doctor_text(survey: &Survey, style: Style) -> String {
    [tiers(survey, style), gaps(survey), features(survey, style), machine(&survey.machine)].join("\n\n")
}

fn state(missing: Option<&str>) -> Cell {
    match missing {
        None => painted("ok", Paint::Good),
        Some(_) => painted("missing", Paint::Bad),
    }
}

fn tiers(survey: &Survey, style: Style) -> String {
    let columns = [("tier", Align::Left), ("", Align::Left), ("why", Align::Left), ("how to get it", Align::Left)];
    let mut table = grid(&columns, style);
    for tier in &survey.tiers {
        let missing = tier.missing.as_deref();
        table.add_row([
            Cell::new(tier.tier),
            state(missing),
            Cell::new(missing.unwrap_or("")),
            Cell::new(tier.remedy.unwrap_or("")),
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
        let cells =
            [Cell::new(feature.name), state(missing), Cell::new(found), Cell::new(feature.purpose), Cell::new(remedy)];
        table.add_row(cells);
    }
    table.trim_fmt()
}

/// A load above the number of cores means that programs wait for one.
fn machine(machine: &Machine) -> String {
    let mut lines = vec![format!("cores      {}", machine.cores)];
    if let Some(physical) = machine.physical_cores {
        let shared = if physical < machine.cores { ": two jobs on one core disturb each other" } else { "" };
        lines.push(format!("physical   {physical}{shared}"));
    }
    if !machine.governors.is_empty() {
        let slow = machine.governors.iter().any(|governor| governor == "powersave");
        let hint = if slow { ": short runs are slow; sudo cpupower frequency-set -g performance" } else { "" };
        lines.push(format!("governor   {}{hint}", machine.governors.join(", ")));
    }
    if let Some(load) = machine.load {
        #[expect(clippy::cast_precision_loss, reason = "a machine has far fewer than 2^53 cores")]
        let busy =
            if load > machine.cores as f64 * 0.5 { ": other programs are running, timings are noisy" } else { "" };
        lines.push(format!("load       {load:.2}{busy}"));
    }
    if let Some(swap) = machine.swap {
        let hint = if swap > 0 { ": what is swapped out is slow without using CPU time; sudo swapoff -a" } else { "" };
        lines.push(format!("swap       {}{hint}", Bytes(swap)));
    }
    lines.join("\n")
}
