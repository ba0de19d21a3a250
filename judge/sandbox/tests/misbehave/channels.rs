//! What programs could learn of others, on this machine or before them, by ways that are no files.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use judge_sandbox::{End, Sandbox, Tier, Visible};

use super::judge_level::check;
use super::request;
use super::scene::folder_for_all;

/// In a namespace of its own, no program learns from its id what ran before it, nor from the host's name where.
pub(crate) fn process_ids(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let request = request(programs.join("channels"), &["channels".into(), "ids".into()]);
    for _ in 0..3 {
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        let said = String::from_utf8_lossy(&execution.stdout);
        let jailed = sandbox.tier() != Tier::Bare;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        check(!jailed || said == "2 3 4 5 6 7 judge\n", || said.clone().into_owned())?;
    }
    Ok(())
}

/// No program learns what others have locked, and none keeps them from locking.
pub(crate) fn locks(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let path = folder.path().join("theirs");
    fs::write(&path, "x").unwrap();
    let mut request =
        request(programs.join("channels"), &["channels".into(), "locks".into(), path.display().to_string()]);
    request.visible = vec![Visible { path: path.clone(), writable: false }];
    let mut said = || {
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&execution.stdout).into_owned())
    };
    let file = File::open(&path).unwrap();
    let mut refused = 0;
    let free = std::thread::scope(|scope| {
        let running = scope.spawn(&mut said);
        while !running.is_finished() {
            // A lock of the program's would be in the way.
            refused += usize::from(file.try_lock().is_err());
            file.unlock().unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        running.join().unwrap()
    })?;
    check(refused == 0, || format!("the judge could not lock, {refused} times"))?;
    file.lock().unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockShared).unwrap();
    let taken = said()?;
    check(free == taken, || format!("{free:?} without the judge's lock, {taken:?} with it"))
}
