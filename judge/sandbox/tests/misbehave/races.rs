//! Events that coincide, in several workers or beside a program.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use judge_sandbox::{Breach, End, Sandbox};

use super::attempt::refuses_own_code;
use super::judge_level::check;
use super::pace::patiently;
use super::request;
use super::scene::folder_for_all;

/// Programs that were just written can start, although the judge starts other processes all the time; and so can
/// programs that other programs wrote.
pub(crate) fn programs_written_at_once(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const SLOTS: usize = 3;
    let folder = folder_for_all(programs);
    let own = programs.join("races");
    let is_over = AtomicBool::new(false);
    let slot = |slot: usize| {
        let mut worker = sandbox.worker(None).unwrap();
        for turn in 0..10 {
            let written = folder.path().join(format!("{slot}-{turn}"));
            fs::copy(&own, &written).unwrap();
            let fresh = worker.run(&request(written, &["races".into(), "nothing".into()]));
            let fresh = fresh.map_err(|fault| fault.to_string())?;
            check(fresh.end == End::Exited(0), || format!("written by the judge: {fresh:?}"))?;
            let words = ["races".into(), "rewritten".into(), own.display().to_string(), "5".into()];
            let again = worker.run(&request(own.clone(), &words)).map_err(|fault| fault.to_string())?;
            let code = if refuses_own_code(sandbox) { 4 } else { 0 };
            check(again.end == End::Exited(code), || format!("written by itself: {again:?}"))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let starter = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                assert!(Command::new("/bin/true").status().unwrap().success());
            }
        });
        let slot = &slot;
        let slots: Vec<_> = (0..SLOTS).map(|number| scope.spawn(move || slot(number))).collect();
        let results: Vec<Result<(), String>> = slots.into_iter().map(|slot| slot.join().unwrap()).collect();
        is_over.store(true, Ordering::SeqCst);
        starter.join().unwrap();
        results.into_iter().collect()
    })
}

/// Processes of the same user survive, although their ids are between the ids of a killed program that starts and ends
/// processes without a pause.
pub(crate) fn bystanders_of_forks(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut bystanders = Bystanders(Vec::new());
    let mut request = request(programs.join("races"), &["races", "reap", "-1"].map(str::to_owned));
    for breach in [Breach::Cpu, Breach::Wall, Breach::Cpu, Breach::Wall] {
        let (short, long) = (patiently(Duration::from_millis(150)), patiently(Duration::from_secs(9)));
        let limits = if breach == Breach::Cpu { (short, long) } else { (long, short) };
        (request.limits.cpu, request.limits.wall) = (Some(limits.0), Some(limits.1));
        let execution = thread::scope(|scope| {
            let run = scope.spawn(|| worker.run(&request));
            while !run.is_finished() {
                bystanders.add();
                thread::sleep(Duration::from_millis(10));
            }
            run.join().unwrap()
        });
        let execution = execution.map_err(|fault| fault.to_string())?;
        check(execution.breaches == [breach], || format!("{breach:?}: {execution:?}"))?;
    }
    let all = bystanders.0.len();
    let ended = bystanders.0.iter_mut().filter_map(|child| child.try_wait().unwrap()).count();
    check(all > 8 && ended == 0, || format!("{ended} of {all} bystanders were killed"))
}

/// They end with the test.
struct Bystanders(Vec<Child>);

impl Bystanders {
    fn add(&mut self) {
        if self.0.len() < 200 {
            self.0.push(Command::new("/bin/sleep").arg("1000").spawn().unwrap());
        }
    }
}

impl Drop for Bystanders {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
