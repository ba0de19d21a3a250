//! What a start has found out: later ones recall it until a worker fails.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use judge_sandbox::{Fault, Options, Sandbox, TierChoice};

use super::first::{children, first_core, runs};
use super::judge_level::check;
use super::request;

/// A start that recalls it does not write it again. Its first worker works, and when one fails, the next start tries.
pub(crate) fn until_a_worker_fails(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("of/the/sandbox");
    let tier = TierChoice::Forced(sandbox.tier());
    let options = Options { tier, tier_cache: Some(memory.clone()), ..Options::default() };
    let open = || Sandbox::open(&options).map_err(|error| error.to_string());
    let written = || {
        let mut files = fs::read_dir(&memory).ok()?;
        files.next()?.unwrap().metadata().map(|stat| (stat.mtime(), stat.mtime_nsec())).ok()
    };
    let before = children();
    drop(open()?);
    let first = written();
    check(first.is_some(), || "nothing is remembered".to_owned())?;
    let recalled = open()?;
    check(written() == first, || "it was tried again".to_owned())?;
    check((recalled.tier(), recalled.gaps()) == (sandbox.tier(), sandbox.gaps()), || {
        format!("{} with {:?} became {} with {:?}", sandbox.tier(), sandbox.gaps(), recalled.tier(), recalled.gaps())
    })?;
    let mut worker = runs(recalled.worker(first_core()), programs)?;
    check(written() == first, || "a worker that works has it forgotten".to_owned())?;
    for child in children().difference(&before) {
        let pid = rustix::process::Pid::from_raw(*child).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    let lost = worker.run(&request(programs.join("output"), &["output".to_owned(), "code".into(), "3".into()]));
    check(matches!(lost, Err(Fault::HelperGone(_))), || format!("{lost:?}"))?;
    check(written().is_none(), || "it is still remembered".to_owned())?;
    drop((open()?, worker, recalled));
    check(written().is_some_and(|again| Some(again) != first), || "it was not tried again".to_owned())?;
    check(children() == before, || "processes are left".to_owned())
}
