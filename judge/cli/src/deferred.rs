//! Arguments of a subcommand. Their grammar is built only for the subcommand that is called or whose help is requested,
//! because building all grammars takes a twentieth of a short run's time.

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind, Result};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Id};
use std::ops::Deref;

/// The arguments of a subcommand. They are read as `T` is.
#[derive(Debug)]
pub struct Deferred<T>(Box<T>);

impl<T> Deferred<T> {
    /// Returns the arguments themselves.
    pub fn into_inner(self) -> Box<T> {
        self.0
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(with_arguments::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }

    fn group_id() -> Option<Id> {
        T::group_id()
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self> {
        check_needed(matches)?;
        T::from_arg_matches(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Options without an effect unless another one is given. `requires` of clap admits them if the missing option conflicts
/// with one that is given: `--html game.html --step 5`. An id here means the same in all commands.
pub(crate) const NEEDED: [(&str, &str); 19] = [
    ("answer", "output"),
    ("step", "svg"),
    ("top", "sort"),
    ("reverse", "sort"),
    ("final", "sealed"),
    ("show-inputs", "feedback"),
    ("max-cases", "until-decided"),
    ("rare", "until-decided"),
    ("exact", "until-decided"),
    ("h0", "until-decided"),
    ("h1", "h0"),
    ("beta", "h0"),
    ("bound", "exact"),
    ("sensitivity", "calibrate"),
    ("workdir", "on"),
    ("sbatch", "on"),
    ("constraint", "on"),
    ("retries", "on"),
    ("detach", "on"),
];

/// Checks that no option is given without the option that it needs.
fn check_needed(matches: &ArgMatches) -> Result<()> {
    let is_given = |option: &str| {
        let id = option.replace('-', "_");
        matches.try_contains_id(&id).is_ok() && matches.value_source(&id) == Some(ValueSource::CommandLine)
    };
    if let Some((option, needed)) = NEEDED.into_iter().find(|(option, needed)| is_given(option) && !is_given(needed)) {
        let mut error = Error::new(ErrorKind::MissingRequiredArgument);
        let missing = vec![format!("--{needed}, which --{option} needs")];
        error.insert(ContextKind::InvalidArg, ContextValue::Strings(missing));
        return Err(error);
    }
    matches.subcommand().map_or(Ok(()), |(_, inner)| check_needed(inner))
}

fn with_arguments<T: Args>(command: Command) -> Command {
    // The doc comment of the arguments would replace the subcommand's.
    let [about, long] = [command.get_about(), command.get_long_about()].map(|text| Resettable::from(text.cloned()));
    on_one_screen(T::augment_args(command).about(about).long_about(long))
}

/// The options under a heading, such as limits, that `-h` shows of a subcommand with many.
const COMMON: [&str; 9] =
    ["seeds", "inputs", "condition", "until_decided", "min_effect", "cpu", "memory", "json", "html"];

/// The number of options up to which `-h` shows all of them, with the examples.
const FITTING: usize = 16;

/// Keeps the short help of a subcommand to one screen. The long help has everything. Options without a heading are left out
/// if they are marked with `hide_short_help`.
fn on_one_screen(command: Command) -> Command {
    if command.get_arguments().filter(|arg| !arg.is_hide_set()).count() <= FITTING {
        return command.mut_args(|arg| arg.hide_short_help(false));
    }
    let examples = Resettable::from(command.get_after_help().cloned());
    let more = format!("All options and examples: judge {} --help", command.get_name());
    let is_rare = |arg: &Arg| match arg.get_help_heading() {
        Some(_) => !COMMON.contains(&arg.get_id().as_str()),
        None => arg.is_hide_short_help_set(),
    };
    let shorten = |arg: Arg| {
        let is_hidden = is_rare(&arg);
        arg.hide_short_help(is_hidden)
    };
    command.mut_args(shorten).after_long_help(examples).after_help(more)
}
