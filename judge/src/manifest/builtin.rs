//! The catalogue that is part of the program.

/// The text of the project's own `problems.toml`.
pub const BUILT_IN: &str = include_str!("../../../problems.toml");
