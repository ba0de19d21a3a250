//! Opens the sandbox that the command line asks for.

use super::failure::Failure;
use crate::cli::SandboxArgs;
use crate::report;
use judge_sandbox::{Gap, OpenError, Options, Sandbox, Visible};
use std::path::Path;

/// Opens the sandbox and tells once what it cannot hold; or says why it cannot be had.
pub(super) fn open(args: &SandboxArgs) -> Result<Sandbox, Failure> {
    let options = Options { tier: args.tier.0, allow_unsafe: args.allow_unsafe, ..Options::default() };
    let sandbox = Sandbox::open(&options).map_err(|error| match error {
        OpenError::Shortage { .. } => Failure::fault(error)
            .with_hint("`ulimit -n` bounds open files, `ulimit -u` processes: raise them, or end what uses them up"),
        OpenError::Unavailable { .. } => Failure::usage(error).with_hint("`judge doctor` tells what is missing"),
        OpenError::Nothing { .. } => Failure::usage(error)
            .with_hint("`judge doctor` tells what is missing; --unsafe runs trusted programs with limits alone"),
    })?;
    let tier = sandbox.tier();
    match args.require_tier {
        // The strongest tier comes first.
        Some(required) if tier > required => {
            let error =
                format!("the sandbox is of tier `{tier}` here, and --require-tier wants `{required}` or stronger");
            Err(Failure::usage(error).with_hint("`judge doctor` tells what is missing"))
        }
        _ => {
            for gap in gaps(sandbox.gaps()) {
                report::note(&format!("sandbox tier {tier}, {gap}"));
            }
            Ok(sandbox)
        }
    }
}

/// Returns the gaps of a tier, each as one plain sentence.
pub(super) fn gaps(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(|Gap { what, meaning }| format!("{what}: {meaning}")).collect()
}

/// Returns the files and folders of `--dir`.
pub(super) fn visible(args: &SandboxArgs) -> Result<Vec<Visible>, Failure> {
    let read = |text: &String| {
        let (path, writable) = text.strip_suffix(":rw").map_or((&**text, false), |path| (path, true));
        match Path::new(path).canonicalize() {
            Ok(path) => Ok(Visible { path, writable }),
            Err(error) => Err(Failure::usage(format!("cannot show {path} to the program: {error}"))),
        }
    };
    args.visible.iter().map(read).collect()
}
