//! `judge schema`: the JSON schemas of the reports and of the catalogue.

use clap::ValueEnum;
use judge_cli::SchemaOf;
use judge_problem::Exit;
use judge_problem::manifest::CATALOGUE_SCHEMA;
use judge_report::SCHEMAS;
use judge_session::failure::Failure;

/// Prints a JSON schema.
pub(super) fn schema(of: SchemaOf) -> Result<Exit, Failure> {
    let value = of.to_possible_value();
    let is_wanted = |name: &str| value.as_ref().is_some_and(|value| value.get_name() == name);
    let text = match SCHEMAS.iter().find(|(name, _)| is_wanted(name)) {
        Some((_, schema)) => serde_json::to_string_pretty(&schema()).map_err(Failure::fault)?,
        // The only one that is no report.
        None => CATALOGUE_SCHEMA.to_owned(),
    };
    judge_report::print(&text)?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_has_a_schema() {
        let names: Vec<_> = SchemaOf::value_variants().iter().filter_map(SchemaOf::to_possible_value).collect();
        let without: Vec<_> =
            names.iter().map(|name| name.get_name()).filter(|name| !SCHEMAS.iter().any(|(of, _)| of == name)).collect();
        assert_eq!(without, ["problems"]);
        assert_eq!(names.len(), SCHEMAS.len() + 1);
    }
}
