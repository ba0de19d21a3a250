//! Arguments of a subcommand. Their grammar is built only for the subcommand that is called or whose help is requested,
//! because building all grammars takes a twentieth of a short run's time.

use clap::builder::Resettable;
use clap::error::Result;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Id};
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
        T::from_arg_matches(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        self.0.update_from_arg_matches(matches)
    }
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
