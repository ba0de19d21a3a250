//! The command line of this process or of a recorded run, and the parts of it that another command repeats.

use crate::cli::{BuildArgs, Cli, LimitArgs, SandboxArgs};
use crate::model::quote;
use clap::parser::ValueSource;
use clap::{Args, Command, CommandFactory};

/// Returns the words of this process's command line, without its program.
pub(crate) fn words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the words of a recorded command line, without its program; none if they cannot be told apart.
pub(crate) fn recorded_words(command: &str) -> Vec<String> {
    shell_words::split(command).unwrap_or_default().into_iter().skip(1).collect()
}

/// Returns the command line of this process, quoted for a shell.
pub(crate) fn whole() -> String {
    quoted(words().into_iter())
}

/// Returns the command line of this process, quoted for a shell, without this flag.
pub(crate) fn without(flag: &str) -> String {
    quoted(words().into_iter().filter(|word| word != flag))
}

fn quoted(words: impl Iterator<Item = String>) -> String {
    std::iter::once("judge".to_owned()).chain(words).map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
}

/// Returns the flags in a command line that every case depends on, with their values as they were written: the limits,
/// the languages, the sandbox and the catalogue.
pub(crate) fn case_flags(words: &[String]) -> Vec<String> {
    let program = std::iter::once("judge".to_owned());
    let grammar = Cli::command();
    let Ok(matches) = grammar.clone().try_get_matches_from(program.chain(words.iter().cloned())) else {
        return Vec::new();
    };
    let Some((_, given)) = matches.subcommand() else { return Vec::new() };
    let of_cases = BuildArgs::augment_args(LimitArgs::augment_args(Command::new("judge")));
    let of_cases = SandboxArgs::augment_args(of_cases);
    let global = grammar.get_arguments().filter(|arg| arg.is_global_set());
    let mut flags = Vec::new();
    for arg in of_cases.get_arguments().chain(global) {
        let id = arg.get_id().as_str();
        let is_given =
            matches!(given.try_get_raw(id), Ok(Some(_))) && given.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given {
            continue;
        }
        let Some(long) = arg.get_long() else { continue };
        let flag = format!("--{long}");
        if arg.get_action().takes_values() {
            let values = given.get_raw(id).into_iter().flatten();
            flags.extend(values.flat_map(|value| [flag.clone(), value.to_string_lossy().into_owned()]));
        } else {
            flags.push(flag);
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_of_a_case_are_those_of_limits_sandbox_and_catalogue() {
        let command = "judge run --problems p.toml -p columns -s './bot --cpu 3s' --seeds 1-9 --cpu=2s --memory 64MiB --unsafe \
                       --env 'A=1 2' --env B=2 --dir data:rw --jobs 2 --fail-fast --output-limit 1MB --wall 3s --json -";
        let flags = case_flags(&recorded_words(command));
        let expected = "--cpu 2s --wall 3s --memory 64MiB --output-limit 1MB --unsafe --dir data:rw --env 'A=1 2' --env B=2 \
                        --problems p.toml";
        assert_eq!(flags, shell_words::split(expected).unwrap());
    }

    #[test]
    fn a_command_without_such_flags_has_none() {
        assert!(case_flags(&recorded_words("judge run -p columns --json -")).is_empty());
        assert!(case_flags(&recorded_words("judge no-such-command --cpu 1s")).is_empty());
        assert!(case_flags(&recorded_words("")).is_empty());
    }
}
