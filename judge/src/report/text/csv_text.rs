//! CSV (RFC 4180, with plain newlines), without formulas that a spreadsheet obeys.

use super::sheet::TextTable;
use crate::model::one_line;

/// Returns a table as CSV.
///
/// # Errors
/// Never: every row has a field for every column.
pub(in crate::report) fn table_csv(table: &TextTable) -> csv::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.titles.iter().map(|title| words(title)))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|field| words(field)))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Returns foreign text in one line, with hidden characters escaped, and marked as text if a spreadsheet would read a formula.
pub(in crate::report) fn words(text: &str) -> String {
    let shown = one_line(text);
    let is_formula = shown.starts_with(['=', '+', '-', '@']) && shown.parse::<f64>().is_err();
    if is_formula { format!("'{shown}") } else { shown.into_owned() }
}
