//! Reads the `[engine.slurm]` table of a catalogue.

use super::section::Section;
use crate::model::SlurmTable;
use std::path::Path;

/// Reads the table; relative paths in it start from `folder`.
pub(super) fn read(root: &Section<'_>, folder: &Path) -> SlurmTable {
    let Some(engines) = root.section("engine", "[engine.slurm]") else { return SlurmTable::default() };
    let table = engines.section("slurm", "[engine.slurm]").map(|section| {
        let sbatch = section.text("sbatch").and_then(|text| match shell_words::split(text.value) {
            Ok(words) => Some(words),
            Err(error) => {
                section.complain(
                    text.span,
                    format!("bad value of `sbatch` in [engine.slurm]: {error}"),
                    "close the quotes",
                );
                None
            }
        });
        let table = SlurmTable {
            workdir: section.text("workdir").map(|text| folder.join(text.value)),
            sbatch: sbatch.unwrap_or_default(),
            constraint: section.text("constraint").map(|text| text.value.to_owned()),
            retries: section.integer("retries", "a number of retries, such as 2").map(|retries| retries.value),
            submit_wait: section.parsed("submit-wait").map(|wait| wait.value),
        };
        section.finish();
        table
    });
    engines.finish();
    table.unwrap_or_default()
}
