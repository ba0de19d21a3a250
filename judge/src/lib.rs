//! The program `judge`: parses the command line, plays the subcommand, and ends with its exit code.

pub mod commands;
