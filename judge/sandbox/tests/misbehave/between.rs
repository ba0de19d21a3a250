//! What one program could tell the next one, though no file of its own outlives it.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use judge_sandbox::{End, Sandbox, Stdin, Visible};

use super::attempt::as_told;
use super::judge_level::check;
use super::request;
use super::scene::folder_for_all;

/// Whatever number a program leaves, in whatever way, the next one learns the same.
pub(crate) fn messages(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let shown = folder.path().join("shown");
    fs::write(&shown, vec![b's'; 1 << 18]).unwrap();
    // So long ago that a reading would be noted.
    let long_ago = FileTimes::new().set_accessed(SystemTime::now() - Duration::from_secs(3 * 86400));
    let forget = || File::options().write(true).open(&shown).unwrap().set_times(long_ago).unwrap();
    let notes_readings = sandbox.gaps().iter().any(|gap| gap.what == "times of reading");
    let own = programs.join("between");
    let paths = format!("{} {}", own.display(), shown.display());
    let mut run = |words: String| {
        let mut request = request(own.clone(), &as_told("between"));
        request.stdin = Stdin::Bytes(Arc::from(words.into_bytes()));
        request.visible = vec![Visible { path: shown.clone(), writable: false }];
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&execution.stdout).into_owned())
    };
    let mut recall = |number: Option<u32>| {
        forget();
        if let Some(number) = number {
            run(format!("leave {number} {paths}"))?;
        }
        if notes_readings {
            forget();
        }
        run(format!("recall {paths}"))
    };
    recall(None)?;
    let first = recall(None)?;
    check(first.lines().count() == 3, || first.clone())?;
    for number in [0, 15, 5, 10, 3, 12] {
        let told = recall(Some(number))?;
        check(told == first, || format!("after {number}: {first:?} became {told:?}"))?;
    }
    Ok(())
}

/// Where the kernel has put a program's sockets depends on what those before it had: nothing tells it where root's rights
/// keep it from that.
pub(crate) fn addresses(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let is_open = sandbox.gaps().iter().any(|gap| gap.what == "addresses");
    let mut worker = sandbox.worker(None).unwrap();
    let request = request("/bin/cat".into(), &["cat".into(), "/proc/self/net/unix".into()]);
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check((execution.end == End::Exited(0)) == is_open, || format!("{execution:?}"))
}
