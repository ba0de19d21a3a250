//! The whole output of the judge, as users see it: every help page, the main tables, the messages. Times, paths and
//! versions are redacted.
//!
//! `SNAPSHOTS=overwrite cargo test -p judge --test reports snapshots` writes the files below this folder again: one for
//! each command, so that a failure names the command.

mod messages;
mod tables;
mod transcript;

use clap::CommandFactory;
use transcript::Transcript;

/// The words that lead to each subcommand, the shorter ones first.
fn subcommands(command: &clap::Command, words: &[String], found: &mut Vec<Vec<String>>) {
    found.push(words.to_vec());
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        subcommands(inner, &[words, &[inner.get_name().to_owned()]].concat(), found);
    }
}

#[test]
fn every_help_page_reads_as_before() {
    let mut pages = Vec::new();
    let mut grammar = judge_cli::Cli::command();
    grammar.build();
    subcommands(&grammar, &[], &mut pages);
    assert!(pages.len() > 20, "{pages:?}");
    let mut transcript = Transcript::new();
    for words in pages {
        let arguments = [words, vec!["--help".to_owned()]].concat();
        transcript.judge(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    }
    transcript.assert_reads_as_before("help");
}

#[test]
fn the_main_tables_read_as_before() {
    tables::tables().assert_reads_as_before("tables");
}

#[test]
fn the_messages_read_as_before() {
    messages::messages().assert_reads_as_before("messages");
}
