//! The figures of a row, and those that are the same in every row.

use crate::run::report::RunReport;
use crate::text::figures::{memory, milliseconds};
use crate::text::sheet::NOTHING;
use judge_problem::{JobId, Outcome};

/// The figures of a case: score, points, weight, group, CPU time, wall time and memory.
pub(super) const FIGURES: [&str; 7] = ["score", "points", "weight", "group", "CPU", "wall", "memory"];

/// The figures that have a column even if they are the same in every row.
const ALWAYS: [&str; 1] = ["score"];

/// Which figures have a column.
pub(super) struct Figures {
    /// Each figure that is the same in every row, and so needs no column.
    same: [Option<String>; FIGURES.len()],
    /// Whether noisy timings are marked: not if most are.
    pub(super) show_noise: bool,
}

impl Figures {
    pub(super) fn of(report: &RunReport<'_>) -> Self {
        let mut rows = report.played();
        let Some((job, outcome)) = rows.next() else {
            return Self { same: Default::default(), show_noise: false };
        };
        let first = |place| figure(report, place, job, &outcome);
        let mut same: [Option<String>; FIGURES.len()] =
            std::array::from_fn(|place| (!ALWAYS.contains(&FIGURES[place])).then(|| first(place)));
        let mut is_single = true;
        for (job, outcome) in rows {
            is_single = false;
            for (place, known) in same.iter_mut().enumerate() {
                if known.as_ref().is_some_and(|known| figure(report, place, job, &outcome) != *known) {
                    *known = None;
                }
            }
        }
        if is_single {
            // A single row has no constant columns, only unknown figures.
            same.iter_mut().for_each(|known| *known = known.take().filter(|known| known == NOTHING));
        }
        Self { same, show_noise: !report.is_mostly_noisy() }
    }

    /// Returns each figure that is the same in every row.
    pub(super) fn constants(&self) -> &[Option<String>; FIGURES.len()] {
        &self.same
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..FIGURES.len()).filter(|&place| self.same[place].is_none())
    }

    /// Returns the titles of the columns.
    pub(super) fn titles(&self) -> Vec<&'static str> {
        self.shown().map(|place| FIGURES[place]).collect()
    }

    /// Returns the figures of a row, a column each.
    pub(super) fn of_row(&self, report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Vec<String> {
        self.shown().map(|place| figure(report, place, job, outcome)).collect()
    }
}

/// Returns a figure of a job, by its place among [`FIGURES`].
fn figure(report: &RunReport<'_>, place: usize, job: JobId, outcome: &Outcome) -> String {
    let known = match place {
        0 => outcome.score.as_ref().map(ToString::to_string),
        1 => report.points(job),
        2 => Some(report.weight(job.case)),
        3 => report.plan.test_group_name(job.case).map(str::to_owned),
        4 => outcome.cpu.map(milliseconds),
        5 => outcome.wall.map(milliseconds),
        _ => outcome.memory.map(memory),
    };
    known.unwrap_or_else(|| NOTHING.to_owned())
}
