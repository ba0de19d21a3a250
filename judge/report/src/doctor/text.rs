//! The capabilities of the sandbox on this machine, and the sources of noise in timings, as text.

use super::findings::{Finding, findings};
use crate::text::column::{Field, left, painted, whole};
use crate::text::layout::paragraph;
use crate::text::style::{Paint, Style};
use crate::text::table::grid;
use judge_sandbox::{FeatureState, GAP_OF_EVERY_TIER, Gap, Machine, Survey};

/// The width of a line where nothing is known of it.
const LOG_WIDTH: usize = 80;

/// Returns the survey as text: the tiers, their features, and the machine.
#[must_use]
pub fn doctor_text(survey: &Survey, style: Style) -> String {
    // Sentences break between words in a log too.
    let style = style.with_width(style.width().unwrap_or(LOG_WIDTH));
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
    let columns = [whole("tier"), whole("state"), left("why").wrapped()];
    let mut table = grid(columns, style);
    for tier in &survey.tiers {
        let missing = tier.missing.as_deref();
        table.add_row([
            Field::new(tier.tier),
            state(missing, tier.remedy.as_deref()),
            Field::new(missing.unwrap_or("")),
        ]);
    }
    let hints = survey.tiers.iter().filter(|tier| tier.missing.is_some());
    let hints = hints.filter_map(|tier| Some(hint(tier.tier.name(), tier.remedy.as_deref()?)));
    let chosen = survey.tiers.iter().find(|tier| tier.missing.is_none());
    let chosen = chosen.map_or_else(
        || "no isolation mechanism is available: only --unsafe runs programs".to_owned(),
        |tier| format!("the judge uses the tier `{}` here", tier.tier),
    );
    [table.text()].into_iter().chain(hints).chain([chosen]).collect::<Vec<_>>().join("\n")
}

fn gaps(survey: &Survey, style: Style) -> String {
    let of_tier = |tier: &judge_sandbox::TierReport| {
        let line = |gap: &Gap| paragraph("  ", &format!("{}: {}", gap.what, gap.meaning), style.width());
        let gaps = tier.gaps.iter().map(line).collect::<Vec<_>>();
        let none = "  no others known".to_owned();
        format!("{}\n{}", tier.tier, if gaps.is_empty() { none } else { gaps.join("\n") })
    };
    let works = survey.tiers.iter().filter(|tier| tier.missing.is_none());
    let of_all = format!("every tier\n{}", paragraph("  ", GAP_OF_EVERY_TIER, style.width()));
    format!("Gaps of each tier\n{}", [of_all].into_iter().chain(works.map(of_tier)).collect::<Vec<_>>().join("\n"))
}

fn features(survey: &Survey, style: Style) -> String {
    let columns = [whole("feature"), whole("state"), left("found").wrapped(), left("for").wrapped()];
    let mut table = grid(columns, style);
    for feature in &survey.features {
        let (found, missing) = match &feature.state {
            FeatureState::Works(found) => (found, None),
            FeatureState::Missing(why) => (why, Some(&**why)),
        };
        let cells =
            [Field::new(feature.name), state(missing, feature.remedy), Field::new(found), Field::new(feature.purpose)];
        table.add_row(cells);
    }
    let missing = survey.features.iter().filter(|feature| matches!(feature.state, FeatureState::Missing(_)));
    let hints = missing.filter_map(|feature| Some(hint(feature.name, feature.remedy?)));
    [table.text()].into_iter().chain(hints).collect::<Vec<_>>().join("\n")
}

/// Returns how to get what is missing: no line is broken, so that a command can be copied.
fn hint(name: &str, remedy: &str) -> String {
    format!("hint: {name}: {remedy}")
}

fn machine(machine: &Machine, style: Style) -> String {
    let line = |Finding { name, found, noise }: Finding| match noise {
        None => format!("{name:<10} {found}"),
        Some(noise) => paragraph(&format!("{name:<10} "), &format!("{found}: {noise}"), style.width()),
    };
    let lines = findings(machine).into_iter().map(line).collect::<Vec<_>>();
    format!("Sources of noise in timings\n{}", lines.join("\n"))
}
