//! The command line of this process or of a recorded run, and the parts of it that another command repeats.

use crate::running;
use clap::parser::ValueSource;
use clap::{Arg, Args, Command, CommandFactory, Parser};
use judge_cli::{Cli, ConditionArgs, LimitArgs, ReportArgs, RunArgs};
use judge_problem::{
    Bytes, CaseFlags, Limits, Shard, Time, quote, quote_words, split_words, with_flags, without_flags,
};
use std::path::Path;

/// The flag of every subcommand that names the catalogue.
const CATALOGUE: &str = "problems";

/// The flag of every subcommand that names the journal.
const JOURNAL: &str = "journal";

/// Returns the words of this process's command line, without its program.
pub fn words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the words of a recorded command line, without its program; none if it cannot be split into words.
pub(crate) fn recorded_words(command: &str) -> Vec<String> {
    split_words(command).unwrap_or_default().into_iter().skip(1).collect()
}

/// Returns the arguments of a recorded command, if it is one of `judge run`.
pub fn recorded_run(command: &str) -> Option<Box<RunArgs>> {
    let words = std::iter::once("judge".to_owned()).chain(recorded_words(command));
    match Cli::try_parse_from(words).ok()?.command {
        judge_cli::Command::Run(args) => Some(args.into_inner()),
        _ => None,
    }
}

/// Returns the command line of this process, quoted for a shell.
pub(crate) fn whole() -> String {
    quoted(words())
}

/// Returns the command line of this process in its recorded form: without its journal and `--resume`, and with the shard
/// that it played and the language from a request to this process.
pub(crate) fn recorded(shard: Option<Shard>, language: Option<&str>) -> String {
    let language = language.into_iter().flat_map(|language| ["--language".to_owned(), language.to_owned()]);
    let words = without_flags(with_flags(words(), language), &["--resume"], &["--journal", "--shard"]);
    quoted(with_flags(words, shard_flag(shard)))
}

fn shard_flag(shard: Option<Shard>) -> impl Iterator<Item = String> {
    shard.into_iter().flat_map(|shard| ["--shard".to_owned(), shard.to_string()])
}

/// Returns a recorded command as the one that plays a shard of it, recorded in a file. Its reports are left out: the
/// shards would overwrite each other's.
pub fn of_shard(command: &str, shard: Option<Shard>, file: &Path) -> String {
    let words = without_reports(command, &["--journal", "--shard"]);
    let journal = ["--journal".to_owned(), file.to_string_lossy().into_owned()];
    quoted(with_flags(words, shard_flag(shard).chain(journal)))
}

/// Returns the words of the command that continues a recorded run, without the catalogue and the journal. The command
/// writes no file. `None` if the run is not of `judge run`.
pub fn resumed(command: &str) -> Option<Vec<String>> {
    recorded_run(command)?;
    let words = without_reports(command, &["--journal", "--problems", "--save-answers", "--transcript"]);
    Some(with_flags(words, ["--resume".to_owned()]))
}

/// Returns the words of a recorded command without its reports, its feedback and these flags.
fn without_reports(command: &str, valued: &[&str]) -> Vec<String> {
    let reports: Vec<_> = ReportArgs::flags().iter().map(|flag| format!("--{flag}")).collect();
    let reports = reports.iter().map(|report| &**report).chain(["--feedback"]);
    let valued: Vec<&str> = reports.chain(valued.iter().copied()).collect();
    without_flags(recorded_words(command), &["--resume"], &valued)
}

/// Returns the command line of this process, quoted for a shell, with this flag once.
pub fn with_flag(flag: &str) -> String {
    quoted(with_flags(without_flags(words(), &[flag], &[]), [flag.to_owned()]))
}

/// Returns a recorded command with this flag once.
pub fn recorded_with_flag(command: &str, flag: &str) -> String {
    quoted(with_flags(without_flags(recorded_words(command), &[flag], &[]), [flag.to_owned()]))
}

/// Returns the flags that give another command the catalogue and the journal of this process.
pub fn places() -> Vec<String> {
    let grammar = Cli::command();
    let places = grammar.get_arguments().filter(|arg| [CATALOGUE, JOURNAL].contains(&arg.get_id().as_str()));
    given_flags(&grammar, &words(), places)
}

