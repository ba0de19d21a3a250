//! The catalogue that is part of the program, and the schema of all catalogues.

/// The text of the project's own `problems.toml`.
pub const BUILT_IN: &str = include_str!("problems.toml");

/// The JSON schema of `problems.toml`, for editors. What it cannot say, such as units and known names, the catalogue
/// checks itself.
pub const CATALOGUE_SCHEMA: &str = include_str!("problems.schema.json");

/// The text of the built-in languages.
pub(super) const BUILT_IN_LANGUAGES: &str = include_str!("languages.toml");
