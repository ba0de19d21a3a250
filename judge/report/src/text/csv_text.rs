//! CSV (RFC 4180, with plain newlines), without formulas that a spreadsheet obeys.

use super::sheet::TextTable;
use judge_problem::one_line;
use std::io::Write;

/// Writes a table as CSV.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn table_csv(table: &TextTable, output: &mut dyn Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(table.titles.iter().map(|title| words(title)))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|field| words(field)))?;
    }
    Ok(writer.flush()?)
}

/// Returns foreign text in one line, with hidden characters escaped, and marked as text if a spreadsheet would read a formula.
pub(crate) fn words(text: &str) -> String {
    let shown = one_line(text);
    let is_formula = shown.starts_with(['=', '+', '-', '@']) && shown.parse::<f64>().is_err();
    if is_formula { format!("'{shown}") } else { shown.into_owned() }
}
