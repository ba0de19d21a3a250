//! The judge's report on a program, in the corpus's words.

use crate::expect::{Demand, Figure, Row};
use crate::pace::{at_most, in_time};
use serde_json::Value;

/// The report of `judge exec --json`.
pub(crate) struct Outcome(Value);

impl Outcome {
    /// Reads a report. `Err` says why a text is not a report.
    pub(crate) fn read(json: &str) -> Result<Outcome, String> {
        serde_json::from_str(json).map(Outcome).map_err(|error| format!("no report: {error}: {json}"))
    }

    /// The verdict as the table has it.
    pub(crate) fn verdict(&self) -> Result<&'static str, String> {
        let verdicts = [
            ("ok", "OK"),
            ("runtime-error", "RE"),
            ("time-limit", "TLE"),
            ("wall-limit", "ILE"),
            ("memory-limit", "MLE"),
            ("output-limit", "OLE"),
            ("process-limit", "PLE"),
        ];
        let found = verdicts.iter().find(|(name, _)| self.0["verdict"] == *name);
        found.map(|(_, code)| *code).ok_or_else(|| format!("no verdict on a program: {}", self.told()))
    }

    /// The report in a few words.
    fn told(&self) -> String {
        let known = ["verdict", "note", "exit_code", "signal", "cpu_ms", "wall_ms", "run_delay_ms", "memory_bytes"];
        let fields = known.iter().filter(|key| !self.0[**key].is_null());
        fields.map(|key| format!("{key} {}", self.0[*key])).collect::<Vec<_>>().join(", ")
    }

    fn figure(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Code => self.0["exit_code"].as_f64(),
            Figure::Signal => self.0["signal"].as_f64(),
            Figure::Peak => Some(self.0["memory_bytes"].as_f64()? / 1_048_576.0),
            Figure::Cpu => self.0["cpu_ms"].as_f64(),
            Figure::Wall => self.0["wall_ms"].as_f64(),
        }
    }

    /// Compares the report with a row of the table. A difference that a busy machine can explain counts as late.
    pub(crate) fn hold_to(&self, row: &Row) -> Result<(), String> {
        let verdict = self.verdict()?;
        if !row.allowed.iter().any(|allowed| allowed == verdict) {
            let why = || format!("{verdict} is not one of {:?}: {}", row.allowed, self.told());
            in_time(verdict != "ILE", why);
            return Err(why());
        }
        for demand in &row.demands {
            let (figure, holds) = match *demand {
                Demand::AtLeast(figure, least) => (figure, self.figure(figure).is_some_and(|value| value >= least)),
                Demand::Exactly(figure, exact) => (figure, self.figure(figure) == Some(exact)),
                Demand::AtMost(figure @ (Figure::Cpu | Figure::Wall), most) => {
                    let most = at_most(most as u64) as f64;
                    let value = self.figure(figure).ok_or("no figure")?;
                    in_time(value <= most, || format!("{figure:?} is more than {most}: {}", self.told()));
                    continue;
                }
                Demand::AtMost(figure, most) => (figure, self.figure(figure).is_some_and(|value| value <= most)),
                _ => continue,
            };
            if !holds {
                return Err(format!("{figure:?} is not as demanded, {demand:?}: {}", self.told()));
            }
        }
        Ok(())
    }
}
