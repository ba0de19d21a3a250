//! CSV (RFC 4180, but with plain newlines), with nothing in it that a spreadsheet obeys.

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

/// Words of others: as one line with everything hidden escaped, and marked as text where a spreadsheet would take them for a formula.
pub(in crate::report) fn words(text: &str) -> String {
    let shown = one_line(text);
    let is_formula = shown.starts_with(['=', '+', '-', '@']) && shown.parse::<f64>().is_err();
    if is_formula { format!("'{shown}") } else { shown.into_owned() }
}
