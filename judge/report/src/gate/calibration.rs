//! The report of `judge gate --calibrate`: the falls that a gate notices, and the effort to notice smaller ones.

use crate::formats::Report;
use crate::gate::report::case_flags;
use crate::text::{Document, Sheet, Style, TextTable, paragraphs, rounded};
use judge_compare::gate::{BaselineFile, Calibration, Design, POWER};
use judge_problem::{CaseFlags, CaseSource, one_line, quote};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;
use std::path::Path;

const TITLES: [&str; 4] = ["cases", "baseline --repeat", "gate --repeat", "notices a fall of"];

/// The report of a calibration.
#[derive(Debug)]
pub struct CalibrationReport<'a> {
    /// The spread of the baseline.
    pub calibration: Calibration,
    /// The fall that is to be noticed, as a share of the total.
    pub sensitivity: Option<f64>,
    /// The baseline file.
    pub file: &'a Path,
    /// Its content.
    pub record: &'a BaselineFile,
    /// The solver, as it was named.
    pub solver: &'a str,
    /// The flags of this command that every case depends on.
    pub case_flags: CaseFlags,
    /// The flag `--alpha` with its value, if it was given.
    pub alpha_flag: String,
}

impl CalibrationReport<'_> {
    fn headline(&self) -> String {
        let Calibration { cases, recorded, spread, .. } = self.calibration;
        format!("{cases} cases, {recorded} recorded runs: the total of a run varies by {}", percent(spread))
    }

    fn terms(&self) -> String {
        format!("noticed with a probability of {POWER}, false alarms with one of {}", self.calibration.alpha)
    }

    /// The ways to notice the wanted fall: more cases, or more runs of the same cases.
    fn recommended(&self) -> Vec<(&'static str, Option<Design>)> {
        let more = |fall| [("cases", self.calibration.more_cases(fall)), ("runs", self.calibration.more_runs(fall))];
        self.sensitivity.map(more).into_iter().flatten().collect()
    }

    /// The recommendations as sentences, with their commands.
    fn advice(&self) -> Vec<String> {
        let fall = percent(self.sensitivity.unwrap_or_default());
        let line = |(what, design): (&str, Option<Design>)| match (what, design) {
            (_, None) => format!("a fall of {fall} needs more than a million {what}"),
            ("cases", Some(design)) => {
                let command = if self.has_generator() { format!(": {}", self.record(&design)) } else { String::new() };
                format!("{fall} by cases: {} as noisy cases, run once{command}", design.cases)
            }
            (_, Some(design)) => format!(
                "{fall} by runs: {} runs of these cases: {}; {}",
                design.repeat,
                self.record(&design),
                self.gate(&design)
            ),
        };
        self.recommended().into_iter().map(line).collect()
    }

    /// Whether a generator made cases of the baseline, and can make more.
    fn has_generator(&self) -> bool {
        self.record.sources.values().any(|source| !matches!(source, CaseSource::File(_)))
    }

    fn record(&self, design: &Design) -> String {
        let are_its_own = design.cases == self.calibration.cases;
        let cases =
            if are_its_own { case_flags(self.record, self.file) } else { format!(" --seeds 1-{}", design.cases) };
        let (solver, file) = (quote(self.solver), quote(&self.file.to_string_lossy()));
        let (problem, flags) = (&self.record.baseline.problem, self.case_flags.suffix());
        format!("judge baseline -p {problem} -s {solver}{cases} --repeat {} --output {file}{flags}", design.recorded)
    }

    fn gate(&self, design: &Design) -> String {
        let (solver, file) = (quote(self.solver), quote(&self.file.to_string_lossy()));
        let flags = self.case_flags.suffix();
        format!("judge gate --baseline {file} -s {solver} --repeat {}{}{flags}", design.repeat, self.alpha_flag)
    }

    fn design_rows(&self, share: impl Fn(f64) -> String) -> Vec<Vec<String>> {
        let row = |design: Design| {
            let Design { cases, recorded, repeat, detectable } = design;
            vec![cases.to_string(), recorded.to_string(), repeat.to_string(), share(detectable)]
        };
        let recommended = self.recommended().into_iter().filter_map(|(_, design)| design);
        self.calibration.table().into_iter().chain(recommended).map(row).collect()
    }
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct CalibrationDocument {
    schema: u32,
    cases: u32,
    recorded: u32,
    /// The standard deviation of the total of one run of each case, as a share of the total.
    spread: f64,
    alpha: f64,
    power: f64,
    designs: Vec<Design>,
    /// The fewest cases of one run that notice a fall of the wanted sensitivity.
    by_cases: Option<Design>,
    /// The fewest runs of the same cases that notice it.
    by_runs: Option<Design>,
}

impl Document for CalibrationReport<'_> {
    fn record(&self) -> impl Serialize {
        let Calibration { cases, recorded, spread, alpha, .. } = self.calibration;
        let wanted = self.sensitivity;
        CalibrationDocument {
            schema: 1,
            cases,
            recorded,
            spread,
            alpha,
            power: POWER,
            designs: self.calibration.table(),
            by_cases: wanted.and_then(|fall| self.calibration.more_cases(fall)),
            by_runs: wanted.and_then(|fall| self.calibration.more_runs(fall)),
        }
    }
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    // A small share has two digits.
    if percent == 0.0 || percent >= 0.1 {
        format!("{percent:.1} %")
    } else {
        format!("{} %", rounded(percent, percent))
    }
}

impl Report for CalibrationReport<'_> {
    const NAME: &'static str = "a calibration";

    fn text(&self, style: Style) -> String {
        let table = TextTable::new(&TITLES, 0, self.design_rows(percent)).text(style);
        let advice: Vec<String> = self.advice().iter().map(|line| one_line(line).into_owned()).collect();
        paragraphs(vec![format!("{}\n{}", self.headline(), self.terms()), table, advice.join("\n")])
    }

    fn rows(&self) -> Option<TextTable> {
        Some(TextTable::new(
            &["cases", "recorded", "repeat", "detectable"],
            0,
            self.design_rows(|share| share.to_string()),
        ))
    }

    fn sheet(&self) -> Option<Sheet> {
        let lines = std::iter::once(self.terms()).chain(self.advice());
        let table = TextTable::new(&TITLES, 0, self.design_rows(percent));
        Some(Sheet::new(self.headline(), lines, [("What gates notice", table)]))
    }
}
