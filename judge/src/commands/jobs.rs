//! How many solvers run at once, and on which cores.

use super::failure::Failure;
use crate::cli::JobArgs;
use crate::report;
use crate::runner::Settings;
use judge_sandbox::Cores;

/// One solver for each physical core, each tied to a core of its own. More of them would disturb each other, and their
/// times would say little: that is for the user to insist on.
pub(super) fn settings(args: &JobArgs, describe: bool) -> Result<Settings, Failure> {
    settings_on(&Cores::here(), args, describe)
}

fn settings_on(cores: &Cores, args: &JobArgs, describe: bool) -> Result<Settings, Failure> {
    let most = cores.undisturbed();
    let jobs = args.jobs.unwrap_or(most);
    if jobs > most {
        let there = if most.get() == 1 { "1 core".to_owned() } else { format!("{most} cores") };
        let error = format!("{jobs} solvers at once on {there} take time from each other");
        if !args.oversubscribe {
            let hint = format!("--jobs {most}, or add --oversubscribe where their times do not matter");
            return Err(Failure::usage(format!("--jobs {jobs}: {error}")).with_hint(hint));
        }
        report::note(&format!("warning: {error}"));
    }
    let numbers = cores.numbers();
    let pin = !args.no_pin && jobs.get() <= numbers.len();
    Ok(Settings { jobs, cores: if pin { numbers.to_vec() } else { Vec::new() }, describe })
}
