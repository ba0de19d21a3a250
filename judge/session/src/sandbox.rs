//! Opens the sandbox that the command line names.

use crate::failure::SHORTAGE_HINT;
use crate::{Failure, Result, load};
use judge_cli::SandboxArgs;
use judge_problem::{AnswerFiles, Problem, counted, quote_words};
use judge_run::command;
use judge_run::program::{is_in_journal, journals_in};
use judge_run::runner::{self, RunError};
use judge_run::solver::Purpose;
use judge_sandbox::{
    Exchange, Execution, Fault, Gap, OpenError, Options, OutputFiles, Request, Sandbox, Tier, TierChoice, Visible,
};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Opens the sandbox, also for the problems' own programs, and notes the gaps of its tier.
pub fn open(args: &SandboxArgs) -> Result<Arc<Sandbox>> {
    open_early(args).inspect(|sandbox| note_gaps(sandbox))
}

/// The same for a program that is not tied to a core.
pub fn open_for_all_cores(args: &SandboxArgs) -> Result<Arc<Sandbox>> {
    open_on(args, true).inspect(|sandbox| note_gaps(sandbox))
}

/// Opens the sandbox as [`open`] does, without a note. Its first worker starts while the caller does other things.
pub fn open_early(args: &SandboxArgs) -> Result<Arc<Sandbox>> {
    open_on(args, false)
}

/// Prints a note if the tier does not guarantee everything. The note names the gaps only for the tier that the user
/// must request by `--unsafe`.
pub fn note_gaps(sandbox: &Sandbox) {
    let (tier, gaps) = (sandbox.tier(), gaps(sandbox.gaps()));
    if tier == Tier::Unsafe {
        gaps.iter().for_each(|gap| judge_report::note(&format!("sandbox tier {tier}, {gap}")));
    } else if !gaps.is_empty() {
        judge_report::note(&format!("sandbox tier {tier}, with {}: see `judge doctor`", counted(gaps.len(), "gap")));
    }
}

/// The hint for a tier that does not work.
const DOCTOR_HINT: &str = "`judge doctor` shows what is missing";

fn open_on(args: &SandboxArgs, all_cores: bool) -> Result<Arc<Sandbox>> {
    let (tier, allow_unsafe, tier_cache) = (args.tier, args.allow_unsafe, tier_cache_file());
    let options = Options { tier, allow_unsafe, tier_cache, all_cores, ..Options::default() };
    let sandbox = Sandbox::open(&options).map(Arc::new).map_err(|error| match error {
        OpenError::Shortage { .. } => Failure::fault(error).with_hint(SHORTAGE_HINT),
        // With --unsafe, even programs with limits alone cannot run here.
        OpenError::Nothing { .. } if !allow_unsafe => {
            Failure::usage(error).with_hint(format!("{DOCTOR_HINT}; --unsafe runs trusted programs with limits alone"))
        }
        OpenError::Nothing { .. } | OpenError::Unavailable { .. } => Failure::usage(error).with_hint(DOCTOR_HINT),
        _ => Failure::fault(error),
    })?;
    let tier = sandbox.tier();
    // The strongest tier is the smallest.
    if let Some(required) = args.require_tier.filter(|required| tier > *required) {
        let error = format!("the sandbox is of tier `{tier}` here, and --require-tier wants `{required}` or stronger");
        return Err(Failure::usage(error).with_hint(DOCTOR_HINT));
    }
    command::use_sandbox(&sandbox);
    Ok(sandbox)
}

/// Returns the flag that makes programs less isolated than by default.
pub fn lowering_flag(args: &SandboxArgs) -> Option<&'static str> {
    let options = || Options { tier_cache: tier_cache_file(), ..Options::default() };
    let is_weaker = |tier| Sandbox::open(&options()).is_ok_and(|sandbox| tier > sandbox.tier());
    match args.tier {
        _ if args.allow_unsafe => Some("--unsafe"),
        TierChoice::Forced(tier) if tier == Tier::Unsafe || is_weaker(tier) => Some("--tier"),
        _ => (!args.visible.is_empty()).then_some("--dir"),
    }
}