/// Returns a command with the catalogue and the journal of this process.
pub fn at_places(command: &str) -> String {
    places().iter().fold(command.to_owned(), |command, word| format!("{command} {}", quote(word)))
}

fn quoted(words: Vec<String>) -> String {
    quote_words(std::iter::once("judge".to_owned()).chain(words))
}

/// Returns the flags in this process's command line that every case depends on.
pub fn case_flags() -> CaseFlags {
    CaseFlags::found_by(|| find_case_flags(&words()))
}

/// Returns the flags in a recorded command line that every case depends on. They name the catalogue of this process,
/// because the recorded path starts from the folder of the run.
pub fn recorded_case_flags(command: &str) -> CaseFlags {
    let command = command.to_owned();
    CaseFlags::found_by(move || {
        let (flag, own) = (format!("--{CATALOGUE}"), find_case_flags(&words()));
        let mut flags = find_case_flags(&without_flags(recorded_words(&command), &[], &[&flag]));
        let place = own.iter().position(|word| *word == flag);
        flags.extend(place.into_iter().flat_map(|place| own[place..].iter().take(2).cloned()));
        flags
    })
}

/// Returns these flags with other limits: flags for `limits`, as far as they differ from the problem's `own`, replace the
/// given ones.
pub fn with_limits(flags: &CaseFlags, own: &Limits, limits: &Limits) -> CaseFlags {
    let (flags, of_limits) = (flags.clone(), limit_flags(own, limits));
    CaseFlags::found_by(move || [of_limits, without_flags(flags.words().to_vec(), &[], &LIMITS)].concat())
}

/// The flags of the limits.
const LIMITS: [&str; 5] = ["--cpu", "--wall", "--memory", "--output-limit", "--processes"];

/// Returns the flags that replace a problem's own limits by these.
fn limit_flags(own: &Limits, limits: &Limits) -> Vec<String> {
    let cpu = (limits.cpu != own.cpu).then_some(limits.cpu);
    let wall = running::limits(own, &LimitArgs { cpu, ..LimitArgs::default() }).wall;
    let values = [
        cpu.map(exact_time),
        (limits.wall != wall).then(|| exact_time(limits.wall)),
        (limits.memory != own.memory).then(|| exact_size(limits.memory)),
        (limits.output != own.output).then(|| exact_size(limits.output)),
        (limits.processes != own.processes).then(|| limits.processes.to_string()),
    ];
    LIMITS.into_iter().zip(values).filter_map(|(flag, value)| Some([flag.to_owned(), value?])).flatten().collect()
}

/// Returns a time that is read as exactly this one.
fn exact_time(time: Time) -> String {
    let (text, nanoseconds) = (time.to_string(), time.0.as_nanos());
    let in_least = || format!("{}.{:03}us", nanoseconds / 1000, nanoseconds % 1000);
    if text.parse() == Ok(time) { text } else { in_least() }
}

/// Returns a size that is read as exactly this one.
fn exact_size(size: Bytes) -> String {
    let text = size.to_string().replace(' ', "");
    if text.parse() == Ok(size) { text } else { format!("{}B", size.0) }
}

/// Returns the flags in a command line that every case depends on, with their values as they were written: the limits,
/// the languages, the sandbox and the catalogue.
fn find_case_flags(words: &[String]) -> Vec<String> {
    let (of_cases, grammar) = (ConditionArgs::augment_args(Command::new("judge")), Cli::command());
    let global = grammar.get_arguments().filter(|arg| arg.get_id() == CATALOGUE);
    given_flags(&grammar, words, of_cases.get_arguments().chain(global))
}

