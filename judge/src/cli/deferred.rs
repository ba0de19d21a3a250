//! Arguments of a subcommand whose grammar is built only for the subcommand that is called, or whose help is asked for: that
//! of all takes a twentieth of a short run's time.

use clap::builder::Resettable;
use clap::error::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};
use std::ops::Deref;

/// The arguments of a subcommand. They are read as `T` is.
#[derive(Debug)]
pub struct Deferred<T>(Box<T>);

impl<T> Deferred<T> {
    /// Returns the arguments themselves.
    #[must_use]
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

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self> {
        T::from_arg_matches_mut(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<()> {
        self.0.update_from_arg_matches_mut(matches)
    }
}

fn with_arguments<T: Args>(command: Command) -> Command {
    // The doc comment of the arguments would take the place of the subcommand's.
    let [about, long] = [command.get_about(), command.get_long_about()].map(|text| Resettable::from(text.cloned()));
    T::augment_args(command).about(about).long_about(long)
}