/// Warns if solvers can read the answer files of a problem.
pub fn warn_of_answers(sandbox: &Sandbox, problem: &Problem) {
    if sandbox.tier() != Tier::Bare || problem.checker.answers().is_none_or(AnswerFiles::is_empty) {
        return;
    }
    let what = "lets solvers learn the sizes and times of its answer files, which can reveal answers";
    let tiers = Tier::ALL.into_iter().filter(|tier| tier.has_namespaces()).map(|tier| format!("`{tier}`"));
    let tiers = tiers.collect::<Vec<_>>().join(", ");
    judge_report::note(&format!("warning: {}: tier `bare` {what}: the tiers {tiers} hide them", problem.id));
    judge_report::note(
        "hint: --require-tier userns refuses to run in `bare`; `judge doctor` shows what the others need",
    );
}

/// Returns the file that stores which tier works.
pub fn tier_cache_file() -> Option<PathBuf> {
    load::state_file("sandbox")
}

/// Returns a function that runs compilers in the sandbox, each in a worker of its own, until it ends or the user
/// interrupts. It prints which solver is compiled, and by which compiler.
pub fn compiler(
    sandbox: &Sandbox,
) -> impl FnMut(Purpose<'_>, &Request, &Exchange) -> Result<(Execution, OutputFiles), RunError> + use<'_> {
    |purpose, request, exchange| {
        if let Purpose::Compile(name) = purpose {
            let compiler = request.program.file_name().unwrap_or_default().to_string_lossy();
            judge_report::note(&format!("compiling {name} ({compiler})"));
        }
        let compiled = runner::run_alone(sandbox, |worker| worker.run_with(request.clone(), Some(exchange), None))?;
        compiled.ok_or(RunError::Run(Fault::Cancelled))
    }
}

/// Returns the gaps of the tier, one sentence each.
pub fn gaps(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(|Gap { what, meaning, .. }| format!("{what}: {meaning}")).collect()
}

/// Returns the files and folders of `--dir`, as this sandbox can show them. A program can use the given path, too, if it
/// leads there through links.
pub fn visible(args: &SandboxArgs, sandbox: &Sandbox) -> Result<Vec<Visible>> {
    let read = |text: &String| {
        let (path, writable) = text.strip_suffix(":rw").map_or((&**text, false), |path| (path, true));
        let not_shown = |why: String| Failure::usage(format!("cannot show {path} to the program: {why}"));
        let named = std::path::absolute(path).map_err(|error| not_shown(error.to_string()))?;
        let path = named.canonicalize().map_err(|error| not_shown(error.to_string()))?;
        if is_in_journal(&path) {
            return Err(not_shown("no program sees a journal".to_owned()));
        }
        if path == Path::new("/") {
            return Err(not_shown("it is the whole machine".to_owned()).with_hint("name the folders that it needs"));
        }
        // A right to make and remove files applies to all folders below.
        if writable
            && sandbox.tier() == Tier::Bare
            && let Some(journal) = journals_in(&path).first()
        {
            let why = format!("it holds {}, which tier `{}` cannot hide", journal.display(), sandbox.tier());
            return Err(not_shown(why).with_hint("name the folders in it that it may write to"));
        }
        if writable && is_closed_to_others(&path) {
            let path = quote_words([path.to_string_lossy()]);
            judge_report::note(&format!("warning: programs of root run as another user, which cannot write to {path}"));
            judge_report::note(&format!("hint: chmod o+wX {path}"));
        }
        let is_link = named != path && !named.components().any(|part| part == Component::ParentDir);
        let paths = std::iter::once(path).chain(is_link.then_some(named));
        Ok(paths.map(|path| Visible { path, writable }).collect())
    };
    Ok(args.visible.iter().map(read).collect::<Result<Vec<Vec<_>>, _>>()?.concat())
}

/// Returns whether programs cannot write to a file or folder because this process is root and they are another user.
fn is_closed_to_others(path: &Path) -> bool {
    let needed = if path.is_dir() { 0o003 } else { 0o002 };
    let is_open = path.metadata().is_ok_and(|meta| meta.mode() & needed == needed);
    rustix::process::geteuid().is_root() && !is_open
}