/// Returns the flags of these arguments in a command line of this grammar, with their values as they were written.
fn given_flags<'a>(grammar: &Command, words: &[String], args: impl Iterator<Item = &'a Arg>) -> Vec<String> {
    let program = std::iter::once("judge".to_owned());
    let Ok(matches) = grammar.clone().try_get_matches_from(program.chain(words.iter().cloned())) else {
        return Vec::new();
    };
    let Some((_, given)) = matches.subcommand() else { return Vec::new() };
    let mut flags = Vec::new();
    for arg in args {
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
    use std::time::Duration;

    #[test]
    fn the_flags_of_a_case_are_those_of_limits_sandbox_and_catalogue() {
        let command = "judge run --problems p.toml -p columns -s './bot --cpu 3s' --seeds 1-9 --cpu=2s --memory 64MiB --unsafe \
                       --env 'A=1 2' --env B=2 --dir data:rw --jobs 2 --fail-fast --output-limit 1MB --wall 3s --json -";
        let flags = find_case_flags(&recorded_words(command));
        let expected = "--cpu 2s --wall 3s --memory 64MiB --output-limit 1MB --unsafe --dir data:rw --env 'A=1 2' --env B=2 \
                        --problems p.toml";
        assert_eq!(flags, shell_words::split(expected).unwrap());
    }

    #[test]
    fn flags_give_the_limits_exactly() {
        let cpu = Time(Duration::from_secs(2));
        let (wall, memory, output) = (Limits::default_wall(cpu), Bytes(1 << 30), Bytes(1 << 20));
        let own = Limits { cpu, wall, memory, output, processes: 8 };
        let flags =
            CaseFlags::found_by(|| ["--cpu", "9s", "--memory=1GiB", "--env", "A=1"].map(str::to_owned).to_vec());
        let of = |limits: &Limits| quote_words(with_limits(&flags, &own, limits).words().iter().cloned());
        assert_eq!(of(&own), "--env 'A=1'");
        let cpu = Time(Duration::from_micros(1_000_500));
        let wall = Limits::default_wall(cpu);
        let memory = Bytes(own.memory.0 + 1);
        let more = format!("--cpu 1000500.000us --memory {}B --env 'A=1'", memory.0);
        assert_eq!(of(&Limits { cpu, wall, memory, ..own.clone() }), more);
        let (wall, output, processes) = (Time(Duration::from_millis(100)), Bytes(64 << 10), own.processes + 1);
        let fewer = format!("--wall 100ms --output-limit 64KiB --processes {processes} --env 'A=1'");
        assert_eq!(of(&Limits { wall, output, processes, ..own.clone() }), fewer);
    }

    #[test]
    fn flags_of_a_case_have_one_name() {
        let grammar = Cli::command();
        let catalogue = grammar.get_arguments().find(|arg| arg.get_id() == CATALOGUE).unwrap();
        assert_eq!(catalogue.get_long(), Some(CATALOGUE));
        for arg in ConditionArgs::augment_args(Command::new("judge")).get_arguments().chain([catalogue]) {
            assert!(
                arg.get_long().is_some() && arg.get_short().is_none() && arg.get_all_aliases().is_none(),
                "{arg:?}"
            );
        }
    }

    #[test]
    fn a_command_of_a_shard_is_that_of_the_whole_with_the_shard_and_its_journal() {
        let recorded = "judge run -p columns --json=a.json --csv b.csv -s 'python3 bot.py' --shard 1/3 --all";
        let shard = Shard::new(2, 3).ok();
        let command = of_shard(recorded, shard, Path::new("my shards/2.db"));
        assert_eq!(command, "judge run -p columns -s 'python3 bot.py' --all --shard 2/3 --journal 'my shards/2.db'");
    }

    #[test]
    fn a_resumed_command_writes_no_file_and_takes_no_other_catalogue() {
        let recorded = "judge --problems p.toml run -p columns -s 'python3 bot.py' --json=a.json --save-answers out \
             --transcript talks --feedback=pages --seeds 1-9";
        let words = ["run", "-p", "columns", "-s", "python3 bot.py", "--seeds", "1-9", "--resume"];
        assert_eq!(resumed(recorded).unwrap(), words);
        for other in ["judge exec ./bot", "judge compare -p columns a b", "rm -rf x", "judge run --no-such-flag", ""] {
            assert_eq!(resumed(other), None, "{other}");
        }
    }

    #[test]
    fn a_command_without_such_flags_has_none() {
        assert!(find_case_flags(&recorded_words("judge run -p columns --json -")).is_empty());
        assert!(find_case_flags(&recorded_words("judge no-such-command --cpu 1s")).is_empty());
        assert!(find_case_flags(&recorded_words("")).is_empty());
    }
}
